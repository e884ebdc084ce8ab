import type pg from 'pg';

/** What may be dropped by months, by the word that operators say. */
export const TABLES = { usage: 'usage_event', events: 'feed_event' } as const;

/** A word for a table that is kept by months. */
export type TableWord = keyof typeof TABLES;

/** A month of a table as it stands. */
export interface Month {
  readonly word: TableWord;
  readonly table: (typeof TABLES)[TableWord];
  /** Its own table, in the schema of the months. */
  readonly name: string;
  /** The first day after it; everything before it that is not dropped belongs to it. */
  readonly untilMonth: string;
  readonly rows: bigint;
  readonly bytes: bigint;
}

interface Part {
  readonly name: string;
  readonly untilMonth: string;
}

const PARTS = `
  SELECT name, until_month::text AS "untilMonth" FROM month_partition
  WHERE of_table = $1 AND dropped_at IS NULL AND until_month <= $2::date ORDER BY until_month`;

/** The months of a table that end before another one begins, the first one first. */
export async function monthsBefore(
  owner: pg.ClientBase,
  word: TableWord,
  before: string,
): Promise<Month[]> {
  const table = TABLES[word];
  const { rows } = await owner.query<Part>(PARTS, [table, `${before}-01`]);
  const months: Month[] = [];
  for (const { name, untilMonth } of rows) {
    const size = await owner.query<{ rows: string; bytes: string }>(
      `SELECT count(*)::text AS rows, pg_total_relation_size('gw_months.${name}')::text AS bytes
       FROM gw_months.${name}`,
    );
    const { rows: count = '0', bytes = '0' } = size.rows[0] ?? {};
    const figures = { rows: BigInt(count), bytes: BigInt(bytes) };
    months.push({ word, table, name, untilMonth, ...figures });
  }
  return months;
}
