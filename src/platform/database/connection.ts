import pg from 'pg';
import { ConfigError } from '../config.js';

/** Prisma's own parameters of a database URL, which PostgreSQL's protocol does not know. */
const PRISMA_PARAMETERS = [
  'schema',
  'connection_limit',
  'pool_timeout',
  'pgbouncer',
  'socket_timeout',
];

/**
 * The connection that a database URL names, which may be written for Prisma.
 * @throws ConfigError when the URL asks for another schema than `public`
 */
export function connectionOfUrl(databaseUrl: string): pg.ClientConfig {
  const url = new URL(databaseUrl);
  const schema = url.searchParams.get('schema') ?? 'public';
  if (schema !== 'public') {
    const asks = `DATABASE_URL asks for the schema "${schema}"`;
    throw new ConfigError(`${asks}; the gateway lives in "public": leave "schema" out`);
  }
  for (const parameter of PRISMA_PARAMETERS) url.searchParams.delete(parameter);
  // What stands in a connection string wins over the fields beside it, so it is taken out of there.
  const options = url.searchParams.get('options') ?? undefined;
  url.searchParams.delete('options');
  return { connectionString: url.toString(), options };
}

/** Compiling a statement of the gateway takes seconds, which running it never does. */
const SESSION = '-c TimeZone=UTC -c jit=off';

/**
 * The same connection with its session in UTC, and without the compiler that a server has on
 * unless told otherwise. Prisma's adapter reads and writes times as if the session were in UTC and
 * is wrong by the offset when it is not.
 */
export function inUtc(connection: pg.ClientConfig): pg.ClientConfig {
  return {
    ...connection,
    options: [connection.options, SESSION].filter(Boolean).join(' '),
  };
}

/**
 * A connection of one's own that is open. When it breaks, the statement in flight fails; the event
 * says nothing more.
 * @throws what the driver says where it cannot be opened; nothing stays open then
 */
export async function opened(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  return client;
}

/** What `work` makes of a connection of its own, which is closed behind it. */
export async function onceConnected<T>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await opened(connection);
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
