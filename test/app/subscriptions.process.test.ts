import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../src/platform/database/project-root.js';
import { chat } from '../journeys/people.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../support/app.js';

const TEXT = readFileSync(join(projectRoot(), 'docs', 'subscriptions.md'), 'utf8');

const ITEM = /"model":"[^"]+","amountRub":"[\d.]+","status":"\w+"/;

function block(language: string): string {
  const found = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(TEXT);
  if (!found?.[1]) throw new Error(`the page has no block of ${language}`);
  return found[1];
}

let app: TestApp;
let own: Customer;
let folder: string;
beforeAll(async () => {
  app = await startApp();
  own = await newCustomer(app, 100);
  folder = mkdtempSync(join(tmpdir(), 'gw-subscriptions-'));
  symlinkSync(join(projectRoot(), 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.stop();
});

/** Runs a block until it has printed something; somebody spends, and a stranger does too. */
async function printed(file: string, parts: readonly string[], key: string): Promise<string> {
  const env = { ...process.env, GW_URL: app.url, GW_KEY: key };
  const child: ChildProcess = spawn(file, parts, { cwd: folder, env });
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  const stranger = await newCustomer(app, 100);
  try {
    // The feed is followed from the moment on at which the program has connected.
    await expect
      .poll(
        async () => {
          await chat(app, stranger.key);
          await chat(app, own.key);
          return text;
        },
        { timeout: 30_000 },
      )
      .toMatch(ITEM);
    return text;
  } finally {
    child.kill('SIGKILL');
  }
}

const PROGRAM = 'follow.mjs';

describe('the page on subscriptions', () => {
  it('follows usage over a socket with the key in connectionParams', async () => {
    writeFileSync(join(folder, PROGRAM), block('js'));
    expect(await printed(process.execPath, [PROGRAM], own.key)).toMatch(ITEM);
  });

  it('follows it as server-sent events', async () => {
    const text = await printed('sh', ['-c', block('sh')], own.key);
    expect(text).toMatch(/event: next\ndata: \{"data":\{"usageEvents":/);
    expect(text).toMatch(ITEM);
  });
});
