import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newCustomer, rest } from '../support/app.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { embeddedConnection, openBooks } from './books.js';
import { chat } from './client.js';
import { type Folder, newFolder } from './providers.js';

const TEST_MS_MAX = 120_000;

let folder: Folder;
beforeEach(() => {
  folder = newFolder();
});
afterEach(async () => {
  await killGateways();
  folder.remove();
});

const BODY = { model: 'sandbox/gw-mini', messages: [{ role: 'user', content: 'Добрый день' }] };

async function statusOf({ url }: GatewayProcess, credential: string): Promise<number> {
  return (await chat(url, { credential, body: BODY })).status;
}

async function namesOf(): Promise<string[]> {
  const books = openBooks(embeddedConnection(folder.path));
  const { rows } = await books.pool.query<{ node_id: string }>(
    'SELECT node_id FROM gateway_node WHERE retired_at IS NULL ORDER BY node_id',
  );
  await books.close();
  return rows.map(({ node_id }) => node_id);
}

describe('two gateways that start at the same time on one empty data folder', () => {
  it(
    'share secret and database under names of their own, and the second survives the first',
    async () => {
      // Without GW_SECRET, so that both have to agree on the one that the first of them makes.
      const settings = { GW_DATA_DIR: folder.path, GW_SECRET: '' };
      const both = await Promise.all([startGateway(settings), startGateway(settings)]);
      const [one, other] = both;
      const customer = await newCustomer(one, 100);
      const mine = await rest(other, 'GET', '/me', { credential: customer.token });
      expect(mine.status).toBe(200);
      expect(await Promise.all(both.map((each) => statusOf(each, customer.key)))).toEqual([
        200, 200,
      ]);
      expect(new Set(await namesOf()).size).toBe(2);
      expect(readdirSync(folder.path).filter((name) => name.startsWith('secret'))).toEqual([
        'secret',
      ]);
      // Whichever owns the database: the other one starts it again.
      expect(await one.terminate()).toBe(0);
      let status = await statusOf(other, customer.key);
      for (let tries = 0; status !== 200 && tries < 300; tries += 1) {
        expect(status).toBe(503);
        await sleep(100);
        status = await statusOf(other, customer.key);
      }
      expect(status).toBe(200);
      const books = openBooks(embeddedConnection(folder.path));
      expect(await books.violations()).toEqual([]);
      await books.close();
      expect(await other.terminate()).toBe(0);
    },
    TEST_MS_MAX,
  );

  it(
    'a process refuses the stated name of another one',
    async () => {
      const settings = { GW_DATA_DIR: folder.path, GW_NODE_ID: 'same' };
      const one = await startGateway(settings);
      await expect(startGateway(settings)).rejects.toThrow(
        'the node name same is in use by another process; set GW_NODE_ID',
      );
      expect(await one.terminate()).toBe(0);
    },
    TEST_MS_MAX,
  );
});

/** What a start says whose settings do not let it serve; a stack would be more than the line. */
async function lastWords(settings: NodeJS.ProcessEnv): Promise<string> {
  const started = startGateway({ GW_DATA_DIR: folder.path, ...settings });
  const { message } = await started.then(
    () => new Error('it serves'),
    (error: Error) => error,
  );
  return message.replace('the gateway ended before it was ready:\n', '').trimEnd();
}

/** Somebody else's server on a port of this machine. */
async function otherServer(answer = ''): Promise<{ port: number; close(): void }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    // Commands of Redis come several at once; each begins with the number of its words.
    socket.on('data', (sent: Buffer) => {
      const commands = sent.toString().match(/^\*\d+\r$/gm) ?? [];
      socket.write(answer.repeat(commands.length));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

describe('a gateway that cannot serve', () => {
  it(
    'ends with one line that says why and what helps: no database',
    async () => {
      expect(await lastWords({ DATABASE_URL: 'postgresql://gw:gw@127.0.0.1:1/gw' })).toBe(
        'the database of DATABASE_URL cannot be reached (ECONNREFUSED 127.0.0.1:1); start it, ' +
          'correct DATABASE_URL, or leave it out to use the embedded database',
      );
    },
    TEST_MS_MAX,
  );

  it(
    'a Redis that refuses the login',
    async () => {
      const redis = await otherServer('-NOAUTH Authentication required.\r\n');
      const words = await lastWords({ REDIS_URL: `redis://127.0.0.1:${redis.port}` });
      redis.close();
      const lines = words.split('\n').filter((line) => !line.startsWith('{'));
      expect(lines).toEqual([
        'the Redis of REDIS_URL refuses its login (NOAUTH); correct REDIS_URL',
      ]);
      expect(words).not.toContain('"stack"');
    },
    TEST_MS_MAX,
  );

  it(
    'a port that is taken, a host that is another',
    async () => {
      const other = await otherServer();
      expect(await lastWords({ PORT: String(other.port) })).toBe(
        `port ${other.port} is in use by another process; end it, or set PORT`,
      );
      other.close();
      expect(await lastWords({ HOST: '192.0.2.1' })).toBe(
        'HOST is 192.0.2.1, which is no address of this machine; correct it',
      );
    },
    TEST_MS_MAX,
  );

  it(
    'a data folder of another PostgreSQL, and none at all',
    async () => {
      expect(await lastWords({ HOST: '192.0.2.1' })).toContain('correct it');
      const kept = join(folder.path, 'postgres', 'cluster', 'PG_VERSION');
      writeFileSync(kept, '17\n');
      expect(await lastWords({})).toBe(
        'the data folder holds a database of PostgreSQL 17, and this release brings PostgreSQL ' +
          '18; start the former release, dump it and restore the dump here ' +
          '(OPERATIONS.md, "Upgrade")',
      );
      expect(await lastWords({ GW_DATA_DIR: kept })).toMatch(
        /^\S+ cannot be written \((ENOTDIR|EEXIST)\); make room there, give it to the user of /,
      );
    },
    TEST_MS_MAX,
  );
});
