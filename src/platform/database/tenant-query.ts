import pg from 'pg';
import { renameAway } from './away.js';

/** The setting that the policies of the tables read (migration tenant_walls). */
const SET_TENANT = { name: 'gw_tenant', text: "SELECT set_config('gw.tenant_id', $1, true)" };

/** The parts of a query of the driver that stand between it and the protocol. */
interface ProtocolQuery {
  prepare(connection: ProtocolConnection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: ProtocolConnection): void;
}

interface ProtocolConnection {
  bind(message: { readonly statement: string; readonly values: readonly string[] }): void;
  execute(message: { readonly portal: string; readonly rows: number }): void;
}

/**
 * Runs one statement that sees the rows of one tenant. The tenant is set right before it, in the
 * same round trip and the same implicit transaction, with which the setting ends: a connection
 * never carries a tenant back into the pool.
 */
export async function tenantQuery<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  tenantId: string,
  config: pg.QueryConfig,
): Promise<pg.QueryResult<R>> {
  const client = await pool.connect();
  try {
    if (!prepared.has(client)) {
      await client.query({ ...SET_TENANT, values: [''] });
      prepared.add(client);
    }
    const result = await sendAs<R>(client, tenantId, config);
    client.release();
    return result;
  } catch (error) {
    // What a statement is refused for says nothing about its connection.
    client.release(!(error instanceof pg.DatabaseError));
    return renameAway(error);
  }
}

/** Connections whose server knows the statement that sets the tenant. */
const prepared = new WeakSet<pg.ClientBase>();

function sendAs<R extends pg.QueryResultRow>(
  client: pg.PoolClient,
  tenantId: string,
  config: pg.QueryConfig,
): Promise<pg.QueryResult<R>> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query({ ...config, queryMode: 'extended' } as pg.QueryConfig);
    // The driver asks the query itself how long it may take, and the pool where it does not say.
    if ('query_timeout' in config) Object.assign(query, { query_timeout: config.query_timeout });
    const done = (error: Error | null, result: pg.QueryResult<R>) =>
      error ? reject(error) : resolve(result);
    afterTenant(query as unknown as ProtocolQuery, tenantId);
    const send = client.query as unknown as (one: pg.Query, callback: typeof done) => void;
    send.call(client, query, done);
  });
}

/** Puts the statement that sets the tenant in front; its row is not a row of the query. */
function afterTenant(query: ProtocolQuery, tenantId: string): void {
  const { prepare, handleDataRow, handleCommandComplete } = query;
  let isSet = false;
  query.prepare = (connection) => {
    connection.bind({ statement: SET_TENANT.name, values: [tenantId] });
    connection.execute({ portal: '', rows: 0 });
    prepare.call(query, connection);
  };
  query.handleDataRow = (message) => {
    if (isSet) handleDataRow.call(query, message);
  };
  query.handleCommandComplete = (message, connection) => {
    if (isSet) handleCommandComplete.call(query, message, connection);
    isSet = true;
  };
}

/** Begins a transaction whose statements all see the rows of one tenant; one round trip. */
export function beginAs(client: pg.ClientBase, tenantId: string): Promise<unknown> {
  return client.query(`BEGIN; SET LOCAL gw.tenant_id = ${pg.escapeLiteral(tenantId)}`);
}
