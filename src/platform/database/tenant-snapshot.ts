import type pg from 'pg';
import { renameStopped } from './away.js';
import { named } from './pool.js';

/** Runs a statement of a snapshot. */
export type SnapshotQuery = <R extends pg.QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly R[]>;

const QUERY_MS_MAX = 10_000;

/** So much longer is waited for a server that does not even say that it has stopped. */
const STOP_MS_MAX = 1_000;

/**
 * Several reads of one tenant's rows that must agree with one another: all of them see the database
 * as it was at the first one. Nothing can be written.
 * @param queryMsMax how long the answer of one statement is waited for
 * @throws pg.DatabaseError, report_timed_out, or ledger_unavailable when nothing answers
 */
export async function tenantSnapshot<T>(
  pool: pg.Pool,
  tenantId: string,
  work: (query: SnapshotQuery) => Promise<T>,
  queryMsMax = QUERY_MS_MAX,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The default of the pool is that of the chat path.
    const query: SnapshotQuery = async (text, values = []) => {
      const waitMs = queryMsMax + STOP_MS_MAX;
      const config = { text, values: [...values], query_timeout: waitMs } as pg.QueryConfig;
      return (await client.query(config)).rows;
    };
    // Who waits no longer must not leave the server working.
    await client.query(`SET LOCAL statement_timeout = ${queryMsMax}`);
    await named(client, 'gw_tenant', "SELECT set_config('gw.tenant_id', $1, true)", [tenantId]);
    const result = await work(query);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    // The transaction ends with its connection.
    client.release(true);
    return renameStopped(error);
  }
}
