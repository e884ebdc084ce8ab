import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { startApp, type TestApp } from '../../support/app.js';

const run = promisify(execFile);
const HERE = join(projectRoot(), 'test', 'rest-compat', 'generated-client');
const FOLDER = join(projectRoot(), '.cache', 'generated-client');

/** What a customer's project has where it wants to be strict. */
const STRICT = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: false,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'ESNext',
    moduleResolution: 'Bundler',
    verbatimModuleSyntax: true,
    isolatedModules: true,
    types: [],
    noEmit: true,
  },
  include: ['.'],
};

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const description = join(FOLDER, 'openapi.json');
  await writeFile(description, await (await fetch(`${app.url}/openapi.json`)).text());
  await run(process.execPath, [join(HERE, 'make-client.mjs'), description, join(FOLDER, 'client')]);
  await cp(join(HERE, 'journey.ts.txt'), join(FOLDER, 'journey.ts'));
  await writeFile(join(FOLDER, 'tsconfig.json'), JSON.stringify(STRICT));
});
afterAll(() => app?.stop());

describe('the client that a generator makes of the description', () => {
  it('compiles under the strict rules, and so does what a customer writes with it', async () => {
    const tsc = join(projectRoot(), 'node_modules', 'typescript', 'bin', 'tsc');
    const told = await run(process.execPath, [tsc, '-p', FOLDER]).catch((error) => error);
    expect(told.stdout).toBe('');
  });

  it('registers, manages, calls models, streams, and reads failures', async () => {
    const { journey } = (await import(join(FOLDER, 'journey.ts'))) as {
      journey: (baseUrl: string) => Promise<object>;
    };
    expect(await journey(app.url)).toMatchObject({
      role: 'owner',
      balanceRub: 50,
      said: expect.stringMatching(/./),
      costRub: expect.any(Number),
      chunks: expect.arrayContaining(['chat.completion.chunk']),
      vectorLength: 256,
      hasModel: true,
      prompt: { prompt_key: 'support.reply', owner_team: 'support', versions: [] },
      prompts: ['support.reply'],
      refused: {
        error: { code: 'invalid_request', faults: [{ path: 'prompt_key' }] },
      },
      unknown: 'not_found',
    });
  });
});
