import { tmpdir } from 'node:os';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SumsQuestion, usageSums } from '../../../src/finops/reports/read.js';
import { UsageRollup } from '../../../src/finops/reports/rollup.js';
import { quantileOf } from '../../../src/finops/reports/sketch.rules.js';
import type { Dimension } from '../../../src/finops/reports/vocabulary.js';
import { newId } from '../../../src/kernel/ids.js';
import { connectDatabase, type Database } from '../../../src/platform/database/pool.js';
import { createLog } from '../../../src/platform/log.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { type OwnerDatabase, openAsOwner } from '../../support/owner.js';
import { flat, sumsFrom } from './sums-of-rows.js';
import { type PlantedRow, plantRefunds, plantUsage } from './usage-rows.js';

let database: TestDatabase;
let working: Database;
let owner: OwnerDatabase;
let rollup: UsageRollup;
let tenantId: string;
let otherId: string;

beforeAll(async () => {
  database = await freshDatabase();
  const { databaseUrl } = database;
  working = await connectDatabase({ databaseUrl, dataDir: tmpdir(), secret: 's'.repeat(32) });
  owner = openAsOwner(database.connection);
  rollup = new UsageRollup({ platformPool: working.platformPool, log: createLog('silent') });
});

afterAll(async () => {
  await owner.close();
  await working.stop();
  await database.drop();
});

beforeEach(() => {
  tenantId = newId('Tenant');
  otherId = newId('Tenant');
});

const FROM = new Date('2026-02-10T05:17:03.123Z');
const TO = new Date('2026-05-03T20:41:59.000Z');

/** Rows of a small world of dimensions, all over the window and a little beyond. */
const row = (tenant: () => string) =>
  fc
    .record({
      createdAt: fc.date({
        min: new Date(FROM.getTime() - 90_000_000),
        max: new Date(TO.getTime() + 90_000_000),
        noInvalidDate: true,
      }),
      feature: fc.constantFrom('search', 'reply', null),
      clientId: fc.constantFrom('acme', 'bolt', 'cyan', null),
      model: fc.constantFrom('large', 'small'),
      environment: fc.constantFrom('prod', null),
      simulated: fc.boolean(),
      inputUncached: fc.nat(5_000),
      outputText: fc.nat(2_000),
      latencyMs: fc.nat(20_000),
      amountMicro: fc.bigInt({ min: 0n, max: 10n ** 9n }),
      status: fc.constantFrom('complete' as const, 'partial' as const),
      metadata: fc.constantFrom({}, { gw_prompt: { prompt_key: 'a', version: 3 } }),
    })
    .map((each): PlantedRow => ({ ...each, tenantId: tenant() }));

function questionOf(more: Partial<SumsQuestion>): SumsQuestion {
  return {
    tenantId,
    windows: [{ from: FROM, to: TO }],
    groupBy: [],
    period: null,
    timeZone: 'Europe/Moscow',
    narrowings: [],
    sketches: [],
    orderBy: 'amount_micro',
    top: 1_000,
    ...more,
  };
}

const sumsOfRows = (question: SumsQuestion) => sumsFrom(owner.pool, question);

const QUESTIONS: readonly (readonly [string, Partial<SumsQuestion>])[] = [
  ['nothing', {}],
  ['feature', { groupBy: ['feature'] }],
  ['months', { period: 'month' }],
  ['weeks by client', { period: 'week', groupBy: ['client'] }],
  [
    'days by feature and client, which is a pair',
    { period: 'day', groupBy: ['feature', 'client'] },
  ],
  ['hours by model', { period: 'hour', groupBy: ['model'] }],
  ['days of another zone of whole hours', { period: 'day', timeZone: 'Asia/Vladivostok' }],
  ['days of a zone of half hours', { period: 'day', timeZone: 'Asia/Kolkata' }],
  ['dimensions that no sums are kept by', { groupBy: ['environment', 'client', 'model'] }],
  ['versions of prompts', { groupBy: ['prompt_version', 'simulated'] }],
];

/** Whoever else has a transaction open on the server holds the mark back meanwhile. */
async function bringAllForward(): Promise<void> {
  const behind = async () => {
    await rollup.bringForward();
    const { rows } = await owner.pool.query<{ behind: number }>(
      `SELECT count(*)::int AS behind FROM usage_event e
       WHERE NOT EXISTS (SELECT FROM reader_mark m
         WHERE m.name = 'usage_rollup' AND (m.txid, m.seq) >= (e.txid, e.seq))`,
    );
    const { rows: refunds } = await owner.pool.query<{ behind: number }>(
      `SELECT count(*)::int AS behind FROM ledger_refund e
       WHERE NOT EXISTS (SELECT FROM reader_mark m
         WHERE m.name = 'refund_rollup' AND (m.txid, m.seq) >= (e.txid, e.seq))`,
    );
    return (rows[0]?.behind ?? 0) + (refunds[0]?.behind ?? 0);
  };
  await expect.poll(behind, { timeout: 20_000 }).toBe(0);
}

describe('sums of usage agree with the rows to the micro-ruble', () => {
  it.each(QUESTIONS)('by %s, wherever the mark stands', async (_name, more) => {
    const rows = fc.sample(
      row(() => tenantId),
      { numRuns: 300, seed: 1 },
    );
    const others = fc.sample(
      row(() => otherId),
      { numRuns: 30, seed: 2 },
    );
    const question = questionOf(more);
    await plantUsage(owner.pool, [...rows.slice(0, 150), ...others]);
    await plantRefunds(owner.pool, tenantId, 7);
    await plantRefunds(owner.pool, otherId, 3);
    const allInTail = flat(await usageSums(working, question));
    expect(allInTail).toEqual(await sumsOfRows(question));
    await rollup.bringForward();
    expect(flat(await usageSums(working, question))).toEqual(allInTail);
    await plantUsage(owner.pool, rows.slice(150));
    const both = flat(await usageSums(working, question));
    expect(both).toEqual(await sumsOfRows(question));
    await rollup.bringForward();
    expect(flat(await usageSums(working, question))).toEqual(both);
  });

  it.each(QUESTIONS)(
    'by %s, of closed times and with rows that come late into them',
    async (_name, more) => {
      const rows = fc.sample(
        row(() => tenantId),
        { numRuns: 300, seed: 3 },
      );
      const [late, punctual] = [rows.slice(0, 60), rows.slice(60)];
      punctual.sort((a, b) => Number(a.createdAt) - Number(b.createdAt));
      const question = questionOf(more);
      for (let from = 0; from < punctual.length; from += 40) {
        await plantUsage(owner.pool, punctual.slice(from, from + 40));
        await bringAllForward();
      }
      expect(flat(await usageSums(working, question))).toEqual(await sumsOfRows(question));
      expect(await monthsClosed()).toBe(2);
      await plantUsage(owner.pool, late);
      await plantRefunds(owner.pool, tenantId, 5);
      const both = flat(await usageSums(working, question));
      expect(both).toEqual(await sumsOfRows(question));
      await bringAllForward();
      expect(flat(await usageSums(working, question))).toEqual(both);
      expect(await sketched('month')).toEqual(await sketched('hour'));
      expect(await keptRefunds('month')).toEqual(await keptRefunds('hour'));
      expect(await keptRefunds('month')).not.toEqual([]);
      expect(await keptRefunds('week')).not.toEqual([]);
    },
  );

  it('with a transaction that took its place early and commits late', async () => {
    const question = questionOf({ groupBy: ['feature'] as Dimension[] });
    const at = new Date('2026-03-05T12:00:00Z');
    const early = { tenantId, feature: 'early', amountMicro: 5n, createdAt: at };
    const late = new pg.Client(database.connection);
    await late.connect();
    try {
      await late.query('BEGIN');
      await plantUsage(late, [{ tenantId, feature: 'late', amountMicro: 7n, createdAt: at }]);
      await plantUsage(owner.pool, [early]);
      await rollup.bringForward();
      expect(await amounts(question)).toEqual({ early: 5n });
      await late.query('COMMIT');
      expect(await amounts(question)).toEqual({ early: 5n, late: 7n });
      // Whoever else has a transaction open on the server holds the mark back meanwhile.
      const broughtForward = async () => {
        await rollup.bringForward();
        return keptAmount();
      };
      await expect.poll(broughtForward, { timeout: 20_000 }).toBe(12n);
      expect(await amounts(question)).toEqual({ early: 5n, late: 7n });
    } finally {
      await late.end();
    }
  });
});

async function amounts(question: SumsQuestion): Promise<Record<string, bigint>> {
  const rows = await usageSums(working, question);
  return Object.fromEntries(rows.map(({ group, sums }) => [`${group.feature}`, sums.amount_micro]));
}

/** What stands in the kept sums. */
async function keptAmount(): Promise<bigint> {
  const { rows } = await owner.pool.query(
    `SELECT sum(amount_micro)::bigint AS amount FROM usage_rollup
     WHERE tenant_id = $1 AND cube = 'total' AND grain = 'hour'`,
    [tenantId],
  );
  return rows[0].amount ?? 0n;
}

/** How many months stand as cells. */
async function monthsClosed(): Promise<number> {
  const { rows } = await owner.pool.query(
    `SELECT count(DISTINCT starts_at)::int AS months FROM usage_rollup
     WHERE tenant_id = $1 AND cube = 'feature_client' AND grain = 'month'`,
    [tenantId],
  );
  return rows[0].months;
}

/** What the cells of a grain tell of refunds in the time that stands as cells of it. */
async function keptRefunds(grain: string): Promise<unknown[]> {
  const { rows } = await owner.pool.query(
    `SELECT date_trunc('month', starts_at, 'Europe/Moscow') AS month, feature,
       sum(amount_micro)::bigint AS amount
     FROM usage_rollup WHERE tenant_id = $1 AND cube = 'refunds_feature' AND grain = $2
       AND starts_at < (SELECT date_trunc('month', until, 'Europe/Moscow')
         FROM usage_rollup_closed WHERE tenant_id = $1)
     GROUP BY 1, 2 ORDER BY 1, 2`,
    [tenantId, grain],
  );
  return rows;
}

/** How many latencies the cells of a grain hold for the months that stand as cells. */
async function sketched(grain: string): Promise<unknown[]> {
  const { rows } = await owner.pool.query(
    `SELECT date_trunc('month', starts_at, 'Europe/Moscow') AS month,
       sum(latency_sketch)::text AS latencies
     FROM usage_rollup WHERE tenant_id = $1 AND cube = 'feature' AND grain = $2
       AND starts_at < (SELECT date_trunc('month', until, 'Europe/Moscow')
         FROM usage_rollup_closed WHERE tenant_id = $1)
     GROUP BY 1 ORDER BY 1`,
    [tenantId, grain],
  );
  return rows;
}

describe('refunds', () => {
  it('count once, also where they are summed before any usage of their organization', async () => {
    // No row of this organization is there yet.
    await owner.pool.query(
      `INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id, contra,
         amount_micro, posted_delta, held_delta, posted_after, held_after, vat_rate_basis_points,
         vat_micro, created_at)
       SELECT $1, n, $1, 'refund', gen_random_uuid(), 'refunds', n, n, 0, 0, 0, 2200, 0,
         at::timestamptz
       FROM (VALUES (1, '2026-02-20 10:00Z'), (20, '2026-03-01 10:00Z')) AS made (n, at)`,
      [tenantId],
    );
    await bringAllForward();
    const question = questionOf({});
    const refunded = async () => (await usageSums(working, question))[0]?.sums.refunded_micro;
    expect(await refunded()).toBe(21n);
    for (const text of ['2026-03-10T10:00:00Z', '2026-04-02T10:00:00Z', '2026-05-01T10:00:00Z']) {
      await plantUsage(owner.pool, [{ tenantId, createdAt: new Date(text), amountMicro: 900n }]);
      await bringAllForward();
      expect(await refunded()).toBe(21n);
    }
  });
});

describe('the groups of sums', () => {
  it('are the largest first, and all beyond the top are one', async () => {
    const createdAt = new Date('2026-03-05T12:00:00Z');
    const each = (clientId: string | null, amountMicro: bigint) => ({
      tenantId,
      clientId,
      amountMicro,
      createdAt,
    });
    await plantUsage(owner.pool, [each('a', 1n), each('b', 5n), each('c', 3n), each(null, 4n)]);
    const rows = await usageSums(working, questionOf({ groupBy: ['client'], top: 2 }));
    expect(rows.map(({ place, group, sums }) => [place, group.client, sums.amount_micro])).toEqual([
      [1, 'b', 5n],
      [2, null, 4n],
      [3, null, 4n],
    ]);
  });

  it('are narrowed by values of dimensions, none among them', async () => {
    const createdAt = new Date('2026-03-05T12:00:00Z');
    const rows = ['x', 'y', null].map((feature) => ({ tenantId, feature, createdAt }));
    await plantUsage(owner.pool, rows);
    const question = questionOf({
      groupBy: ['feature'],
      narrowings: [{ dimension: 'feature', values: ['x', null] }],
    });
    const found = await usageSums(working, question);
    expect(found.map(({ group }) => group.feature)).toEqual(['x', null]);
  });
});

describe('percentiles', () => {
  it('come from cells and rows within the stated relative error', async () => {
    const latencies = Array.from({ length: 500 }, (_each, index) => (index * 7_919) % 30_011);
    const at = (index: number) => new Date(FROM.getTime() + index * 13_000_000);
    const rows = latencies.map((latencyMs, index) => ({
      tenantId,
      latencyMs,
      createdAt: at(index),
    }));
    await plantUsage(owner.pool, rows.slice(0, 250));
    await rollup.bringForward();
    await plantUsage(owner.pool, rows.slice(250));
    const found = await usageSums(working, questionOf({ sketches: ['latency_sketch'] }));
    const exact = latencies.filter((_each, index) => at(index) < TO).sort((a, b) => a - b);
    const histogram = found[0]?.sketches.latency_sketch ?? new Map();
    for (const share of [0, 0.5, 0.95, 0.99, 1]) {
      const value = exact[Math.max(1, Math.ceil(share * exact.length)) - 1] ?? 0;
      const error = Math.abs((quantileOf(histogram, share) ?? 0) - value);
      expect(error).toBeLessThanOrEqual(value * 0.02);
    }
  });
});
