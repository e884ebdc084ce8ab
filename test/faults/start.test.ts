import { readdirSync } from 'node:fs';
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
      for (let tries = 0; status !== 200 && tries < 100; tries += 1) {
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
