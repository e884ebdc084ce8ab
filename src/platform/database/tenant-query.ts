import pg from 'pg';
import { renameAway, renameStopped } from './away.js';

/** The setting that the policies of the tables read (migration tenant_walls). */
const SET_TENANT = { name: 'gw_tenant', text: "SELECT set_config('gw.tenant_id', $1, true)" };

/** The same for a report, which the server stops by itself after so many milliseconds. */
const SET_REPORT = {
  name: 'gw_tenant_report',
  text: "SELECT set_config('gw.tenant_id', $1, true), set_config('statement_timeout', $2, true)",
};

/** How long a report may take unless it says otherwise. */
const REPORT_MS_MAX = 10_000;

/** So much longer is waited for a server that does not even say that it has stopped. */
const STOP_MS_MAX = 1_000;

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
 * Runs one statement that sees the rows of one tenant, and answers within the time of the chat
 * path.
 * @throws pg.DatabaseError, or ledger_unavailable when the answer does not come in time
 */
export function tenantQuery<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  tenantId: string,
  config: pg.QueryConfig,
): Promise<pg.QueryResult<R>> {
  return asTenant(pool, { ...SET_TENANT, values: [tenantId] }, config, renameAway);
}

/**
 * Runs one statement of a report. The server stops it at its limit, so that nobody's work goes on
 * unheard, and a report that is too much is told from a database that is away.
 * @throws pg.DatabaseError, report_timed_out, or ledger_unavailable when nothing answers
 */
export function tenantReport<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  tenantId: string,
  config: pg.QueryConfig,
  msMax = REPORT_MS_MAX,
): Promise<pg.QueryResult<R>> {
  const set = { ...SET_REPORT, values: [tenantId, String(msMax)] };
  const waiting = { ...config, query_timeout: msMax + STOP_MS_MAX } as pg.QueryConfig;
  return asTenant(pool, set, waiting, renameStopped);
}

/** What is run right before a statement, in its transaction. */
interface Setting {
  readonly name: string;
  readonly text: string;
  readonly values: readonly string[];
}

/**
 * Runs one statement with its settings. They are set right before it, in the
 * same round trip and the same implicit transaction, with which the setting ends: a connection
 * never carries a tenant back into the pool.
 */
async function asTenant<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  setting: Setting,
  config: pg.QueryConfig,
  rename: (error: unknown) => never,
): Promise<pg.QueryResult<R>> {
  const client = await pool.connect();
  try {
    const known = prepared.get(client) ?? new Set();
    if (!known.has(setting.name)) {
      await client.query({ ...setting, values: [...setting.values] });
      prepared.set(client, known.add(setting.name));
    }
    const result = await sendAs<R>(client, setting, config);
    client.release();
    return result;
  } catch (error) {
    // What a statement is refused for says nothing about its connection.
    client.release(!(error instanceof pg.DatabaseError));
    return rename(error);
  }
}

/** The statements of settings that the servers of connections know. */
const prepared = new WeakMap<pg.ClientBase, Set<string>>();

function sendAs<R extends pg.QueryResultRow>(
  client: pg.PoolClient,
  setting: Setting,
  config: pg.QueryConfig,
): Promise<pg.QueryResult<R>> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query({ ...config, queryMode: 'extended' } as pg.QueryConfig);
    // The driver asks the query itself how long it may take, and the pool where it does not say.
    if ('query_timeout' in config) Object.assign(query, { query_timeout: config.query_timeout });
    const done = (error: Error | null, result: pg.QueryResult<R>) =>
      error ? reject(error) : resolve(result);
    afterSetting(query as unknown as ProtocolQuery, setting);
    const send = client.query as unknown as (one: pg.Query, callback: typeof done) => void;
    send.call(client, query, done);
  });
}

/** Puts the statement of the settings in front; its row is not a row of the query. */
function afterSetting(query: ProtocolQuery, { name, values }: Setting): void {
  const { prepare, handleDataRow, handleCommandComplete } = query;
  let isSet = false;
  query.prepare = (connection) => {
    connection.bind({ statement: name, values });
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
