import type pg from 'pg';
import { named } from './pool.js';

/** Runs a statement of a snapshot. */
export type SnapshotQuery = <R extends pg.QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly R[]>;

const QUERY_MS_MAX = 10_000;

/**
 * Several reads of one tenant's rows that must agree with one another: all of them see the database
 * as it was at the first one. Nothing can be written.
 * @param queryMsMax how long the answer of one statement is waited for
 * @throws pg.DatabaseError, or ledger_unavailable when an answer does not come in time
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
      const config = { text, values: [...values], query_timeout: queryMsMax } as pg.QueryConfig;
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
    throw error;
  }
}
