import type pg from 'pg';
import { REFUND_MARK } from '../../finops/reports/rollup.js';
import { isSealedSql } from '../../records/receipts.js';
import type { Month, TableWord } from './month.js';

/** What an operator asks of the months that may go. */
export interface Terms {
  /** So many months before the present one are kept, by table. */
  readonly monthsKept: Readonly<Record<TableWord, number>>;
  /** A month that was not closed may go too: it can never be closed then. */
  readonly withoutClose: boolean;
  /** The present month in Moscow, as `YYYY-MM`. */
  readonly thisMonth: string;
}

/** A reason for which a month must stay: found rows, and what is said of them. */
interface Obstacle {
  readonly sql: (month: Month) => string;
  readonly words: (found: string, month: Month) => string;
}

const lastTxid = ({ name }: Month) => `(SELECT max(txid) FROM gw_months.${name})`;
const bound = ({ untilMonth }: Month) => `month_start_id('${untilMonth}')`;

/** The readers of usage by their marks, and those of the ledger that judge usage. */
const USAGE_MARKS = ['integrity_usage', 'usage_rollup', 'spend_watch'];
const LEDGER_MARKS = ['integrity_ledger', 'books_monitor'];

const marks = (names: readonly string[], isBehind: string) => `
  SELECT string_agg(n.name, ', ' ORDER BY n.name) AS found
  FROM unnest('{${names.join(',')}}'::text[]) AS n(name) LEFT JOIN reader_mark m USING (name)
  WHERE ${isBehind}`;

const SUMMED: Obstacle = {
  sql: ({ name }) =>
    marks(
      USAGE_MARKS,
      `EXISTS (SELECT FROM gw_months.${name} e
        WHERE (e.txid, e.seq) > (COALESCE(m.txid, 0), COALESCE(m.seq, 0)))`,
    ),
  words: (found) => `not yet read to its end by ${found}`,
};
/** A refund is summed under what its request tells, which has to be there then. */
const REFUNDED: Obstacle = {
  sql: (month) =>
    marks(
      [REFUND_MARK],
      `EXISTS (SELECT FROM ledger_entry e
        WHERE e.type = 'refund' AND e.charged_request_id < ${bound(month)}
          AND (e.txid, e.seq) > (COALESCE(m.txid, 0), COALESCE(m.seq, 0)))`,
    ),
  words: (found) => `refunds of its requests are not yet read by ${found}`,
};
const JUDGED: Obstacle = {
  sql: (month) => marks(LEDGER_MARKS, `COALESCE(m.txid, 0) < ${lastTxid(month)}`),
  words: (found) => `lines of its requests are not yet read by ${found}`,
};
const SETTLED: Obstacle = {
  sql: (month) => `SELECT nullif(count(*), 0)::text AS found FROM hold
    WHERE state IN ('open', 'finalized') AND request_id < ${bound(month)}`,
  words: (found) => `${found} of its holds are open or not delivered`,
};
const PROVEN: Obstacle = {
  sql: (month) => `SELECT nullif(count(*), 0)::text AS found FROM integrity_finding
    WHERE request_id < ${bound(month)}`,
  words: (found) => `the billing of ${found} of its requests is not proven`,
};
const IN_ORDER: Obstacle = {
  sql: () => 'SELECT nullif(count(*), 0)::text AS found FROM books_finding',
  words: (found) => `the books are wrong in ${found} places`,
};
const IN_DIGITS = `to_char(used.month, 'YYYY-MM')`;
const CLOSED: Obstacle = {
  sql: ({ name }) => `SELECT nullif(count(*), 0)::text AS found
    FROM (SELECT DISTINCT tenant_id, month_of(created_at) AS month FROM gw_months.${name}
          WHERE amount_micro > 0) used
    WHERE NOT ${isSealedSql('month_close', 'used.tenant_id', IN_DIGITS)}`,
  words: (found) => `${found} months of organizations are not closed (--without-close passes this)`,
};

const cursors = (month: Month, feed: string) => `
  SELECT nullif(count(*), 0)::text AS found FROM webhook_feed_cursor c
  WHERE EXISTS (SELECT FROM gw_months.${month.name} e WHERE e.tenant_id = c.tenant_id
    AND ${feed} AND (e.txid, e.seq) > (c.txid, c.seq))`;

const OBSTACLES: Readonly<Record<TableWord, readonly Obstacle[]>> = {
  usage: [
    SUMMED,
    REFUNDED,
    JUDGED,
    SETTLED,
    PROVEN,
    IN_ORDER,
    CLOSED,
    {
      sql: (month) => cursors(month, `c.feed = 'usage'`),
      words: (found) => `${found} webhook endpoints have not been told of all of it`,
    },
  ],
  events: [
    {
      sql: (month) => cursors(month, 'c.feed = e.feed'),
      words: (found) => `${found} feeds of webhook endpoints have not been told to the end`,
    },
  ],
};

/** The first day of the month so many months before another, as `YYYY-MM-01`. */
function monthsBack(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 - months, 1)).toISOString().slice(0, 10);
}

/** Why a month must stay; empty where nothing stands against its going. */
export async function obstaclesOf(
  owner: pg.ClientBase,
  month: Month,
  { monthsKept, withoutClose, thisMonth }: Terms,
): Promise<string[]> {
  const kept = monthsKept[month.word];
  const reasons: string[] = [];
  if (month.untilMonth > monthsBack(thisMonth, kept)) {
    reasons.push(`is within the ${kept} months that ${month.word} is kept for`);
  }
  for (const obstacle of OBSTACLES[month.word]) {
    if (obstacle === CLOSED && withoutClose) continue;
    const { rows } = await owner.query<{ found: string | null }>(obstacle.sql(month));
    const found = rows[0]?.found;
    if (found) reasons.push(obstacle.words(found, month));
  }
  return reasons;
}
