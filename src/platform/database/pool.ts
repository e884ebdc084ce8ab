import { join } from 'node:path';
import pg from 'pg';
import { tellAway } from './away.js';
import { readDatabaseClock } from './clock-follower.js';
import { connectionOfUrl, inUtc } from './connection.js';
import { type EmbeddedPostgres, type ServerSettings, startEmbedded } from './embedded.js';
import { migrate } from './migrate.js';
import { oneAtATime } from './one-at-a-time.js';
import { preparedCluster } from './prepared-cluster.js';
import type { WorkingPools } from './prisma.js';
import { projectRoot } from './project-root.js';
import { givenLogin, type WorkingConnections, workingLogins } from './roles.js';
import { requireSecretOf } from './sealed-data.js';

/** What a pool needs to know. */
export interface PoolOptions {
  readonly connection: pg.ClientConfig;
  /** The most connections that the pool opens. */
  readonly max: number;
  /** Shown by the server in pg_stat_activity. */
  readonly applicationName: string;
  /**
   * How long the answer of a statement is waited for. The wait is on this side, because a server
   * that is frozen does not run its own statement_timeout either. 2,000 when left out.
   */
  readonly queryTimeoutMs?: number;
}

/** A migrated database with the pools of the application on it. */
export interface Database extends WorkingPools {
  /** For connections of one's own, such as the listener's. */
  readonly connection: pg.ClientConfig;
  /** As whom the pools work, for another process that is to work on the same database. */
  readonly connections: WorkingConnections;
  /** Present when the gateway runs the server itself. */
  readonly embedded?: EmbeddedPostgres;
  /** Closes the pools and, as its owner, stops the embedded server. */
  stop(): Promise<void>;
}

/** Where the database is: a server by its URL, or else the embedded one in the data folder. */
export interface DatabaseOptions {
  readonly databaseUrl?: string | undefined;
  /** A login that may migrate, where that of `databaseUrl` has no rights of its own. */
  readonly migrationUrl?: string | undefined;
  readonly dataDir: string;
  /** What the passwords of the application's logins follow from. */
  readonly secret: string;
  /** What it was, or is to become, and what other nodes may log in by. */
  readonly otherSecrets?: readonly string[];
  /** The most connections of the tenants' pool, 10 when left out. */
  readonly max?: number;
  /** `gw` when left out. */
  readonly applicationName?: string;
  /** `prisma/migrations` of the project when left out. */
  readonly migrationsFolder?: string;
  /** Given by a process that has started and migrated the database, and ends after this one. */
  readonly prepared?: WorkingConnections | undefined;
  /** In place of those of the embedded server. */
  readonly serverSettings?: ServerSettings;
  /** The embedded server, where it was begun before. */
  readonly begun?: Promise<EmbeddedPostgres> | undefined;
}

const CONNECT_MS_MAX = 1_000;
const QUERY_MS_MAX = 2_000;
/** Longer than what is done now and then lies apart: to connect anew costs more than to keep. */
const IDLE_MS_MAX = 60_000;
const POOL_MAX = 10;
/** The ledger keeps one of them; credentials, sweeps and keys share the others. */
export const PLATFORM_POOL_MAX = 6;

const { INT8, DATE, TIMESTAMP } = pg.types.builtins;

type Parser = (text: string) => unknown;

/**
 * How columns are read: int8 (money among them) as bigint, a day as its `YYYY-MM-DD`, and a time
 * without zone as UTC, whatever zone this process runs in. Of this pool only: Prisma's adapter
 * brings its own readers with each statement.
 */
const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [INT8, BigInt],
  [DATE, String],
  [TIMESTAMP, (text) => new Date(`${text.replace(' ', 'T')}Z`)],
]);

const COLUMN_TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const parser = format === 'binary' ? undefined : PARSERS.get(oid);
    return parser ?? pg.types.getTypeParser(oid, format);
  },
} as pg.CustomTypesConfig;

/**
 * A pool whose sessions are in UTC and that gives up on a server which does not answer; its queries
 * then reject with ledger_unavailable.
 */
export function createPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...inUtc(options.connection),
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    idleTimeoutMillis: IDLE_MS_MAX,
    query_timeout: options.queryTimeoutMs ?? QUERY_MS_MAX,
    keepAlive: true,
    types: COLUMN_TYPES,
  });
  // An idle connection that breaks is taken out by the pool; without a listener Node would exit.
  pool.on('error', () => {});
  // One that breaks between two statements of whoever has it is told by the next of them.
  pool.on('connect', (client) => client.on('error', () => {}));
  tellAway(pool);
  pool.on('connect', oneAtATime);
  return pool;
}

/**
 * Runs a statement that the server parses and plans once per connection. A name stands for one
 * SQL text for ever; the driver refuses the same name with another text.
 * @throws pg.DatabaseError, or ledger_unavailable when the answer does not come in time
 */
export function named<R extends pg.QueryResultRow>(
  pool: pg.Pool | pg.ClientBase,
  name: string,
  sql: string,
  values: readonly unknown[],
): Promise<pg.QueryResult<R>> {
  return pool.query<R>({ name, text: sql, values: [...values] });
}

/** Starts the embedded PostgreSQL, or joins it; undefined where the database is elsewhere. */
export function beginEmbedded({
  databaseUrl,
  dataDir,
  prepared,
  serverSettings,
  migrationsFolder,
}: DatabaseOptions): Promise<EmbeddedPostgres> | undefined {
  if (databaseUrl || prepared) return undefined;
  return startEmbedded(join(dataDir, 'postgres'), serverSettings, () =>
    preparedCluster(migrationsFolder),
  );
}

/**
 * Opens the database and brings it up to date. Without a URL the embedded PostgreSQL is started in
 * `<dataDir>/postgres`, or joined when another gateway on this machine has started it there.
 * Whatever login the operator gives, the pools work as roles that neither own a table nor can
 * become one who does. From here on the time of this process is the database's (`sharedNow`).
 * @throws MigrationError, or Error when the server does not start or cannot be reached
 */
export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl, prepared } = options;
  const embedded = await (options.begun ?? beginEmbedded(options));
  const given = () => embedded?.connection ?? connectionOfUrl(databaseUrl ?? '');
  try {
    const connections = prepared ?? (await prepareDatabase(given(), options));
    const applicationName = options.applicationName ?? 'gw';
    const connection = connections.gw_app;
    const pool = createPool({ connection, max: options.max ?? POOL_MAX, applicationName });
    const platformPool = createPool({
      connection: connections.gw_platform,
      max: PLATFORM_POOL_MAX,
      applicationName,
    });
    const stop = async () => {
      await Promise.all([pool.end(), platformPool.end()]);
      await embedded?.stop();
    };
    await readDatabaseClock(platformPool);
    return { pool, platformPool, connection, connections, embedded, stop };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

async function prepareDatabase(
  given: pg.ClientConfig,
  { migrationUrl, migrationsFolder, secret, otherSecrets = [] }: DatabaseOptions,
): Promise<WorkingConnections> {
  const folder = migrationsFolder ?? join(projectRoot(), 'prisma', 'migrations');
  const timed = { ...given, connectionTimeoutMillis: CONNECT_MS_MAX };
  if (!migrationUrl) {
    await requireSecretOf(timed, { secret, otherSecrets });
    await migrate(timed, folder);
    return workingLogins(timed, secret, otherSecrets);
  }
  const migrating = {
    ...connectionOfUrl(migrationUrl),
    connectionTimeoutMillis: CONNECT_MS_MAX,
  };
  await requireSecretOf(migrating, { secret, otherSecrets });
  await migrate(migrating, folder);
  return givenLogin(timed, migrating);
}
