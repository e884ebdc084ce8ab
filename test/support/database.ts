import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { connectionOfUrl } from '../../src/platform/database/connection.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { projectRoot } from '../../src/platform/database/project-root.js';

/** A migrated database of a test file's own. */
export interface TestDatabase {
  readonly connection: pg.ClientConfig;
  /** The same as a URL, for what is configured by DATABASE_URL. */
  readonly databaseUrl: string;
  /** Removes the database, also when connections to it are still open. */
  drop(): Promise<void>;
}

const SERVICE_DATABASE_URL = 'postgresql://postgres@127.0.0.1:5432/postgres';
const SERVICE_REDIS_URL = 'redis://127.0.0.1:6379';
const REACH_MS_MAX = 1_000;

/** A copy of the migrated template on the embedded server of this run. */
export async function freshDatabase(): Promise<TestDatabase> {
  const { connection: server, template, templateFailure } = inject('testServer');
  if (templateFailure) throw new Error(`there is no template database: ${templateFailure}`);
  const name = databaseName();
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const host = encodeURIComponent(server.host);
  return {
    connection: { ...server, database: name },
    databaseUrl: `postgresql://${server.user}@localhost:${server.port}/${name}?host=${host}`,
    drop: () => execute(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/**
 * A migrated database on a PostgreSQL server of the environment: TEST_DATABASE_URL, or else
 * 127.0.0.1:5432 as `postgres`. Undefined when none can be reached, so that tests skip; with CI
 * set to true that is a failure.
 */
export async function serviceDatabase(): Promise<TestDatabase | undefined> {
  const url = new URL(process.env.TEST_DATABASE_URL ?? SERVICE_DATABASE_URL);
  if (!(await isReachable('PostgreSQL', url, 5432))) return undefined;
  const server = connectionOfUrl(url.toString());
  const name = databaseName();
  await execute(server, `CREATE DATABASE ${name} STRATEGY FILE_COPY`);
  url.pathname = `/${name}`;
  const databaseUrl = url.toString();
  const connection = connectionOfUrl(databaseUrl);
  const drop = () => dropWithLogins(server, name);
  try {
    await migrate(connection, join(projectRoot(), 'prisma', 'migrations'));
  } catch (error) {
    await drop();
    throw error;
  }
  return { connection, databaseUrl, drop };
}

/** Roles belong to the server, and would stay there when their database is gone. */
async function dropWithLogins(server: pg.ClientConfig, name: string): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  try {
    const sql = 'SELECT oid FROM pg_database WHERE datname = $1';
    const { rows } = await client.query<{ oid: number }>(sql, [name]);
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    for (const { oid } of rows) {
      await client.query(`DROP ROLE IF EXISTS gw_app_${oid}, gw_platform_${oid},
        gw_app_${oid}_b, gw_platform_${oid}_b`);
    }
  } finally {
    await client.end();
  }
}

/** The Redis of the environment: TEST_REDIS_URL, or else 127.0.0.1:6379; as above without one. */
export async function serviceRedisUrl(): Promise<string | undefined> {
  const url = process.env.TEST_REDIS_URL ?? SERVICE_REDIS_URL;
  return (await isReachable('Redis', new URL(url), 6379)) ? url : undefined;
}

function databaseName(): string {
  return `gw_test_${randomUUID().replaceAll('-', '')}`;
}

async function execute(connection: pg.ClientConfig, sql: string): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function isReachable(service: string, url: URL, port: number): Promise<boolean> {
  const reachable = await canConnect(url.hostname, Number(url.port) || port);
  if (!reachable && process.env.CI === 'true') {
    throw new Error(`${service} at ${url.host} cannot be reached, which tests on CI need`);
  }
  return reachable;
}

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: REACH_MS_MAX });
    const answer = (reachable: boolean) => {
      socket.destroy();
      resolve(reachable);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
    socket.once('timeout', () => answer(false));
  });
}
