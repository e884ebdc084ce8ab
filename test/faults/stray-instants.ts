import type pg from 'pg';

const HOUR_MS = 3_600_000;
/** How far from an hour off an instant is still that of a clock that is an hour off. */
const AROUND_MS = 12 * 60_000;

/** What the set-up of the database has written, which is kept for the tests of later runs. */
const SET_UP = `('_prisma_migrations', 'month_partition')`;

const TIMES = `SELECT c.table_name AS "table", c.column_name AS "column",
    c.data_type = 'uuid' AS "isId"
  FROM information_schema.columns c
  JOIN information_schema.tables t USING (table_schema, table_name)
  WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
    AND c.table_name NOT IN ${SET_UP}
    AND (c.data_type = 'timestamp with time zone'
      OR (c.data_type = 'uuid' AND c.column_name = 'id'))
  ORDER BY 1, 2`;

/**
 * The columns of a database that hold an instant, or an id of version 7 that was made at one, about
 * an hour before the begin of a test or an hour after now.
 */
export async function strayInstants(pool: pg.Pool, beganMs: number): Promise<readonly string[]> {
  const { rows: columns } = await pool.query<{ table: string; column: string; isId: boolean }>(
    TIMES,
  );
  const stray: string[] = [];
  for (const { table, column, isId } of columns) {
    const written = isId
      ? `('x' || substr(replace(${column}::text, '-', ''), 1, 12))::bit(48)::bigint::float8`
      : `(extract(epoch FROM ${column}) * 1000)::float8`;
    const version = isId ? `AND substr(${column}::text, 15, 1) = '7'` : '';
    const { rows } = await pool.query<{ ms: number }>(
      `SELECT ${written} AS ms FROM "${table}"
       WHERE isfinite(${isId ? 'now()' : column}) ${version}`,
    );
    const nowMs = Date.now();
    // What is counted by the hour has no other instants than the begins of hours.
    const isStray = ({ ms }: { readonly ms: number }) =>
      ms % HOUR_MS !== 0 &&
      ((ms > beganMs - HOUR_MS - AROUND_MS && ms < nowMs - HOUR_MS + AROUND_MS) ||
        (ms > beganMs + HOUR_MS - AROUND_MS && ms < nowMs + HOUR_MS + AROUND_MS));
    const count = rows.filter(isStray).length;
    if (count > 0) stray.push(`${table}.${column} (${count})`);
  }
  return stray;
}
