import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parser as go } from '@lezer/go';
import { parser as java } from '@lezer/java';
import { parser as php } from '@lezer/php';
import { parser as python } from '@lezer/python';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STACKS } from '../../../src/growth/devex/vocabulary.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { type LiveApp, startLiveApp } from '../../support/live-app.js';

interface Quickstart {
  readonly stack: string;
  readonly base_url: string;
  readonly sdk_base_url: string;
  readonly file: string;
  readonly snippet: string;
  readonly check: string;
  readonly steps: readonly { readonly number: number; readonly command: string | null }[];
  readonly agent_docs: readonly { readonly url: string }[];
}

let app: LiveApp;
let customer: Customer;
let folder: string;
beforeAll(async () => {
  app = await startLiveApp();
  customer = await newCustomer(app, 500, 'standard');
  folder = await mkdtemp(join(tmpdir(), 'gw-quickstart-'));
  await symlink(join(projectRoot(), 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await app?.stop();
});

async function quickstart(stack: string): Promise<Quickstart> {
  const path = `/v1/gw/devex/quickstart?stack=${encodeURIComponent(stack)}`;
  const { status, body } = await rest<Quickstart>(app, 'GET', path);
  expect(status).toBe(200);
  return body;
}

/** Runs a command in the folder of the snippets. @returns what it printed */
function run(command: string, args: readonly string[]): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, GW_API_KEY: customer.key, NO_PROXY: '127.0.0.1' };
    const child = spawn(command, [...args], { cwd: folder, env });
    let text = '';
    const keep = (chunk: Buffer) => {
      text += chunk.toString();
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, text }));
  });
}

async function requests(): Promise<number> {
  const { body } = await rest<{ data: { feature: string; environment: string }[] }>(
    app,
    'GET',
    '/usage',
    { credential: customer.token },
  );
  return body.data.filter((row) => row.feature === 'quickstart').length;
}

const RUN_BY: Readonly<Record<string, string>> = {
  curl: 'sh',
  node: process.execPath,
  langchain: process.execPath,
  'vercel-ai-sdk': process.execPath,
};

const EXECUTED = STACKS.rows.filter(({ check }) => check === 'executed');

describe('a snippet that can run here', () => {
  it.each(EXECUTED.map(({ code }) => code))(
    '%s is answered, and its usage carries the metadata, as it is printed',
    async (code) => {
      const { file, snippet } = await quickstart(code);
      await writeFile(join(folder, file), snippet);
      const before = await requests();
      const { code: exit, text } = await run(RUN_BY[code] ?? '', [file]);
      expect([exit, text.trim().length > 0, text]).toEqual([0, true, expect.any(String)]);
      expect(text).not.toContain('"error"');
      await expect.poll(requests).toBe(before + 1);
    },
    60_000,
  );
});

describe('an answer without a text', () => {
  const message = { role: 'assistant', content: null };
  const raw = JSON.stringify({
    choices: [{ index: 0, message, finish_reason: 'length' }],
    usage: { prompt_tokens: 11, completion_tokens: 200 },
  });
  const READ = EXECUTED.map(({ code }) => code).filter((code) => code !== 'curl');

  it('is an error of every snippet that reads its text, which names the reason', async () => {
    app.double.script('live', { raw, headers: { 'content-type': 'application/json' } });
    const ended = await Promise.all(
      READ.map(async (code) => {
        const { snippet } = await quickstart(code);
        const file = `empty-${code}.mjs`;
        await writeFile(join(folder, file), snippet);
        return run(RUN_BY[code] ?? '', [file]);
      }),
    );
    app.double.script('live', {});
    expect(ended.map(({ code, text }) => [code, /has no text.*length/.test(text)])).toEqual(
      READ.map(() => [1, true]),
    );
  }, 60_000);
});

/** Places that a parser could not read: none in a snippet that is right. */
function faultsIn(
  parser: { parse(text: string): { iterate(spec: object): void } },
  text: string,
): number {
  let faults = 0;
  parser.parse(text).iterate({
    enter({ type }: { type: { isError: boolean } }) {
      if (type.isError) faults += 1;
    },
  });
  return faults;
}

const PARSERS: Readonly<Record<string, Parameters<typeof faultsIn>[0]>> = { python, go, java, php };

describe('a snippet that cannot run here', () => {
  it.each(Object.entries(PARSERS))(
    '%s is read without a fault by its grammar',
    async (code, parser) => {
      const { snippet, check } = await quickstart(code);
      expect(check).toBe('parsed');
      expect(faultsIn(parser, snippet)).toBe(0);
      expect(faultsIn(parser, `${snippet}\n)}((`)).toBeGreaterThan(0);
    },
  );

  it('n8n is a workflow whose nodes are connected, and whose body is JSON', async () => {
    const { snippet, base_url } = await quickstart('n8n');
    const workflow = JSON.parse(snippet);
    const names = workflow.nodes.map(({ name }: { name: string }) => name);
    const [[{ node }]] = workflow.connections[names[0]].main;
    expect(names).toContain(node);
    const { url, jsonBody } = workflow.nodes[1].parameters;
    expect(url).toBe(`${base_url}/v1/chat/completions`);
    const body = JSON.parse(jsonBody);
    const answer = await rest(app, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body,
    });
    expect(answer.status).toBe(200);
  });

  it('leaves no stack unchecked', () => {
    const parsed = STACKS.rows.filter(({ check }) => check === 'parsed').map(({ code }) => code);
    expect(parsed.sort()).toEqual([...Object.keys(PARSERS), 'n8n'].sort());
    expect(EXECUTED.map(({ code }) => code).sort()).toEqual(Object.keys(RUN_BY).sort());
  });
});

describe('a quickstart', () => {
  it.each(STACKS.codes)('%s carries the address of the caller and no other', async (code) => {
    const found = await quickstart(code);
    expect(found).toMatchObject({ stack: code, base_url: app.url, sdk_base_url: `${app.url}/v1` });
    expect(found.snippet).toContain(app.url);
    expect(JSON.stringify(found)).not.toContain('{base_url}');
    expect(found.steps.map(({ number }) => number)).toEqual(found.steps.map((_, at) => at + 1));
    for (const { url } of found.agent_docs) expect((await fetch(url)).status).toBe(200);
  });

  it('is that of curl where no stack is named', async () => {
    const { body } = await rest<Quickstart>(app, 'GET', '/v1/gw/devex/quickstart');
    expect(body.stack).toBe('curl');
  });

  it.each([
    ['golang', 'go'],
    ['  TypeScript ', 'node'],
    ['py', 'python'],
    ['vercel', 'vercel-ai-sdk'],
  ])('understands %s as %s', async (name, code) => {
    expect((await quickstart(name)).stack).toBe(code);
  });

  it.each(['rust', 'pyton', 'constructor', '__proto__', 'x'.repeat(100)])(
    'refuses %s with the known stacks, in both voices',
    async (name) => {
      const path = `/v1/gw/devex/quickstart?stack=${name}`;
      const { status, body } = await rest<{
        error: { code: string; param: string; message: string };
      }>(app, 'GET', path);
      expect([status, body.error.code, body.error.param]).toEqual([
        400,
        'invalid_request',
        'stack',
      ]);
      if (name.length < 40) {
        for (const code of STACKS.codes) expect(body.error.message).toContain(code);
      }
      const query = 'query ($stack: String!) { quickstart(stack: $stack) { stack } }';
      const { errors = [] } = await graphql(app, query, { stack: name });
      expect(errors[0]?.extensions.code).toBe('invalid_request');
    },
  );

  it('says the same in GraphQL', async () => {
    const query = `{ quickstart(stack: "python") { stack snippet base_url: baseUrl } }`;
    const { data } = await graphql<{ quickstart: Quickstart }>(app, query);
    const { stack, snippet, base_url } = await quickstart('python');
    expect(data.quickstart).toEqual({ stack, snippet, base_url });
  });
});
