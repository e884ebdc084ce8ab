import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp, type TestApp } from '../support/app.js';
import { startUpstreamDouble, type UpstreamDouble } from '../support/upstream-double.mjs';

/** A gateway with one provider inside Russia and a cheaper one outside, both doubles. */
export interface RoutedApp extends TestApp {
  readonly double: UpstreamDouble;
}

/** The model of each lane of the double. */
export const INSIDE = 'inside/model';
export const OUTSIDE = 'outside/model';

/** Starts it; the sandbox is off, so that answers come from the doubles alone. */
export async function startRoutedApp(environment: NodeJS.ProcessEnv = {}): Promise<RoutedApp> {
  const double = await startUpstreamDouble();
  const folder = await mkdtemp(join(tmpdir(), 'gw-providers-'));
  const file = join(folder, 'providers.yaml');
  await writeFile(file, JSON.stringify({ providers: providers(double.origin) }));
  const app = await startApp({ GW_PROVIDERS_FILE: file, GW_SANDBOX: 'off', ...environment });
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

function providers(origin: string) {
  const model = (upstreamName: string, rub: number) => ({
    upstream_name: upstreamName,
    capabilities: ['text', 'tools', 'json', 'streaming'],
    context_window: 100_000,
    max_output_tokens: 4_000,
    prices: [{ effective_from: '2026-01-01', input: rub, output: rub }],
  });
  return (['inside', 'outside'] as const).map((id) => ({
    id,
    name: `The provider ${id}`,
    operator: 'a test',
    base_url: `${origin}/${id}/v1`,
    jurisdiction: id === 'inside' ? 'rf' : 'outside',
    models: [model('model', id === 'inside' ? 100 : 10)],
  }));
}
