import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type Books, openBooks } from './books.js';
import { type Folder, newFolder } from './providers.js';
import { addressOf, type ServiceProxy, startProxy } from './proxy.js';
import { faultsOfSealing } from './sealed-rows.js';
import {
  newSealedWorld,
  SEALED_WRITES,
  type SealedWorld,
  type SealedWrite,
  steadyWriters,
  writeSealed,
} from './sealed-writes.js';

const TEST_MS_MAX = 60_000;
const READY = { timeout: 20_000, interval: 50 };

let folder: Folder;
let database: TestDatabase;
let proxy: ServiceProxy;
let books: Books;
let environment: NodeJS.ProcessEnv;
let gateway: GatewayProcess;
let world: SealedWorld;

beforeAll(async () => {
  folder = newFolder();
  database = await freshDatabase();
  proxy = await startProxy(addressOf(database.connection));
  books = openBooks(database.connection);
  const { user, database: name } = database.connection;
  environment = {
    GW_DATA_DIR: folder.path,
    GW_NODE_ID: 'the-one',
    DATABASE_URL: `postgresql://${user}@127.0.0.1:${proxy.port}/${name}`,
  };
  gateway = await startGateway(environment);
  world = await newSealedWorld(gateway, await newCustomer(gateway));
});
afterEach(() => proxy.pass());
afterAll(async () => {
  await killGateways();
  await proxy.close();
  await books.close();
  await database.drop();
  folder.remove();
});

/** What a write stands before: its first sealed row, or the receipt after all of its rows. */
const BARRIERS = ['data_key', 'sealed_receipt'] as const;

/** Keeps writes from going on beyond a point until it is lifted. */
async function barrier(what: (typeof BARRIERS)[number]): Promise<pg.PoolClient> {
  const client = await books.pool.connect();
  await client.query('BEGIN');
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `${what} ${world.customer.tenantId}`,
  ]);
  return client;
}

const WAITING = `SELECT count(*)::int AS waiting FROM pg_locks l
  JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND NOT l.granted AND a.datname = current_database()`;

/** One write of each kind, of which some stand at the barrier when `end` is done. */
async function interrupted(
  what: (typeof BARRIERS)[number],
  end: () => Promise<void>,
): Promise<SealedWrite[]> {
  const held = await barrier(what);
  try {
    const writes = SEALED_WRITES.map((kind) => writeSealed(gateway, world, kind));
    const least = what === 'data_key' ? SEALED_WRITES.length : 1;
    await expect
      .poll(async () => (await books.pool.query(WAITING)).rows[0].waiting)
      .toBeGreaterThanOrEqual(least);
    await end();
    await held.query('COMMIT');
    return await Promise.all(writes);
  } finally {
    held.release(true);
  }
}

async function nothingIsLost(written: readonly SealedWrite[]): Promise<void> {
  const { customer } = world;
  expect(await faultsOfSealing(books.pool, gateway, customer, written)).toEqual([]);
  // Writes go on as before.
  const more = await Promise.all(SEALED_WRITES.map((kind) => writeSealed(gateway, world, kind)));
  expect(more.map(({ kind, status, code }) => [kind, status, code])).toEqual(
    SEALED_WRITES.map((kind) => [kind, 200, undefined]),
  );
  expect(await faultsOfSealing(books.pool, gateway, customer, more)).toEqual([]);
}

describe('a gateway that is killed', () => {
  it.each(BARRIERS)(
    'between sealing and commit, before its %s, leaves no row half sealed',
    async (what) => {
      const written = await interrupted(what, () => gateway.kill());
      expect(written.some(({ status }) => status === 0)).toBe(true);
      gateway = await startGateway(environment);
      await nothingIsLost(written);
    },
    TEST_MS_MAX,
  );

  it(
    'under steady writes has kept what it has answered, and no row without its new data key',
    async () => {
      const making = await Promise.all(Array.from({ length: 4 }, () => newCustomer(gateway)));
      const writers = steadyWriters(gateway, world);
      await sleep(600);
      // The first data keys of these are being made.
      const worlds = making.map((customer) => newSealedWorld(gateway, customer).catch(() => {}));
      await sleep(60);
      await gateway.kill();
      await Promise.all(worlds);
      const written = await writers.end();
      gateway = await startGateway(environment);
      expect(written.filter(({ isDone }) => isDone)).not.toEqual([]);
      await nothingIsLost(written);
      for (const customer of making) {
        const again = await newSealedWorld(gateway, customer);
        const one = await writeSealed(gateway, again, 'tool call');
        expect(one).toMatchObject({ isDone: true });
        expect(await faultsOfSealing(books.pool, gateway, customer, [one])).toEqual([]);
      }
    },
    TEST_MS_MAX,
  );
});

describe('a database that is cut off', () => {
  it.each(BARRIERS)(
    'between sealing and commit, before a %s, has all or nothing of each write',
    async (what) => {
      const written = await interrupted(what, async () => proxy.refuse());
      expect(written.some(({ isDone }) => !isDone)).toBe(true);
      const codes = written.filter(({ isDone }) => !isDone).map(({ code }) => code);
      expect(new Set(codes)).toEqual(new Set(['ledger_unavailable']));
      proxy.pass();
      await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status, READY).toBe(200);
      await nothingIsLost(written);
    },
    TEST_MS_MAX,
  );
});
