import pg from 'pg';

/** Prisma's own parameters of a database URL, which PostgreSQL's protocol does not know. */
const PRISMA_PARAMETERS = [
  'schema',
  'connection_limit',
  'pool_timeout',
  'pgbouncer',
  'socket_timeout',
];

const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'ECONNRESET', 'ENOENT'];

/** The URL that the command needs. @throws Error with Prisma's code P1012 when none is set */
export function requiredUrl(datasource) {
  if (datasource.url) return datasource.url;
  const message = 'The datasource.url property is required in prisma.config.ts for this command.';
  throw Object.assign(new Error(message), { code: 'P1012' });
}

/** A URL for the driver, and the schema that Prisma's own parameter names. */
export function connectionOf(databaseUrl) {
  const url = new URL(databaseUrl);
  const schema = url.searchParams.get('schema') ?? 'public';
  for (const parameter of PRISMA_PARAMETERS) url.searchParams.delete(parameter);
  return { connectionString: url.toString(), schema };
}

/** Prisma's code and message for what the driver threw. */
export function prismaError(error, databaseUrl) {
  if (!databaseUrl) return { code: error.code, message: error.message };
  const url = new URL(databaseUrl);
  if (error.code === '3D000') {
    const message = `Database \`${nameOf(url)}\` does not exist on the database server at`;
    return { code: 'P1003', message: `${message} \`${url.host}\`.` };
  }
  if (error.code === '28P01' || error.code === '28000') {
    const message = 'Authentication failed against database server, the provided database';
    const rest = `credentials for \`${url.username}\` are not valid.`;
    return { code: 'P1000', message: `${message} ${rest}` };
  }
  if (UNREACHABLE.includes(error.code)) {
    const message = `Can't reach database server at \`${url.host}\``;
    const advice = `Please make sure your database server is running at \`${url.host}\`.`;
    return { code: 'P1001', message: `${message}\n\n${advice}` };
  }
  return { code: 'P1011', message: error.message };
}

/** Throws what the driver throws when the database cannot be reached. */
export async function checkConnection(databaseUrl) {
  const { connectionString } = connectionOf(databaseUrl);
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  await client.connect();
  await client.end();
}

/** Creates the database that the URL names and returns its name. */
export async function createDatabase(databaseUrl) {
  const name = nameOf(new URL(databaseUrl));
  await administer(databaseUrl, `CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  return name;
}

/** Removes the database that the URL names, also when connections to it are open. */
export async function dropDatabase(databaseUrl) {
  const name = pg.escapeIdentifier(nameOf(new URL(databaseUrl)));
  await administer(databaseUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

function nameOf(url) {
  return decodeURIComponent(url.pathname.slice(1));
}

async function administer(databaseUrl, sql) {
  const url = new URL(connectionOf(databaseUrl).connectionString);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.toString() });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
