import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../../src/graph/ctx.js';
import { newId } from '../../../src/kernel/ids.js';
import { proveBooks } from '../../../src/money/integrity/prove.js';
import { type Books, type Customer, openBooks, usageOf } from '../ledger/books.js';
import { plant } from './books.js';

let books: Books;
let customer: Customer;

beforeAll(async () => {
  books = await openBooks();
  customer = await books.customer(10_000_000n);
});
afterAll(() => books.close());

const AT = new Date('2026-09-03T10:20:30Z');

const prove = (pool: pg.Pool = books.pool) => proveBooks({ platformPool: pool } as Services);

const PROVEN = `
  SELECT sum(holds) AS holds, sum(charges) AS charges, sum(releases) AS releases,
    sum(charged_micro) AS charged, sum(served) AS served, sum(failed) AS failed,
    sum(used_micro) AS used
  FROM integrity_hour`;
const RAW = `
  SELECT holds, charges, releases, charged, served, failed, used FROM (
    SELECT count(*) FILTER (WHERE type = 'hold') AS holds,
      count(*) FILTER (WHERE type = 'finalize') AS charges,
      count(*) FILTER (WHERE type = 'release') AS releases,
      COALESCE(sum(amount_micro) FILTER (WHERE type = 'finalize'), 0) AS charged
    FROM ledger_entry) l
  CROSS JOIN (
    SELECT count(*) FILTER (WHERE status <> 'failed') AS served,
      count(*) FILTER (WHERE status = 'failed') AS failed,
      COALESCE(sum(amount_micro), 0) AS used
    FROM usage_event) u`;

async function figuresOf(sql: string): Promise<Record<string, string>> {
  const { rows } = await books.pool.query<Record<string, unknown>>(sql);
  const entries = Object.entries(rows[0] ?? {}).map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Transactions of other tests on the same server hold the proof back for a moment. */
async function proveAll(): Promise<void> {
  const raw = await figuresOf(RAW);
  await expect
    .poll(
      async () => {
        await prove();
        return figuresOf(PROVEN);
      },
      { timeout: 20_000 },
    )
    .toEqual(raw);
}

async function findings(): Promise<readonly { request: string; faults: string[] }[]> {
  const { rows } = await books.pool.query(
    'SELECT request_id AS request, faults FROM integrity_finding ORDER BY request_id',
  );
  return rows;
}

/** Requests of which every fifth is released; the usage of each costs 80 micro-rubles. */
async function serve(count: number): Promise<void> {
  const ledger = await books.ledger('node-a');
  const { tenantId, accountId, keyId } = customer;
  const one = async (n: number) => {
    const ref = { accountId, requestId: newId('Request') };
    const asked = { ...ref, tenantId, amountMicro: 100n, keyId, budgetIds: [] };
    expect(await ledger.hold(asked)).toMatchObject({ status: 'ok' });
    const usage = usageOf(customer);
    if (n % 5 === 0) await ledger.release(ref);
    else await ledger.settle({ ...ref, amountMicro: 80n, usage, delivered: true });
  };
  await Promise.all(Array.from({ length: count }, (_, n) => one(n)));
}

describe('the proof', () => {
  it('counts each row once while nodes prove side by side and requests are served', async () => {
    const proving = Promise.all(
      [1, 2, 3].map(async () => {
        for (let turn = 0; turn < 20; turn += 1) await prove();
      }),
    );
    await serve(60);
    await proving;
    await proveAll();
    expect(await findings()).toEqual([]);
    expect(await figuresOf(PROVEN)).toMatchObject({ holds: '60', charges: '48', charged: '3840' });
  });

  it('waits for a transaction that is open, and misses nothing that commits late', async () => {
    await proveAll();
    const before = await figuresOf(PROVEN);
    const late = await books.pool.connect();
    await late.query('BEGIN');
    const slow = { query: late.query.bind(late) } as unknown as pg.Pool;
    const lateId = await plant(slow, customer, AT, { hold: {}, finalize: {} });
    const earlyId = await plant(books.pool, customer, AT, { usage: {} });
    await prove();
    expect(await figuresOf(PROVEN)).toEqual(before);
    await late.query('COMMIT');
    late.release();
    await proveAll();
    expect(await findings()).toEqual(
      [
        { request: lateId, faults: ['orphan_charge'] },
        { request: earlyId, faults: ['orphan_usage'] },
      ].sort((a, b) => (a.request < b.request ? -1 : 1)),
    );
  });

  it('forgets what a later row of the other trace makes whole', async () => {
    const requestId = await plant(books.pool, customer, AT, { hold: {} });
    await proveAll();
    expect(await findings()).toContainEqual({ request: requestId, faults: [] });
    const ends = { finalize: { request_id: requestId }, usage: { id: requestId } };
    await plant(books.pool, customer, AT, ends);
    await proveAll();
    expect((await findings()).map(({ request }) => request)).not.toContain(requestId);
  });

  it('goes on after a crash in the middle of a batch, and counts nothing of it twice', async () => {
    await proveAll();
    const requestId = await plant(books.pool, customer, AT, { hold: {}, finalize: {} });
    const dying = {
      connect: async () => {
        const client = await books.pool.connect();
        const query = client.query.bind(client) as (...words: unknown[]) => unknown;
        const failing = (...words: unknown[]) => {
          const [first] = words;
          const text = typeof first === 'string' ? first : (first as { text: string }).text;
          if (text.startsWith('UPDATE reader_mark')) throw new Error('the process dies');
          return query(...words);
        };
        return Object.assign(Object.create(client), { query: failing });
      },
    } as unknown as pg.Pool;
    const before = await figuresOf(PROVEN);
    await expect
      .poll(() => prove(dying).then(String, (error: Error) => error.message), { timeout: 20_000 })
      .toBe('the process dies');
    expect(await figuresOf(PROVEN)).toEqual(before);
    await proveAll();
    expect(await findings()).toContainEqual({ request: requestId, faults: ['orphan_charge'] });
  });

  it('holds up no reader of feeds while it compares: it has no transaction id yet', async () => {
    await plant(books.pool, customer, AT, { hold: {} });
    let idAtWork: unknown = 'no work was done';
    const watched = {
      connect: async () => {
        const client = await books.pool.connect();
        type Ask = (...words: unknown[]) => Promise<pg.QueryResult>;
        const query = client.query.bind(client) as Ask;
        const asking = async (...words: unknown[]) => {
          const [first] = words;
          const text = typeof first === 'string' ? first : (first as { text: string }).text;
          if (text.startsWith('SET LOCAL')) {
            const { rows } = await query('SELECT pg_current_xact_id_if_assigned() AS id');
            idAtWork = rows[0]?.id;
          }
          return query(...words);
        };
        return Object.assign(Object.create(client), { query: asking });
      },
    } as unknown as pg.Pool;
    const atWork = () => prove(watched).then(() => idAtWork);
    await expect.poll(atWork, { timeout: 20_000 }).toBe(null);
    await proveAll();
  });

  it('is made anew where the database was restored into another server', async () => {
    await proveAll();
    const found = await findings();
    await books.pool.query('UPDATE reader_mark SET txid = 9000000000000000');
    await proveAll();
    expect(await findings()).toEqual(found);
  });
});
