import { tmpdir } from 'node:os';
import pg from 'pg';
import { expect } from 'vitest';
import { UsageRollup } from '../../../src/finops/reports/rollup.js';
import { newId } from '../../../src/kernel/ids.js';
import { BooksMonitor } from '../../../src/money/books/monitor.js';
import { proveBooks } from '../../../src/money/integrity/prove.js';
import { encodeDelivered, encodeSettle } from '../../../src/money/ledger/encode.js';
import { connectDatabase, type Database } from '../../../src/platform/database/pool.js';
import { bringForward } from '../../../src/records/brought-forward.js';
import { type Books, type Customer, openBooks, silent, usageOf } from '../../money/ledger/books.js';

const WAIT = { timeout: 60_000, interval: 100 };
const MONITOR_TIMES = { firstMs: 3_600_000, everyMs: 3_600_000, overdueMs: 3_600_000 };

const BEHIND = `SELECT ARRAY(SELECT name FROM (VALUES
    ('books_monitor', (SELECT max(seq) FROM ledger_entry)),
    ('integrity_ledger', (SELECT max(seq) FROM ledger_entry)),
    ('integrity_usage', (SELECT max(seq) FROM usage_event)),
    ('spend_watch', (SELECT max(seq) FROM usage_event)),
    ('usage_rollup', (SELECT max(seq) FROM usage_event))
  ) AS reader(name, last) LEFT JOIN reader_mark m USING (name)
  WHERE COALESCE(m.seq, 0) < last) AS behind`;

/** Two organizations on a database that is kept by months. */
export interface MonthsWorld {
  readonly books: Books;
  readonly working: Database;
  /** A session of the role that owns the tables. */
  readonly owner: pg.Client;
  readonly own: Customer;
  readonly other: Customer;
  /** When the months end that are made; the first one ends with the first of them. */
  readonly ends: readonly Date[];
  /** The month after the first one, as `YYYY-MM`. */
  readonly second: string;
  close(): Promise<void>;
}

const ENDS = `SELECT to_char(until_month, 'YYYY-MM') AS month,
    until_month::timestamp AT TIME ZONE 'Europe/Moscow' AS end
  FROM month_partition WHERE of_table = 'usage_event' ORDER BY until_month`;

export async function openMonths(): Promise<MonthsWorld> {
  const books = await openBooks();
  const { databaseUrl, connection } = books.database;
  const at = { databaseUrl, dataDir: tmpdir(), secret: 'secret' };
  const working = await connectDatabase({ ...at, max: 3 });
  const owner = new pg.Client(connection);
  await owner.connect();
  await owner.query("SET ROLE gw_owner; SET TimeZone = 'UTC'");
  const [own, other] = [await books.customer(1_000_000n), await books.customer(1_000_000n)];
  await books.pool.query(`SELECT ledger_take_over('months', $1)`, [newId('Session')]);
  const { rows } = await owner.query<{ month: string; end: Date }>(ENDS);
  return {
    ...{ books, working, owner, own, other },
    ends: rows.map(({ end }) => end),
    second: rows[0]?.month ?? '',
    async close() {
      await owner.end();
      await working.stop();
      await books.close();
    },
  };
}

/** The id of a request that came at a time, which does not move the clock of other ids. */
export function idAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}${newId('Request').slice(13)}`;
}

/** A request that came at a time and is charged now. @returns its id */
export async function charge({ books }: MonthsWorld, whose: Customer, at: Date): Promise<string> {
  const { accountId } = whose;
  const requestId = idAt(at);
  const hold = { kind: 'hold', account: accountId, request: requestId, amount: '500' };
  const ref = { accountId, requestId };
  const settle = encodeSettle({ ...ref, amountMicro: 80n, usage: usageOf(whose) }).text;
  for (const operation of [JSON.stringify(hold), settle, encodeDelivered(ref).text]) {
    await books.pool.query(`SELECT status FROM ledger_apply('months', 1, $1)`, [`[${operation}]`]);
  }
  return requestId;
}

/** Brings all that follows usage and the ledger to the end of what there is. */
export async function readAll({ working, owner }: MonthsWorld): Promise<void> {
  const { platformPool } = working;
  const rollup = new UsageRollup({ platformPool, log: silent });
  const watch = {
    name: 'spend_watch',
    table: 'usage_event',
    work: async () => {},
    forget: async () => {},
  };
  const monitor = new BooksMonitor({ platformPool, log: silent }, MONITOR_TIMES);
  await expect
    .poll(async () => {
      await proveBooks({ platformPool });
      await rollup.bringForward();
      await monitor.check();
      await bringForward(platformPool, watch, 1_000);
      const { rows } = await owner.query<{ behind: string[] }>(BEHIND);
      return rows[0]?.behind;
    }, WAIT)
    .toEqual([]);
}
