import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toGatewayError } from '../../../src/kernel/errors/fail.js';
import { connectionOfUrl } from '../../../src/platform/database/connection.js';
import { connectDatabase, createPool, named } from '../../../src/platform/database/pool.js';
import { createPrisma } from '../../../src/platform/database/prisma.js';
import { tenantQuery, tenantReport } from '../../../src/platform/database/tenant-query.js';
import { tenantSnapshot } from '../../../src/platform/database/tenant-snapshot.js';
import { type EmptyDatabase, emptyDatabase } from './empty.js';

let database: EmptyDatabase;

beforeAll(async () => {
  database = await emptyDatabase();
});

afterAll(() => database.drop());

function poolOf(more: { max?: number; queryTimeoutMs?: number; options?: string } = {}) {
  const { options, max = 2, queryTimeoutMs } = more;
  const connection = { ...database.connection, options };
  return createPool({ connection, max, applicationName: 'gw-test', queryTimeoutMs });
}

const VALUES = `
  SELECT 9223372036854775807::int8 AS money, '2026-03-01'::date AS day, 1.10::numeric AS ratio,
         '2026-03-01 10:00:00.123'::timestamp AS local,
         '2026-03-01 10:00:00+03'::timestamptz AS at`;

describe('the pool', () => {
  it('reads int8 as bigint, days as text and times as UTC in any zone of the process', async () => {
    const zone = process.env.TZ;
    process.env.TZ = 'Asia/Vladivostok';
    const pool = poolOf();
    const { rows } = await pool.query(VALUES);
    await pool.end();
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    expect(rows).toEqual([
      {
        money: 9_223_372_036_854_775_807n,
        day: '2026-03-01',
        ratio: '1.10',
        local: new Date('2026-03-01T10:00:00.123Z'),
        at: new Date('2026-03-01T07:00:00.000Z'),
      },
    ]);
  });

  it('leaves the compiler of the server off, whatever the server says', async () => {
    const pool = poolOf({ options: '-c statement_timeout=1234' });
    const { rows } = await pool.query(
      "SELECT current_setting('jit') AS jit, current_setting('statement_timeout') AS given",
    );
    await pool.end();
    expect(rows).toEqual([{ jit: 'off', given: '1234ms' }]);
  });

  it('leaves the readers of Prisma on the same pool as they are', async () => {
    const pool = poolOf();
    const adapter = await new PrismaPg(pool).connect();
    const result = await adapter.queryRaw({
      sql: `SELECT 7::int8 AS money, '2026-03-01'::date AS day`,
      args: [],
      argTypes: [],
    });
    await adapter.dispose();
    await pool.end();
    expect(result.rows).toEqual([['7', '2026-03-01']]);
  });

  it('keeps its sessions in UTC under its name, whatever the connection asks for', async () => {
    const pool = poolOf({ options: '-c TimeZone=Europe/Moscow -c work_mem=2MB' });
    const { rows } = await pool.query(
      `SELECT current_setting('TimeZone') AS zone, current_setting('work_mem') AS memory,
              current_setting('application_name') AS name`,
    );
    await pool.end();
    expect(rows).toEqual([{ zone: 'UTC', memory: '2MB', name: 'gw-test' }]);
  });

  it('gives up on an answer that does not come, and goes on with another connection', async () => {
    const pool = poolOf({ max: 1, queryTimeoutMs: 50 });
    const asked = pool.query('SELECT pg_sleep(60)');
    await expect(asked).rejects.toMatchObject({ code: 'ledger_unavailable' });
    const { rows } = await pool.query('SELECT 1 AS one');
    await pool.end();
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('tells a report that the server had to stop from a server that is away', async () => {
    const pool = poolOf({ max: 1 });
    const tenantId = '00000000-0000-7000-8000-000000000001';
    const asked = tenantReport(pool, tenantId, { text: 'SELECT pg_sleep(60)' }, 50);
    await expect(asked).rejects.toMatchObject({ code: 'report_timed_out' });
    // The limit goes with its statement: the connection is the same, and has none.
    const { rows } = await tenantQuery(pool, tenantId, {
      text: `SELECT pg_sleep(0.1), current_setting('statement_timeout') AS time_limit,
        current_setting('gw.tenant_id') AS tenant`,
    });
    expect(rows).toMatchObject([{ time_limit: '0', tenant: tenantId }]);
    const snapshot = tenantSnapshot(pool, tenantId, (query) => query('SELECT pg_sleep(60)'), 50);
    await expect(snapshot).rejects.toMatchObject({ code: 'report_timed_out' });
    await pool.end();
  });

  it('is away for a report whose server says nothing, not even that it has stopped', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const connection = { ...database.connection, host: '127.0.0.1', port };
    const pool = createPool({ connection, max: 1, applicationName: 'gw-test' });
    const asked = tenantReport(pool, '00000000-0000-7000-8000-000000000001', { text: 'SELECT 1' });
    await expect(asked).rejects.toMatchObject({ code: 'ledger_unavailable' });
    silent.close();
    await pool.end();
  });

  it('without a connection left is away for Prisma too, in a transaction or not', async () => {
    const pool = poolOf({ max: 1 });
    const prisma = createPrisma({ pool, platformPool: pool });
    const taken = await pool.connect();
    pool.options.connectionTimeoutMillis = 10;
    const asked = [
      () => prisma.tenant.findFirst(),
      () => prisma.$queryRaw`SELECT 1`,
      () => prisma.$transaction((tx) => tx.tenant.findFirst()),
    ];
    for (const ask of asked) {
      const failure = toGatewayError(await ask().catch((error: unknown) => error));
      expect(failure).toMatchObject({
        code: 'ledger_unavailable',
        details: { retryAfterMs: 1_000 },
      });
    }
    taken.release();
    await prisma.$disconnect();
    await pool.end();
  });

  it('outlives the loss of its idle connections', async () => {
    const pool = poolOf();
    await pool.query('SELECT 1');
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gw-test'`,
    );
    const { rows } = await pool.query('SELECT 1 AS one').catch(() => pool.query('SELECT 1 AS one'));
    await pool.end();
    expect(rows).toEqual([{ one: 1 }]);
  });
});

describe('named', () => {
  it('has the server prepare a statement once and then use it again', async () => {
    const pool = poolOf({ max: 1 });
    const add = 'SELECT $1::int + $2::int AS sum';
    const first = await named<{ sum: number }>(pool, 'add', add, [1, 2]);
    const second = await named<{ sum: number }>(pool, 'add', add, [3, 4]);
    const { rows } = await pool.query('SELECT name, statement FROM pg_prepared_statements');
    await pool.end();
    expect([first.rows, second.rows]).toEqual([[{ sum: 3 }], [{ sum: 7 }]]);
    expect(rows).toEqual([{ name: 'add', statement: add }]);
  });

  it('refuses one name for two statements', async () => {
    const pool = poolOf({ max: 1 });
    await named(pool, 'one', 'SELECT 1', []);
    await expect(named(pool, 'one', 'SELECT 2', [])).rejects.toThrow(/must be unique/);
    await pool.end();
  });
});

describe('connectionOfUrl', () => {
  it('takes what is Prisma’s own out of the URL, and the session options beside it', () => {
    const url =
      'postgresql://a:b@db:5433/gw?schema=public&connection_limit=5&sslmode=require' +
      '&options=-c%20statement_timeout%3D5s';
    expect(connectionOfUrl(url)).toEqual({
      connectionString: 'postgresql://a:b@db:5433/gw?sslmode=require',
      options: '-c statement_timeout=5s',
    });
  });

  it('ends no process when a connection breaks between two statements of its user', async () => {
    const pool = poolOf();
    const client = await pool.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const broken = new Promise((resolve) => client.once('end', resolve));
    await database.query(`SELECT pg_terminate_backend(${rows[0]?.pid})`);
    await broken;
    // Without a listener of the pool's own the break would have been an uncaught exception by now.
    await expect(client.query('SELECT 1')).rejects.toThrow();
    client.release(true);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it('refuses another schema than public', () => {
    expect(() => connectionOfUrl('postgresql://db/gw?schema=other')).toThrow(
      'DATABASE_URL asks for the schema "other"; the gateway lives in "public"',
    );
  });
});

describe('connectDatabase', () => {
  it('brings the database of a URL up to date and leaves its server running', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gw-migrations-'));
    mkdirSync(join(folder, '1_table'));
    const sql = 'CREATE TABLE landed (n int); GRANT SELECT ON landed TO gw_app;';
    writeFileSync(join(folder, '1_table', 'migration.sql'), sql);
    const { databaseUrl } = database;
    const options = { databaseUrl, dataDir: folder, migrationsFolder: folder, secret: 'secret' };
    const opened = await connectDatabase(options);
    const { rows } = await opened.pool.query('SELECT count(*) AS found FROM landed');
    await opened.stop();
    rmSync(folder, { recursive: true, force: true });
    expect(rows).toEqual([{ found: 0n }]);
    expect(opened.embedded).toBeUndefined();
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('says which server it cannot reach', async () => {
    const databaseUrl = 'postgresql://postgres@127.0.0.1:1/gw';
    const opening = connectDatabase({ databaseUrl, dataDir: tmpdir(), secret: 'secret' });
    await expect(opening).rejects.toMatchObject({ code: 'ECONNREFUSED', port: 1 });
  });
});
