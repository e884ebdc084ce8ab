import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** A database with nothing in it, for tests of what fills databases. */
export interface EmptyDatabase {
  readonly connection: pg.ClientConfig;
  readonly databaseUrl: string;
  /** Runs a statement on a connection of its own and returns its rows. */
  query(sql: string): Promise<unknown[]>;
  drop(): Promise<void>;
}

/** A new empty database on the embedded server of this run. */
export async function emptyDatabase(): Promise<EmptyDatabase> {
  const server = inject('testServer').connection;
  const name = `gw_empty_${randomUUID().replaceAll('-', '')}`;
  const connection = { ...server, database: name };
  const host = encodeURIComponent(server.host);
  await execute(server, `CREATE DATABASE ${name} STRATEGY FILE_COPY`);
  return {
    connection,
    databaseUrl: `postgresql://${server.user}@localhost:${server.port}/${name}?host=${host}`,
    query: (sql) => execute(connection, sql),
    drop: async () => {
      await execute(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function execute(connection: pg.ClientConfig, sql: string): Promise<unknown[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
