import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { firstRequest } from '../../../src/app/pages/landing.js';
import { startApp, type TestApp } from '../../support/app.js';

const execute = promisify(execFile);

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** What the last step prints, when all of it is pasted into a shell. */
async function paste(): Promise<{ readonly gw_routing?: object; readonly choices?: unknown[] }> {
  const { stdout } = await execute('sh', ['-c', firstRequest(app.url)]);
  return JSON.parse(stdout.slice(stdout.lastIndexOf('{"id"')));
}

it('the first request answers when it is pasted into a shell, and when it is again', async () => {
  for (const _time of ['first', 'second']) {
    const answer = await paste();
    expect(answer.choices).toHaveLength(1);
    expect(answer.gw_routing).toBeDefined();
  }
  const tenants = await app.owner.prisma.tenant.count();
  expect(tenants).toBe(1);
});
