import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usageSums } from '../../src/finops/reports/read.js';
import { UsageRollup } from '../../src/finops/reports/rollup.js';
import { newId } from '../../src/kernel/ids.js';
import { connectDatabase, type Database } from '../../src/platform/database/pool.js';
import { createLog } from '../../src/platform/log.js';
import { bringForward, isDue, type Reader, StepRows } from '../../src/records/brought-forward.js';
import { HORIZON } from '../../src/records/feed.js';
import { plantUsage } from '../finops/reports/usage-rows.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type OwnerDatabase, openAsOwner } from '../support/owner.js';

const WAIT = { timeout: 20_000 };
const MINUTE_MS = 60_000;

let database: TestDatabase;
let working: Database;
let owner: OwnerDatabase;
const tenantId = newId('Tenant');

beforeAll(async () => {
  database = await freshDatabase();
  const { databaseUrl } = database;
  working = await connectDatabase({ databaseUrl, dataDir: tmpdir(), secret: 's'.repeat(32) });
  owner = openAsOwner(database.connection);
});

afterAll(async () => {
  await owner.close();
  await working.stop();
  await database.drop();
});

function reader(name: string): Reader {
  return { name, table: 'usage_event', work: async () => {}, forget: async () => {} };
}

/** Plants rows, and waits until nobody on the server holds a transaction from before them open. */
async function plant(count: number): Promise<void> {
  const one = () => ({ tenantId, id: newId('Request'), amountMicro: 7n });
  await plantUsage(owner.pool, Array.from({ length: count }, one));
  const sql = `SELECT coalesce(max(txid) < ${HORIZON}, TRUE) AS final FROM usage_event`;
  const isFinal = async () => (await owner.pool.query(sql)).rows[0].final;
  await expect.poll(isFinal, WAIT).toBe(true);
}

const step = (each: Reader, limit: number) => bringForward(working.platformPool, each, limit);

/** By which indexes plans read the months of a table; where by none, how. */
function scansOf(plan: unknown, table: string): unknown[] {
  if (typeof plan !== 'object' || plan === null) return [];
  const below = Object.values(plan).flatMap((part) => scansOf(part, table));
  const node = plan as Record<string, unknown>;
  const isMonth = String(node['Relation Name']).startsWith(table);
  return isMonth ? [node['Index Name'] ?? node['Node Type']] : below;
}

describe('a reader', () => {
  it('says whether more may stand after a step, so that nobody goes on for crumbs', async () => {
    const own = reader('test_steps');
    await plant(25);
    expect(await step(own, 10)).toBe('moved');
    expect(await step(own, 10)).toBe('moved');
    expect(await step(own, 10)).toBe('through');
    expect(await step(own, 10)).toBe('at_the_end');
  });

  it('takes fewer rows after a step that was too much, and soon more again', async () => {
    await plant(25);
    const asked: number[] = [];
    const slow: Reader = {
      ...reader('test_too_many'),
      async work(_client, { limit }) {
        asked.push(limit);
        if (limit > 5) throw new Error('the database is too slow for so many');
      },
    };
    const rows = new StepRows({ max: 40, min: 1 });
    const look = () => rows.bringForward(working.platformPool, slow).catch(() => 'failed');
    await expect.poll(async () => [await look(), asked.length][1], WAIT).toBe(6);
    expect(asked).toEqual([40, 10, 2, 4, 8, 2]);
    const least = new StepRows({ max: 40, min: 30 });
    await expect(least.bringForward(working.platformPool, slow)).rejects.toThrow('too slow');
    await expect(least.bringForward(working.platformPool, slow)).rejects.toThrow('too slow');
    expect(asked.slice(-2)).toEqual([40, 30]);
  });

  it('finds out that it stands at the end without reading the table', async () => {
    const own = reader('test_end');
    await plant(3_000);
    expect(await step(own, 10_000)).toBe('through');
    const client = await working.platformPool.connect();
    const plans: unknown[] = [];
    const noted = {
      connect: async () => {
        const query = client.query.bind(client) as (...words: unknown[]) => Promise<unknown>;
        const explaining = async (text: string, values: unknown[]) => {
          const plan = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
          plans.push(plan.rows);
          return query(text, values);
        };
        return Object.assign(Object.create(client), { query: explaining, release: () => {} });
      },
    } as unknown as Database['platformPool'];
    expect(await bringForward(noted, own, 10)).toBe('at_the_end');
    client.release();
    const { rows } = await owner.pool.query<{ count: string }>(
      `SELECT count(*)::text FROM pg_inherits WHERE inhparent = 'usage_event'::regclass`,
    );
    const scans = scansOf(plans, 'usage_event');
    expect(scans).toHaveLength(Number(rows[0]?.count));
    expect(scans.filter((index) => !/_txid_seq_key$/.test(String(index)))).toEqual([]);
  });

  it('is due as soon as so many rows stand after its mark, or so long after it moved', async () => {
    const own = reader('test_due');
    const due = (rows: number, ms: number) => isDue(working.platformPool, [own], { rows, ms });
    expect(await due(1_000_000, MINUTE_MS)).toBe(true);
    expect(await step(own, 10_000)).toBe('through');
    expect(await due(40, MINUTE_MS)).toBe(false);
    await plant(39);
    expect(await due(40, MINUTE_MS)).toBe(false);
    await plant(1);
    expect(await due(40, MINUTE_MS)).toBe(true);
    await owner.pool.query(
      `UPDATE reader_mark SET moved_at = moved_at - interval '1 minute' WHERE name = 'test_due'`,
    );
    expect(await due(1_000_000, MINUTE_MS)).toBe(true);
    expect(await due(1_000_000, 2 * MINUTE_MS)).toBe(false);
  });

  it('is due where the database is a restored one, whatever its counter says', async () => {
    const own = reader('test_restored');
    expect(await step(own, 10_000)).toBe('through');
    await owner.pool.query(
      `UPDATE reader_mark SET txid = 1000000000000 WHERE name = 'test_restored'`,
    );
    expect(await isDue(working.platformPool, [own], { rows: 1_000, ms: MINUTE_MS })).toBe(true);
  });
});

describe('a report while its follower waits', () => {
  it('is exact to the micro-ruble from the rows that nobody has summed yet', async () => {
    const { platformPool } = working;
    const rollup = new UsageRollup({ platformPool, log: createLog('silent') });
    await expect
      .poll(() => rollup.bringForward().then(() => rollup.bringForward()), WAIT)
      .toBe(true);
    const markOf = async () =>
      (await owner.pool.query(`SELECT txid, seq FROM reader_mark WHERE name = 'usage_rollup'`))
        .rows;
    const mark = await markOf();
    await plant(123);
    expect(await rollup.bringForwardWhenDue()).toBe(false);
    expect(await markOf()).toEqual(mark);
    const told = await usageSums(working, {
      tenantId,
      windows: [{ from: new Date(0), to: new Date('2099-01-01T00:00:00Z') }],
      groupBy: [],
      period: null,
      timeZone: 'Europe/Moscow',
      narrowings: [],
      sketches: [],
      orderBy: 'amount_micro',
      top: 10,
    });
    const { rows } = await owner.pool.query(
      `SELECT count(*)::bigint AS requests, sum(amount_micro)::bigint AS amount_micro
       FROM usage_event WHERE tenant_id = $1`,
      [tenantId],
    );
    expect(told.map(({ sums }) => sums)).toEqual([expect.objectContaining(rows[0])]);
  });
});
