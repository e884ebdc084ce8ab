import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { booksReader } from '../../../src/money/books/increment.js';
import { proveBooks } from '../../../src/money/integrity/prove.js';
import { bringForward } from '../../../src/records/brought-forward.js';
import { plantCleanBooks } from '../integrity/books.js';
import { type Books, type Customer, openBooks } from '../ledger/books.js';

const REQUESTS = 2_000;
const WAIT = { timeout: 20_000 };
const MARKS = ['books_monitor', 'integrity_ledger', 'integrity_usage'];

let books: Books;
let customer: Customer;

beforeAll(async () => {
  books = await openBooks();
  customer = await books.customer(10n ** 12n);
});
afterAll(() => books.close());

/** Requests with their holds, and nobody on the server who holds a transaction from before. */
async function plant(from: Date): Promise<void> {
  await plantCleanBooks(books.pool, customer, { requests: REQUESTS, from, stepMs: 100 });
  await books.pool.query(
    `INSERT INTO hold (account_id, request_id, tenant_id, amount_micro, state, charged_micro,
       node_id, epoch)
     SELECT h.account_id, h.request_id, h.tenant_id, h.amount_micro,
       CASE e.type WHEN 'release' THEN 'released' ELSE 'delivered' END,
       CASE e.type WHEN 'finalize' THEN e.amount_micro END, 'books', 1
     FROM ledger_entry h JOIN ledger_entry e USING (account_id, request_id)
     WHERE h.type = 'hold' AND e.type <> 'hold' ON CONFLICT DO NOTHING`,
  );
  const open = async () => {
    const { rows } = await books.pool.query<{ readonly open: boolean }>(
      `SELECT EXISTS (SELECT FROM usage_event
         WHERE txid >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint) AS open`,
    );
    return rows[0]?.open;
  };
  await expect.poll(open, WAIT).toBe(false);
}

/** A pool that notes the plans of the statements which take a batch at once. */
function explained(plans: unknown[]): pg.Pool {
  type Ask = (...words: unknown[]) => Promise<pg.QueryResult>;
  const connect = async () => {
    const client = await books.pool.connect();
    const query = client.query.bind(client) as Ask;
    const noting = async (...words: unknown[]) => {
      const [config] = words as [{ readonly text?: string; readonly values?: unknown[] }];
      if (/^\s*WITH (seen|line|batch) AS/.test(config.text ?? '')) {
        await query('SAVEPOINT noted');
        const text = `EXPLAIN (ANALYZE, FORMAT JSON) ${config.text}`;
        plans.push((await query(text, config.values)).rows[0]?.['QUERY PLAN']);
        await query('ROLLBACK TO noted');
      }
      return query(...words);
    };
    return Object.assign(Object.create(client), {
      query: noting,
      release: (broken?: boolean) => client.release(broken),
    });
  };
  return { connect } as unknown as pg.Pool;
}

/** The most rows that a step of a plan has had in its hands. */
function mostRows(plan: unknown): number {
  if (typeof plan !== 'object' || plan === null) return 0;
  const node = plan as Record<string, unknown>;
  const loops = Number(node['Actual Loops'] ?? 0);
  const counted = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Join Filter'];
  const rows = counted.reduce((sum, name) => sum + Number(node[name] ?? 0) * loops, 0);
  return Math.max(rows, ...Object.values(plan).map(mostRows));
}

describe('a batch of the books costs by its rows and never by their square', () => {
  it.each([
    ['on tables that were empty when they were counted', '2026-03-01T00:00:00Z'],
    ['behind what was last counted of tables that have grown', '2026-04-01T00:00:00Z'],
  ])('%s', async (_name, from) => {
    await books.pool.query('ANALYZE');
    await plant(new Date(from));
    const plans: unknown[] = [];
    const pool = explained(plans);
    const reader = booksReader(() => {});
    await expect.poll(() => bringForward(pool, reader, 10_000), WAIT).toBe('at_the_end');
    await proveBooks({ platformPool: pool });
    expect(plans.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...plans.map(mostRows))).toBeLessThanOrEqual(4 * 2 * REQUESTS);
    const { rows } = await books.pool.query(
      `SELECT name FROM reader_mark WHERE name = ANY ($1) AND seq >= $2 ORDER BY name`,
      [MARKS, REQUESTS],
    );
    expect(rows.map(({ name }) => name)).toEqual(MARKS);
  });
});
