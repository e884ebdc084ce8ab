import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newCustomer, rest } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type Books, openBooks } from './books.js';
import { type Folder, newFolder } from './providers.js';
import { addressOf, type ServiceProxy, startProxy } from './proxy.js';
import { faultsOfSealing, readSealedRows } from './sealed-rows.js';
import {
  newSealedWorld,
  SEALED_WRITES,
  type SealedWorld,
  type SealedWrite,
  writeSealed,
} from './sealed-writes.js';

const TEST_MS_MAX = 60_000;
const PATIENT = { timeout: 20_000, interval: 10 };
const OPEN_ROWS = 1_000;
const OPEN_TEXT = 'Ivan Petrov, from before anything was sealed';

let folder: Folder;
let database: TestDatabase;
let proxy: ServiceProxy;
let books: Books;
let environment: NodeJS.ProcessEnv;
let gateway: GatewayProcess;
let neighbour: SealedWorld;
let kept: SealedWrite[];
let world: SealedWorld;
let written: SealedWrite[];

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
  [neighbour, kept] = await newWritten();
});
beforeEach(async () => {
  [world, written] = await newWritten();
});
afterEach(() => proxy.pass());
afterAll(async () => {
  await killGateways();
  await proxy.close();
  await books.close();
  await database.drop();
  folder.remove();
});

/** A customer that has written one of each kind. */
async function newWritten(): Promise<[SealedWorld, SealedWrite[]]> {
  const made = await newSealedWorld(gateway, await newCustomer(gateway));
  const all = await Promise.all(SEALED_WRITES.map((kind) => writeSealed(gateway, made, kind)));
  return [made, all];
}

const ERASE = `mutation($input: PersonalDataErasureInput!) {
  organizationPersonalDataErase(input: $input) { id keysErased }
}`;

/** Asks for the erasure under one key of an attempt; empty when no answer came. */
async function askToErase(): Promise<string> {
  const { tenantId, token: credential } = world.customer;
  const { rows } = await books.pool.query('SELECT name FROM tenant WHERE id = $1', [tenantId]);
  const input = { organization: rows[0].name, reason: 'a test' };
  const body = { query: ERASE, variables: { input } };
  const headers = { 'idempotency-key': `erase ${tenantId}`.replaceAll(' ', '-') };
  const asked = rest(gateway, 'POST', '/graphql', { credential, body, headers });
  const answer = await asked.catch(() => undefined);
  return answer ? JSON.stringify((answer.body as { data: unknown }).data) : '';
}

/** How the gateway is interrupted, and how it comes back. */
const FAULTS: Readonly<Record<string, { begin(): Promise<void>; end(): Promise<void> }>> = {
  'a gateway that is killed': {
    begin: () => gateway.kill(),
    end: async () => {
      gateway = await startGateway(environment);
    },
  },
  'a database that is cut off': {
    begin: async () => proxy.refuse(),
    end: async () => {
      proxy.pass();
      const ready = async () => (await fetch(`${gateway.url}/readyz`)).status;
      await expect.poll(ready, PATIENT).toBe(200);
    },
  },
};

async function textsOf({ customer }: SealedWorld): Promise<string[]> {
  const { readable } = await readSealedRows(books.pool);
  return readable.filter((each) => each.tenantId === customer.tenantId).map(({ text }) => text);
}

const RECEIPTS = `SELECT count(*)::int AS receipts FROM sealed_receipt
  WHERE tenant_id = $1 AND kind = 'personal_data_erasure'`;

/** Erases under the same key until it is answered, and says what is not as it should be then. */
async function erasedWhole(): Promise<void> {
  const { customer } = world;
  let answer = '';
  await expect
    .poll(async () => {
      answer = await askToErase();
      return answer;
    }, PATIENT)
    .toContain('"keysErased":1');
  expect(await askToErase()).toBe(answer);
  const { rows } = await books.pool.query(RECEIPTS, [customer.tenantId]);
  expect(rows).toEqual([{ receipts: 1 }]);
  expect(await textsOf(world)).toEqual([]);
  expect(await faultsOfSealing(books.pool, gateway, neighbour.customer, kept)).toEqual([]);
  const after = await Promise.all(SEALED_WRITES.map((kind) => writeSealed(gateway, world, kind)));
  expect(after.filter(({ isDone }) => !isDone)).toEqual([]);
  expect(await faultsOfSealing(books.pool, gateway, customer, after)).toEqual([]);
}

/** Keeps an erasure that has erased the key from its receipt and its commit. */
async function beforeItsReceipt(): Promise<pg.PoolClient> {
  const client = await books.pool.connect();
  const line = `sealed_receipt ${world.customer.tenantId}`;
  await client.query('BEGIN');
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [line]);
  return client;
}

const WAITING = `SELECT count(*)::int AS waiting FROM pg_locks l
  JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND NOT l.granted AND a.datname = current_database()`;

const UNDER_WAY = `SELECT FROM pg_stat_activity WHERE datname = current_database()
  AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`;

const OPEN = `INSERT INTO prompt_version (id, tenant_id, prompt_id, version, template, variables,
    model_variants, samples, content_hash, created_by)
  SELECT gen_random_uuid(), $1, $2, n, 'Hello', '[]', '[]',
    jsonb_build_object('variables', jsonb_build_object('name', $3::text || n), 'outputs', '[]'),
    sha256('x'), $4
  FROM generate_series(1, $5::int) n`;

const SEALED_OF_THEM = `SELECT count(samples_sealed)::int AS sealed FROM prompt_version
  WHERE tenant_id = $1 AND template = 'Hello'`;

describe.each(Object.keys(FAULTS))('%s in the midst of an erasure', (name) => {
  const fault = FAULTS[name];

  it(
    'has erased nothing before the commit, and the same request erases all',
    async () => {
      const held = await beforeItsReceipt();
      try {
        const erasing = askToErase();
        const waiting = async () => (await books.pool.query(WAITING)).rows[0].waiting;
        await expect.poll(waiting, PATIENT).toBe(1);
        await fault?.begin();
        await held.query('COMMIT');
        expect(await erasing).not.toContain('keysErased');
      } finally {
        held.release(true);
      }
      await fault?.end();
      // A server that still runs the last statement of who is gone is waited for.
      await expect.poll(async () => (await books.pool.query(UNDER_WAY)).rowCount, PATIENT).toBe(0);
      expect(await faultsOfSealing(books.pool, gateway, world.customer, written)).toEqual([]);
      expect((await books.pool.query(RECEIPTS, [world.customer.tenantId])).rows).toEqual([
        { receipts: 0 },
      ]);
      await erasedWhole();
    },
    TEST_MS_MAX,
  );

  it(
    'while it seals what stood open has lost none of it, and the same request erases all',
    async () => {
      const { customer } = world;
      const { tenantId, userId, token: credential } = customer;
      const body = { prompt_key: 'before', use_case: 'a test' };
      const prompt = await rest(gateway, 'POST', '/v1/gw/prompts', { credential, body });
      await books.pool.query(OPEN, [tenantId, prompt.body.id, OPEN_TEXT, userId, OPEN_ROWS]);
      const erasing = askToErase();
      const sealed = async () =>
        (await books.pool.query(SEALED_OF_THEM, [tenantId])).rows[0].sealed;
      await expect.poll(sealed, { ...PATIENT, interval: 1 }).toBeGreaterThan(0);
      await fault?.begin();
      expect(await erasing).not.toContain('keysErased');
      await fault?.end();
      const between = await sealed();
      expect([between > 0, between < OPEN_ROWS]).toEqual([true, true]);
      const texts = (await textsOf(world)).filter((text) => text.includes(OPEN_TEXT));
      expect(new Set(texts).size).toBe(OPEN_ROWS);
      expect(await faultsOfSealing(books.pool, gateway, customer, written)).toEqual([]);
      await erasedWhole();
    },
    TEST_MS_MAX,
  );
});

describe('a gateway that is killed right after an erasure', () => {
  it(
    'answers the same request with the erasure that stands',
    async () => {
      const erasing = askToErase();
      const { tenantId } = world.customer;
      const sql = `SELECT FROM tenant_data_key WHERE tenant_id = $1 AND erased_at IS NOT NULL`;
      const erased = async () => (await books.pool.query(sql, [tenantId])).rowCount;
      await expect.poll(erased, { ...PATIENT, interval: 1 }).toBe(1);
      await gateway.kill();
      await erasing;
      gateway = await startGateway(environment);
      await erasedWhole();
    },
    TEST_MS_MAX,
  );
});
