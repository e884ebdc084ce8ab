import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedNow } from '../../src/kernel/clock.js';
import { projectRoot } from '../../src/platform/database/project-root.js';
import { embeddedConnection } from '../faults/books.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';

const PATIENCE_MS = 180_000;
const MEGABYTES_MAX = 150;

let folder: string;
let told: string;
let gateway: GatewayProcess;
let releasedAt: Date;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gw-release-'));
  const words = ['tools/release.mjs', join(folder, 'release')];
  told = execFileSync(process.execPath, words, { cwd: projectRoot(), encoding: 'utf8' });
  releasedAt = sharedNow();
  const data = { GW_DATA_DIR: join(folder, 'data') };
  gateway = await startGateway(data, join(folder, 'release'));
}, PATIENCE_MS);
afterAll(async () => {
  await killGateways();
  rmSync(folder, { recursive: true, force: true });
});

async function answerOf(path: string, body?: object, credential?: string) {
  const response = await fetch(gateway.url + path, {
    method: body ? 'POST' : 'GET',
    headers: {
      'content-type': 'application/json',
      ...(credential && { authorization: `Bearer ${credential}` }),
    },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function json<T>(path: string, body: object, credential?: string): Promise<T> {
  return JSON.parse(String((await answerOf(path, body, credential)).bytes)) as T;
}

describe('the release, in a folder with no other packages above it', () => {
  it('is small, with PostgreSQL', () => {
    const megabytes = Number(/: (\d+) MB/.exec(told)?.[1]);
    expect(megabytes).toBeLessThanOrEqual(MEGABYTES_MAX);
  });

  it('has the commands and files that its documents tell operators and officers to use', () => {
    const at = join(folder, 'release');
    const words = ['OPERATIONS.md', 'SECURITY.md']
      .map((name) => readFileSync(join(at, name), 'utf8'))
      .join('\n');
    const { scripts } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const found = (pattern: RegExp) =>
      [...new Set([...words.matchAll(pattern)].map(([, one, other]) => one ?? other ?? ''))].sort();
    // The sources alone are built, measured and tested.
    const commands = found(/npm run (\w+)/g).filter((name) => !/^(release|bench)$/.test(name));
    expect(commands).toEqual(['books', 'doctor', 'retention', 'rewrap']);
    expect(commands.filter((name) => scripts[name] === undefined)).toEqual([]);
    const files = found(
      /node (tools\/[\w-]+\.mjs)|\]\(((?:deploy|docs)\/[\w./-]+|\.env\.example)/g,
    );
    expect(files.length).toBeGreaterThan(1);
    const fromSource = /Dockerfile|compose|nginx|chart(\/values\.yaml)?$/;
    const missing = files.filter((path) => !existsSync(join(at, path)));
    expect(missing.filter((path) => !fromSource.test(path))).toEqual([]);
  });

  it.each([
    '/',
    '/docs',
    '/graphiql',
    '/assets/scalar.js',
    '/assets/graphiql.js',
    '/assets/graphql-ws.js',
    '/assets/editor-worker.js',
    '/openapi.json',
    '/llms-full.txt',
    '/v1/gw/blueprints',
    '/v1/gw/trust/vendor-pack?format=pdf',
    '/version',
  ])('has what it needs for %s', async (path) => {
    const { status, bytes } = await answerOf(path);
    expect([status, bytes.length > 0]).toEqual([200, true]);
  });

  it('has laid the database that its build packed', async () => {
    const client = new pg.Client(embeddedConnection(join(folder, 'data')));
    await client.connect();
    const { rows } = await client.query(
      `SELECT count(*)::int > 0 AS migrated, max(finished_at) < $1 AS before
       FROM _prisma_migrations`,
      [releasedAt],
    );
    await client.end();
    expect(rows).toEqual([{ migrated: true, before: true }]);
  });

  it('answers a chat that is billed on its embedded database', async () => {
    const member = { email: 'owner@example.test', password: 'correct horse battery' };
    const { accessToken } = await json<{ accessToken: string }>('/auth/register', {
      ...member,
      organization: 'Released',
    });
    const { key } = await json<{ key: string }>(
      '/api-keys',
      { keyType: 'standard', name: 'first' },
      accessToken,
    );
    await json('/billing/top-up/manual', { amount_rub: 100 }, key);
    const request = { model: 'gw:auto', messages: [{ role: 'user', content: 'Здравствуйте' }] };
    const answer = await json<object>('/v1/chat/completions', request, key);
    expect(answer).toMatchObject({ object: 'chat.completion', simulated: true });
  });
});
