import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { erase } from '../access/personal-data/samples.js';
import { newCustomer } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type Books, openBooks } from './books.js';
import { type Folder, newFolder } from './providers.js';
import { faultsOfSealing, readSealedRows } from './sealed-rows.js';
import { newSealedWorld, SEALED_WRITES, steadyWriters, writeSealed } from './sealed-writes.js';

const ERASURES = 3;
const TEST_MS_MAX = 60_000;
/** What a write is told that meets an erasure; the last two of what it was to go on with. */
const DOCUMENTED = ['personal_data_key_changed', 'personal_data_erased', 'not_found'];

let folders: readonly Folder[];
let database: TestDatabase;
let books: Books;
let nodes: readonly GatewayProcess[];

beforeAll(async () => {
  folders = [newFolder(), newFolder()];
  database = await freshDatabase();
  books = openBooks(database.connection);
  const start = ({ path }: Folder) =>
    startGateway({ GW_DATA_DIR: path, DATABASE_URL: database.databaseUrl });
  nodes = await Promise.all(folders.map(start));
});
afterAll(async () => {
  await killGateways();
  await books.close();
  await database.drop();
  for (const folder of folders) folder.remove();
});

/** How many stand in line for an advisory lock of the database. */
async function waiting(): Promise<number> {
  const { rows } = await books.pool.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM pg_locks
     WHERE locktype = 'advisory' AND NOT granted AND database =
       (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows[0]?.waiting ?? 0;
}

describe('an erasure beside steady writers on two nodes', () => {
  it(
    'goes through at once each time, and no writer is told anything but of the erasure',
    async () => {
      const [first, second] = nodes as [GatewayProcess, GatewayProcess];
      const customer = await newCustomer(first);
      const world = await newSealedWorld(first, customer);
      const writers = nodes.map((node) => steadyWriters(node, world));
      const erased: unknown[] = [];
      for (let count = 0; count < ERASURES; count += 1) {
        await sleep(500);
        const { url } = count % 2 === 0 ? first : second;
        erased.push((await erase({ url, owner: books }, customer)).data);
      }
      const written = (await Promise.all(writers.map((each) => each.end()))).flat();
      const receipt = expect.objectContaining({ keysErased: 1 });
      const answer = { organizationPersonalDataErase: receipt };
      expect(erased).toEqual(Array.from({ length: ERASURES }, () => answer));
      const codes = new Set(written.filter(({ isDone }) => !isDone).map(({ code }) => code));
      expect([...codes].filter((code) => !DOCUMENTED.includes(String(code)))).toEqual([]);
      for (const kind of SEALED_WRITES) {
        expect(written.filter((each) => each.kind === kind && each.isDone)).not.toEqual([]);
      }
      expect(nodes.map((node) => node.logs()).join()).not.toContain('deadlock');
      expect((await readSealedRows(books.pool)).erased).toBeGreaterThan(0);
      expect(await faultsOfSealing(books.pool, first, customer, [])).toEqual([]);
    },
    TEST_MS_MAX,
  );

  it(
    'waits for a write that has begun, and lets those behind it pass when that takes too long',
    async () => {
      const [first, second] = nodes as [GatewayProcess, GatewayProcess];
      const customer = await newCustomer(first);
      const world = await newSealedWorld(first, customer);
      const writing = await books.pool.connect();
      try {
        await writing.query('BEGIN');
        await writing.query('SELECT enter_data_key_gate($1)', [customer.tenantId]);
        const erasing = erase({ url: first.url, owner: books }, customer);
        await expect.poll(waiting).toBe(1);
        const behind = writeSealed(second, world, 'tool call');
        await expect.poll(waiting).toBe(2);
        expect(await behind).toMatchObject({ isDone: true });
        await expect.poll(waiting).toBe(1);
        await writing.query('COMMIT');
        expect((await erasing).data.organizationPersonalDataErase?.keysErased).toBe(1);
      } finally {
        writing.release(true);
      }
      expect(await faultsOfSealing(books.pool, second, customer, [])).toEqual([]);
    },
    TEST_MS_MAX,
  );
});
