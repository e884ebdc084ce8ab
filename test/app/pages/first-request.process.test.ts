import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { firstRequest } from '../../../src/app/pages/landing.js';
import { LANGUAGES, type Language } from '../../../src/kernel/language/languages.js';
import { startApp, type TestApp } from '../../support/app.js';

const execute = promisify(execFile);

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** What the last step prints, when all of it is pasted into a shell. */
async function paste(
  language: Language,
): Promise<{ readonly gw_routing?: object; readonly choices?: unknown[] }> {
  const { stdout } = await execute('sh', ['-c', firstRequest(app.url, language)]);
  return JSON.parse(stdout.slice(stdout.lastIndexOf('{"id"')));
}

it('the first request answers when it is pasted in each language, also again', async () => {
  for (const language of [...LANGUAGES, 'en'] as const) {
    const answer = await paste(language);
    expect(answer.choices).toHaveLength(1);
    expect(answer.gw_routing).toBeDefined();
  }
  const tenants = await app.owner.prisma.tenant.count();
  expect(tenants).toBe(1);
});
