import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  LEDGER_STAYS,
  type RetentionQuestion,
  retain,
} from '../../../src/app/retention/retention.js';
import { usageSums } from '../../../src/finops/reports/read.js';
import { UsageRollup } from '../../../src/finops/reports/rollup.js';
import { newId } from '../../../src/kernel/ids.js';
import { booksPage, LEDGER, USAGE } from '../../../src/money/billing/lists.js';
import { checkFully } from '../../../src/money/books/full.js';
import { USAGE_FEED } from '../../../src/money/feeds/sources.js';
import type { Database } from '../../../src/platform/database/pool.js';
import { tenantQuery } from '../../../src/platform/database/tenant-query.js';
import { readFeed } from '../../../src/records/feed.js';
import { requireUsageSince } from '../../../src/records/kept-detail.js';
import { requireReadable } from '../../../src/records/months.js';
import { plantUsage } from '../../finops/reports/usage-rows.js';
import { type Books, type Customer, silent } from '../../money/ledger/books.js';
import { charge, idAt, type MonthsWorld, openMonths, readAll } from './world.js';

let world: MonthsWorld;
let books: Books;
let working: Database;
let owner: pg.Client;
let folder: string;
let own: Customer;
let other: Customer;
let ends: readonly Date[];
let second = '';

beforeAll(async () => {
  world = await openMonths();
  ({ books, working, owner, own, other, ends, second } = world);
  folder = mkdtempSync(join(tmpdir(), 'gw-retention-'));
});

afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

const asked = (changes: Partial<RetentionQuestion> = {}): RetentionQuestion => ({
  before: second,
  tables: ['usage', 'events'],
  apply: false,
  monthsKept: { usage: 13, events: 3 },
  withoutClose: true,
  thisMonth: '2999-01',
  ...changes,
});

async function ask(changes: Partial<RetentionQuestion> = {}) {
  const lines: string[] = [];
  const isWhole = await retain(owner, asked(changes), (line) => lines.push(line));
  return { isWhole, lines };
}

/** What people and monitors read of the money of both organizations. */
async function figures() {
  const year = {
    from: new Date('2026-01-01T00:00:00+03:00'),
    to: new Date('2036-01-01T00:00:00+03:00'),
  };
  const sums = [];
  for (const { tenantId } of [own, other]) {
    const question = {
      ...{
        tenantId,
        windows: [year],
        groupBy: ['model', 'feature'] as const,
        period: 'month' as const,
      },
      ...{
        timeZone: 'Europe/Moscow',
        narrowings: [],
        sketches: [],
        orderBy: 'requests' as const,
        top: 9,
      },
    };
    sums.push(await usageSums(working, question));
  }
  const { rows: balances } = await owner.query(
    'SELECT id, posted_micro, held_micro, version FROM account ORDER BY id',
  );
  return { sums, balances };
}

const countOf = async (whose: Customer, sql: string) =>
  (
    await tenantQuery<{ found: bigint }>(working.pool, whose.tenantId, {
      text: `SELECT count(*) AS found FROM ${sql}`,
      values: [],
    })
  ).rows[0]?.found;

describe('retention', () => {
  let feedStart = '';
  let late = '';
  let kept: string[] = [];

  it('says what stands against each month, and changes nothing by itself', async () => {
    const [december, january] = ends as [Date, Date];
    for (const whose of [own, other]) {
      // The first of all shows that the organization has begun, and stays.
      const first = await charge(world, whose, new Date());
      const ids = [await charge(world, whose, new Date()), await charge(world, whose, december)];
      ids.push(await charge(world, whose, january));
      if (whose === own) kept = [first, ...ids.slice(1)];
    }
    const open = idAt(new Date());
    const hold = { kind: 'hold', account: own.accountId, request: open, amount: '500' };
    const apply = (operation: unknown) =>
      books.pool.query(`SELECT ledger_apply('months', 1, $1)`, [JSON.stringify([operation])]);
    await apply(hold);
    const { isWhole, lines } = await ask({ thisMonth: second, withoutClose: false });
    expect(isWhole).toBe(false);
    expect(lines.map((line) => line.replace(/, \d+\.\d MiB$/, ''))).toEqual([
      `usage: usage_event_first (before ${second}-01), 4 rows`,
      '  stays: is within the 13 months that usage is kept for',
      '  stays: not yet read to its end by integrity_usage, spend_watch, usage_rollup',
      '  stays: lines of its requests are not yet read by books_monitor, integrity_ledger',
      '  stays: 1 of its holds are open or not delivered',
      '  stays: 2 months of organizations are not closed (--without-close passes this)',
      `events: feed_event_first (before ${second}-01), 0 rows`,
      '  stays: is within the 3 months that events is kept for',
    ]);
    await apply({ kind: 'release', account: own.accountId, request: open });
    expect(await countOf(own, 'usage_event')).toBe(4n);
  });

  it('refuses the ledger with the reason, and words that are none', async () => {
    expect(await ask({ tables: ['ledger'] })).toEqual({ isWhole: false, lines: [LEDGER_STAYS] });
    await expect(ask({ tables: ['hold'] })).rejects.toThrow('no such table: hold');
    await expect(ask({ before: '2026-13' })).rejects.toThrow('no month');
    await expect(ask({ apply: true })).rejects.toThrow('--export');
  });

  it('drops what was exported, and leaves every figure as it was', async () => {
    // Asked for while the month was, charged after it.
    late = idAt(new Date());
    const createdAt = new Date((ends[0]?.getTime() ?? 0) + 60_000);
    await plantUsage(books.pool, [
      { tenantId: own.tenantId, id: late, createdAt, status: 'failed' },
    ]);
    kept.push(await charge(world, own, ends[0] as Date));
    await readAll(world);
    // The ledger has never heard of it, which is not what is asked here.
    await books.pool.query('DELETE FROM integrity_finding WHERE request_id = $1', [late]);
    const read = await readFeed(working.pool, USAGE_FEED, { tenantId: own.tenantId, limit: 2 });
    feedStart = read.at(-1)?.cursor ?? '';
    const before = await figures();
    expect((await ask()).lines).toContain('  can go');
    const { rows: was } = await owner.query<{ line: string }>(
      'SELECT row_to_json(u)::text AS line FROM gw_months.usage_event_first u ORDER BY txid, seq',
    );
    const { isWhole, lines } = await ask({ apply: true, folder });
    expect(lines.filter((line) => line.includes('stays'))).toEqual([]);
    expect([isWhole, lines.filter((line) => line === '  dropped')]).toEqual([
      true,
      ['  dropped', '  dropped'],
    ]);
    const file = join(folder, `usage_event_first_until_${second}-01.ndjson.gz`);
    const bytes = readFileSync(file);
    expect(gunzipSync(bytes).toString()).toBe(was.map(({ line }) => `${line}\n`).join(''));
    expect(JSON.parse(readFileSync(`${file}.manifest.json`, 'utf8'))).toMatchObject({
      table: 'usage_event',
      until_month: `${second}-01`,
      rows: 5,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(readdirSync(folder)).toHaveLength(4);
    expect(await figures()).toEqual(before);
    const { rows: left } = await owner.query<{ id: string }>(
      'SELECT id FROM usage_event WHERE tenant_id = $1 ORDER BY created_at, id',
      [own.tenantId],
    );
    expect(left.map(({ id }) => id)).toEqual([...kept, late]);
  });

  it('keeps the books whole, and holds against them what was dropped', async () => {
    const { platformPool } = working;
    await readAll(world);
    const found = () => checkFully(platformPool);
    expect(await found()).toEqual([]);
    await books.pool.query('ALTER TABLE dropped_rows DISABLE TRIGGER append_only_row');
    const shift = (by: number) =>
      books.pool.query(
        'UPDATE dropped_rows SET amount_micro = amount_micro + $2 WHERE tenant_id = $1',
        [own.tenantId, by],
      );
    await shift(1);
    expect(await found()).toMatchObject([
      { tenantId: own.tenantId, invariant: 'I8_charges_are_usage', subject: own.tenantId },
    ]);
    await shift(-1);
    expect(await found()).toEqual([]);
  });

  it('is told to whoever asks for what is gone', async () => {
    const [begin] = ends as [Date];
    const { pool } = working;
    const early = new Date(begin.getTime() - 1);
    await expect(requireUsageSince(pool, early)).rejects.toMatchObject({ code: 'detail_dropped' });
    await requireUsageSince(pool, begin);
    const window = { from: new Date('2026-10-31T21:30:30Z'), to: begin };
    const question = {
      ...{ tenantId: own.tenantId, windows: [window], groupBy: ['model'] as const, period: null },
      ...{
        timeZone: 'Europe/Moscow',
        narrowings: [],
        sketches: [],
        orderBy: 'requests' as const,
        top: 9,
      },
    };
    await expect(usageSums(working, question)).rejects.toMatchObject({ code: 'detail_dropped' });
  });

  it('is told to whoever lists requests from an earlier time on, and to no other', async () => {
    const ctx = { services: working, who: own } as never;
    const since = (gte: Date, model?: string) => ({
      filter: { createdAt: { gte }, ...(model && { model: { eq: model } }) },
    });
    const [begin] = ends as [Date];
    const early = new Date(begin.getTime() - 1);
    const idsOf = async (list: never, args: object) =>
      (await booksPage<{ id: string }>(ctx, list, args)).edges.map(({ node }) => node.id);
    expect(await idsOf(USAGE as never, {})).toHaveLength(5);
    expect(await idsOf(USAGE as never, since(begin))).toEqual([late]);
    expect(await idsOf(LEDGER as never, since(early))).toEqual([]);
    for (const [list, args] of [
      [USAGE, since(early)] as const,
      [LEDGER, since(early, 'm')] as const,
    ]) {
      await expect(idsOf(list as never, args)).rejects.toMatchObject({ code: 'detail_dropped' });
    }
  });

  it('is told to a reader of a feed that has missed some, and to no other', async () => {
    const { pool } = working;
    const { tenantId } = own;
    const left = (await readFeed(pool, USAGE_FEED, { tenantId })).map(({ event }) => event.id);
    expect(left.toSorted()).toEqual([...kept, late].toSorted());
    // Whoever has seen the last row that is gone goes on from there.
    const after = await readFeed(pool, USAGE_FEED, { tenantId, after: feedStart });
    expect(after.map(({ event }) => event.id).toSorted()).toEqual(
      [...kept.slice(1), late].toSorted(),
    );
    const zero = Buffer.alloc(16).toString('base64url');
    await expect(readFeed(pool, USAGE_FEED, { tenantId, after: zero })).rejects.toMatchObject({
      code: 'cursor_too_old',
    });
    await expect(
      readFeed(pool, USAGE_FEED, { tenantId: newId('Tenant'), after: zero }),
    ).resolves.toEqual([]);
  });

  it('shows an organization nothing of another, in months and in what is remembered', async () => {
    expect(await countOf(own, 'dropped_rows')).toBe(1n);
    expect(await countOf(own, `dropped_rows WHERE tenant_id = '${other.tenantId}'`)).toBe(0n);
    expect(await countOf(own, `usage_event WHERE tenant_id = '${other.tenantId}'`)).toBe(0n);
    expect(await countOf(own, 'usage_event')).toBe(5n);
    const { rows } = await working.pool.query('SELECT count(*) AS found FROM usage_event');
    expect(rows).toEqual([{ found: 0n }]);
  });

  it('forgets no sum that cannot be made anew, and a start says what helps', async () => {
    const { platformPool } = working;
    await requireReadable(platformPool);
    const rollup = new UsageRollup({ platformPool, log: silent });
    const before = await figures();
    const { rows } = await owner.query<{ txid: string }>(
      `SELECT txid::text FROM reader_mark WHERE name = 'usage_rollup'`,
    );
    const mark = `UPDATE reader_mark SET txid = $1 WHERE name = 'usage_rollup'`;
    await books.pool.query(mark, ['9000000000000000000']);
    await expect(requireReadable(platformPool)).rejects.toThrow('pg_resetwal');
    await expect(rollup.bringForward()).rejects.toThrow('pg_resetwal');
    await books.pool.query(mark, [rows[0]?.txid]);
    await requireReadable(platformPool);
    expect(await figures()).toEqual(before);
  });
});
