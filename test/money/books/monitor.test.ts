import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { checkFully } from '../../../src/money/books/full.js';
import { BooksMonitor } from '../../../src/money/books/monitor.js';
import { booksState } from '../../../src/money/books/state.rules.js';
import { encodeSettle } from '../../../src/money/ledger/encode.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { createPool } from '../../../src/platform/database/pool.js';
import { Metrics } from '../../../src/platform/metrics.js';
import { type Books, type Customer, openBooks, usageOf } from '../ledger/books.js';

const PATIENCE = { timeout: 60_000 };
const TIMES = { firstMs: 3_600_000, everyMs: 3_600_000, overdueMs: 1_000 };

let books: Books;
let customer: Customer;
let other: Customer;
let budgetId: string;
let told: Record<string, unknown>[] = [];
const log = pino({ level: 'error' }, { write: (line: string) => told.push(JSON.parse(line)) });

beforeAll(async () => {
  books = await openBooks();
  customer = await books.customer(100_000n);
  other = await books.customer(100_000n);
  budgetId = await books.budget(customer, 50_000n);
  await books.pool.query(`SELECT ledger_take_over('books', $1)`, [newId('Session')]);
});
afterEach(async () => {
  told = [];
  await books.pool.query('DELETE FROM books_finding');
});
afterAll(() => books.close());

/** What a request of the ledger leaves behind: a hold and its charge. @returns its id */
async function charge(whose: Customer, amountMicro = 80n): Promise<string> {
  const requestId = newId('Request');
  const { accountId } = whose;
  const budgets = whose === customer ? [budgetId] : [];
  const hold = JSON.stringify({
    ...{ kind: 'hold', account: accountId, request: requestId, amount: '500', budgets },
  });
  const settle = encodeSettle({ accountId, requestId, amountMicro, usage: usageOf(whose) }).text;
  for (const operation of [hold, settle]) {
    await books.pool.query(`SELECT status FROM ledger_apply('books', 1, $1)`, [`[${operation}]`]);
  }
  return requestId;
}

const monitorOn = (pool: pg.Pool, nowMs?: () => number) =>
  new BooksMonitor({ platformPool: pool, log }, TIMES, nowMs);

/** Transactions of all databases hold a reader back, so those of other tests are let by. */
async function passedByAll(): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await books.pool.query<{ kept: boolean }>(
        `SELECT EXISTS (SELECT FROM ledger_entry
           WHERE txid >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint) AS kept`,
      );
      return rows[0]?.kept;
    }, PATIENCE)
    .toBe(false);
}

async function checked(monitor = monitorOn(books.pool)) {
  await passedByAll();
  await monitor.check();
  return monitor;
}

/** What the owner of the database alone could do: it takes away what keeps lines as they are. */
async function tamper(sql: string, values: unknown[] = []): Promise<void> {
  const client = await books.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('ALTER TABLE ledger_entry DISABLE TRIGGER append_only_row');
    const { rowCount } = await client.query(sql, values);
    await client.query('ALTER TABLE ledger_entry ENABLE ALWAYS TRIGGER append_only_row');
    await client.query('COMMIT');
    expect(rowCount, 'rows that were tampered with').toBe(1);
  } finally {
    client.release();
  }
}

/** Puts the one line back that was removed; what was made of the lines is made anew. */
async function putRight(): Promise<void> {
  await tamper(`INSERT INTO ledger_entry SELECT * FROM kept k WHERE NOT EXISTS (
    SELECT FROM ledger_entry e WHERE e.seq = k.seq)`);
  const made = ['account', 'budget', 'finding'].map((name) => `books_${name}`);
  for (const name of ['kept', ...made, 'integrity_finding', 'integrity_hour']) {
    await books.pool.query(`DELETE FROM ${name}`);
  }
  await books.pool.query('UPDATE reader_mark SET txid = 0, seq = 0');
}

async function findings() {
  const { rows } = await books.pool.query<{ invariant: string; subject: string }>(
    'SELECT invariant, subject FROM books_finding ORDER BY 1, 2',
  );
  return rows.map(({ invariant, subject }) => `${invariant} ${subject}`);
}

/** Everything a monitor has said to the log, by its message. */
const messages = () => told.map(({ msg }) => msg);

async function gaugesOf(monitor: BooksMonitor): Promise<Record<string, number>> {
  const metrics = new Metrics();
  monitor.start({ metrics });
  const text = await metrics.text();
  await monitor.stop();
  return Object.fromEntries(
    [...text.matchAll(/^gw_ledger_invariants?_(\w+) (\S+)$/gm)].map(([, name = '', value]) => [
      name,
      Number(value),
    ]),
  );
}

describe('the monitor', () => {
  it('finds nothing in honest books, whatever comes between two looks, and says when', async () => {
    const beganMs = Date.now();
    for (let n = 0; n < 3; n += 1) {
      const requestId = await charge(customer);
      await charge(other);
      await books.pool.query(`SELECT ledger_post($1, $2, 'refund', 20, 'Back', NULL, $3)`, [
        customer.accountId,
        newId('Request'),
        requestId,
      ]);
      const monitor = await checked();
      expect([await findings(), messages()]).toEqual([[], []]);
      const { state, checkedAt } = monitor.standing();
      expect(state).toBe('verified');
      expect(checkedAt?.getTime()).toBeGreaterThanOrEqual(beganMs);
      const { checked_timestamp_seconds: at, ...others } = await gaugesOf(monitor);
      expect(others).toEqual({ violations: 0, unchecked: 0 });
      expect(at).toBe((checkedAt?.getTime() ?? 0) / 1_000);
    }
    expect(await checkFully(books.pool)).toEqual([]);
  });

  it('reads no line behind its mark again: the increment, and totals of the rest', async () => {
    await checked();
    const lines: unknown[] = [];
    const pool = new Proxy(books.pool, {
      get: (target, name) => {
        if (name !== 'connect') return Reflect.get(target, name);
        return async () => {
          const client = await target.connect();
          const query = client.query.bind(client) as (...words: unknown[]) => Promise<unknown>;
          const spied = async (...words: unknown[]) => {
            const [config] = words as [{ readonly text?: string }];
            if (config.text?.includes('books_finding AS f (')) {
              const { values } = config as unknown as { readonly values: unknown[] };
              const { rows } = await target.query<{ account_id: string }>(
                `SELECT account_id, request_id FROM ledger_entry
                 WHERE (txid, seq) > ($1, $2) AND (txid, seq) <= ($3, $4)`,
                values,
              );
              lines.push(...rows);
            }
            return query(...words);
          };
          return Object.assign(Object.create(client), {
            query: spied,
            release: (broken?: boolean) => client.release(broken),
          });
        };
      },
    });
    const request_id = await charge(other);
    await checked(monitorOn(pool));
    const line = { account_id: other.accountId, request_id };
    expect(lines).toEqual([line, line]);
    expect(await findings()).toEqual([]);
  });

  it('names a posting that is missing in the increment, by gap, totals and hold', async () => {
    const requestId = await charge(customer);
    await charge(customer);
    await books.pool.query('CREATE TABLE kept AS SELECT * FROM ledger_entry');
    await tamper(`DELETE FROM ledger_entry WHERE request_id = $1 AND type = 'finalize'`, [
      requestId,
    ]);
    const monitor = await checked();
    expect(await findings()).toEqual(
      [
        `I10_entries_and_holds_agree ${requestId}`,
        `I12_budget_counters_are_sums ${budgetId} 1970-01-01`,
        `I1_posted_is_sum ${customer.accountId}`,
        `I2_held_is_sum_and_open_holds ${customer.accountId}`,
        `I4_versions_without_gap ${customer.accountId}`,
      ].sort(),
    );
    expect(monitor.standing().state).toBe('violated');
    expect(messages()).toContain('an invariant of the books is broken');
    expect(messages()).toContain('the books are not in order');
    // It stays red, also when nothing new has come.
    expect((await checked()).standing().state).toBe('violated');
    expect((await gaugesOf(await checked())).violations).toBeGreaterThanOrEqual(5);
    await putRight();
    expect((await checked()).standing().state).toBe('verified');
    expect(await findings()).toEqual([]);
  });

  it('names an account whose balance was changed without a line', async () => {
    await checked();
    const change = (by: number) =>
      tamper('UPDATE account SET posted_micro = posted_micro + $2 WHERE id = $1', [
        other.accountId,
        by,
      ]);
    await change(5);
    await checked();
    expect(await findings()).toEqual([`I1_posted_is_sum ${other.accountId}`]);
    await change(-5);
    expect((await checked()).standing().state).toBe('verified');
  });
});

describe('the full check', () => {
  it('names a line that was changed after it was verified, until it is put right', async () => {
    const requestId = await charge(customer);
    await checked();
    const change = (by: number) =>
      tamper(
        `UPDATE ledger_entry SET amount_micro = amount_micro + $2, posted_delta = posted_delta - $2
         WHERE request_id = $1 AND type = 'finalize'`,
        [requestId, by],
      );
    await change(7);
    expect((await checked()).standing().state).toBe('verified');
    const found = await checkFully(books.pool);
    expect(found.map(({ invariant, subject }) => `${invariant} ${subject}`).sort()).toEqual(
      [
        `I10_entries_and_holds_agree ${requestId}`,
        `I1_posted_is_sum ${customer.accountId}`,
        `I5_entries_chain ${requestId}`,
        `I8_charges_are_usage ${requestId}`,
        `kept_totals ${customer.accountId}`,
      ].sort(),
    );
    expect(new Set(found.map(({ tenantId }) => tenantId))).toEqual(new Set([customer.tenantId]));
    expect((await checked()).standing().state).toBe('violated');
    await change(-7);
    expect(await checkFully(books.pool)).toEqual([]);
    expect((await checked()).standing().state).toBe('verified');
  });

  it('names what was rewritten so that all invariants hold, by the kept totals', async () => {
    const whose = await books.customer(1_000n);
    await checked();
    const rewrite = async (amount: number) => {
      await tamper(
        `UPDATE ledger_entry SET amount_micro = $2, posted_delta = $2, posted_after = $2
         WHERE account_id = $1`,
        [whose.accountId, amount],
      );
      await tamper('UPDATE account SET posted_micro = $2 WHERE id = $1', [whose.accountId, amount]);
    };
    await rewrite(900);
    expect(await checkInvariants(books.pool)).toEqual([]);
    const found = await checkFully(books.pool);
    expect(found.map(({ invariant, subject }) => `${invariant} ${subject}`)).toEqual([
      `kept_totals ${whose.accountId}`,
    ]);
    await rewrite(1_000);
    expect(await checkFully(books.pool)).toEqual([]);
  });
});

describe('a check that cannot be made is red and never passed over', () => {
  it('when its query fails: a gauge, a line of the log, green after a success', async () => {
    const monitor = await checked();
    await books.pool.query('ALTER TABLE books_account RENAME TO books_account_away');
    try {
      await monitor.check();
    } finally {
      await books.pool.query('ALTER TABLE books_account_away RENAME TO books_account');
    }
    const { state, checkedAt } = monitor.standing();
    expect([state, checkedAt === null]).toEqual(['failing', false]);
    expect(told).toMatchObject([
      { msg: 'the books could not be checked', state: 'failing', err: { code: '42P01' } },
    ]);
    await monitor.check();
    expect(monitor.standing().state).toBe('verified');
    expect(await gaugesOf(monitor)).toMatchObject({ unchecked: 0 });
  });

  it('while the database is away: overdue after the interval, and it recovers', async () => {
    const { connection } = books.database;
    const away = { ...connection, host: '/nonexistent' };
    const pool = createPool({ connection: away, max: 1, applicationName: 'away' });
    let nowMs = Date.now();
    const services = { platformPool: books.pool, log };
    const monitor = new BooksMonitor(services, TIMES, () => nowMs);
    await monitor.check();
    expect(monitor.standing().state).toBe('verified');
    Object.assign(services, { platformPool: pool });
    await monitor.check();
    expect(monitor.standing().state).toBe('failing');
    nowMs += 60_000;
    expect(monitor.standing().state).toBe('overdue');
    expect(messages()).toEqual(['the books could not be checked']);
    Object.assign(services, { platformPool: books.pool });
    nowMs = Date.now();
    await monitor.check();
    expect(monitor.standing().state).toBe('verified');
    await pool.end();
  });

  it('while a transaction that stays open keeps it from the rows behind it', async () => {
    const holding = await books.pool.connect();
    try {
      await holding.query('BEGIN');
      await holding.query('SELECT pg_current_xact_id()');
      await charge(other);
      const late = { ...TIMES, overdueMs: -1 };
      const monitor = new BooksMonitor({ platformPool: books.pool, log }, late);
      await monitor.check();
      expect(monitor.standing().state).toBe('overdue');
      expect(messages()).toEqual(['the books could not be checked']);
    } finally {
      await holding.query('ROLLBACK');
      holding.release();
    }
    expect((await checked()).standing().state).toBe('verified');
  });
});

describe('the state', () => {
  const known = { startedMs: 0, succeededMs: undefined, hasFailed: false, violations: 0 };
  it.each([
    ['pending before the first end', known, 10, 'pending'],
    ['overdue where none has ever ended', known, 1_001, 'overdue'],
    ['verified after an end', { ...known, succeededMs: 500 }, 1_500, 'verified'],
    ['overdue where the last end is long ago', { ...known, succeededMs: 500 }, 1_501, 'overdue'],
    ['failing at once', { ...known, succeededMs: 500, hasFailed: true }, 600, 'failing'],
    ['violated whatever else', { ...known, hasFailed: true, violations: 1 }, 9_999, 'violated'],
  ] as const)('is %s', (_name, facts, nowMs, state) => {
    expect(booksState(facts, nowMs, 1_000)).toBe(state);
  });
});
