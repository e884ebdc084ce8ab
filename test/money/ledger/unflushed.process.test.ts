import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { createLedger } from '../../../src/money/ledger/create-ledger.js';
import type { Ledger } from '../../../src/money/ledger/ledger.js';
import { prepareLayout } from '../../../src/platform/database/embedded-layout.js';
import { connectDatabase, createPool, type Database } from '../../../src/platform/database/pool.js';
import { violationsAtRest } from '../../support/books-at-rest.js';
import { type Customer, insertCustomer, knownUsageOf, silent, usageOf } from './books.js';

const TEST_MS_MAX = 60_000;

let dataDir: string;
let database: Database;
let owner: ReturnType<typeof createPool>;
let ledger: Ledger;
let customer: Customer;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'gw-unflushed-'));
  database = await connectDatabase({ dataDir, secret: 'a secret of a test that is long' });
  const connection = database.embedded?.connection ?? {};
  owner = createPool({ connection, max: 2, applicationName: 'unflushed' });
  customer = await insertCustomer(owner, 100_000n);
  const pool = database.platformPool;
  ledger = createLedger({ pool, nodeId: 'unflushed', dataDir, log: silent });
  await ledger.start();
}, TEST_MS_MAX);
afterAll(async () => {
  await ledger.stop();
  await owner.end();
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const AMOUNT = { amountMicro: 700n };

function hold(requestId: string) {
  const usage = knownUsageOf(customer);
  return ledger.hold({ ...customer, requestId, ...AMOUNT, budgetIds: [], usage });
}

const charge = (requestId: string) =>
  ledger.settle({ ...customer, requestId, ...AMOUNT, usage: usageOf(customer) });

/** What the database knows of requests: 'none' of one that it has never seen. */
async function statesOf(requests: readonly string[]): Promise<readonly string[]> {
  const { rows } = await owner.query<{ state: string }>(
    `SELECT COALESCE(h.state, 'none') AS state
     FROM unnest($1::uuid[]) WITH ORDINALITY AS r(id, place)
     LEFT JOIN hold h ON h.request_id = r.id ORDER BY place`,
    [requests],
  );
  return rows.map(({ state }) => state);
}

/** The process that puts on disk what no commit waits for stands still from now on. */
async function stopWalWriter(): Promise<number> {
  const sql = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'`;
  const [row] = (await owner.query<{ pid: number }>(sql)).rows;
  process.kill(row?.pid ?? 0, 'SIGSTOP');
  return row?.pid ?? 0;
}

/** When the server that answers was started; undefined where none does. */
async function serverStart(): Promise<number | undefined> {
  const sql = 'SELECT pg_postmaster_start_time() AS at';
  const rows = await owner.query<{ at: Date }>(sql).catch(() => undefined);
  return rows?.rows[0]?.at.getTime();
}

/** The server dies at once, and is started again by its owner. */
async function killServer(walWriter: number): Promise<void> {
  const before = (await serverStart()) ?? 0;
  const file = join(prepareLayout(join(dataDir, 'postgres')).cluster, 'postmaster.pid');
  process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL');
  process.kill(walWriter, 'SIGKILL');
  await expect.poll(serverStart, { timeout: 20_000 }).toBeGreaterThan(before);
}

it(
  'holds and marks that a dying database forgets are there before their charges',
  async () => {
    const [charged, first, second, third] = Array.from({ length: 4 }, () => newId('Request'));
    const requests = [charged, first, second, third] as [string, string, string, string];
    await hold(requests[0]);
    await charge(requests[0]);
    const walWriter = await stopWalWriter();
    ledger.delivered(customer.accountId, requests[0]);
    await Promise.all(requests.slice(1).map(hold));
    await ledger.drain();
    expect(await statesOf(requests)).toEqual(['delivered', 'open', 'open', 'open']);
    await killServer(walWriter);
    // Nothing of it was on disk.
    expect(await statesOf(requests)).toEqual(['finalized', 'none', 'none', 'none']);
    expect(await charge(requests[1])).toEqual({
      status: 'ok',
      chargedMicro: 700n,
      uncollectedMicro: 0n,
    });
    expect(await statesOf(requests)).toEqual(['delivered', 'finalized', 'open', 'open']);
    await charge(requests[2]);
    await ledger.release({ accountId: customer.accountId, requestId: requests[3] });
    for (const id of requests.slice(1, 3)) ledger.delivered(customer.accountId, id);
    await ledger.drain();
    expect(await statesOf(requests)).toEqual(['delivered', 'delivered', 'delivered', 'released']);
    const { rows } = await owner.query('SELECT posted_micro, held_micro FROM account');
    expect(rows).toEqual([{ posted_micro: 97_900n, held_micro: 0n }]);
    expect(await violationsAtRest(owner)).toEqual([]);
    expect(ledger.gauges()).toMatchObject({ lostSettles: 0, lostHolds: 0, journaledOps: 0 });
  },
  TEST_MS_MAX,
);
