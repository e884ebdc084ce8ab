import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp, type TestApp } from './app.js';
import { startUpstreamDouble, type UpstreamDouble } from './upstream-double.mjs';

/** A gateway with providers that a double plays. */
export interface ProvidedApp extends TestApp {
  readonly double: UpstreamDouble;
}

/** Starts it with providers in the words of `GW_PROVIDERS_FILE`; they get the double's origin. */
export async function startProvided(
  providers: (origin: string) => readonly unknown[],
  environment: NodeJS.ProcessEnv = {},
): Promise<ProvidedApp> {
  const double = await startUpstreamDouble();
  const folder = await mkdtemp(join(tmpdir(), 'gw-provided-'));
  const file = join(folder, 'providers.yaml');
  await writeFile(file, JSON.stringify({ providers: providers(double.origin) }));
  const app = await startApp({ GW_PROVIDERS_FILE: file, ...environment });
  return {
    ...app,
    double,
    async stop() {
      await app.stop();
      await double.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
