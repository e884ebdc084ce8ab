import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/platform/database/migrate.js';
import { type EmptyDatabase, emptyDatabase } from './empty.js';

let database: EmptyDatabase;
let folder: string;

beforeEach(async () => {
  database = await emptyDatabase();
  folder = mkdtempSync(join(tmpdir(), 'gw-migrations-'));
});

afterEach(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, sql: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'migration.sql'), sql);
}

const NEW_FUNCTION = `
  CREATE FUNCTION twice(n int) RETURNS int LANGUAGE plpgsql AS $$
  BEGIN RETURN n * 2; END; $$;
  INSERT INTO counted VALUES (twice(21));`;

describe('migrate', () => {
  it('applies what is new in the order of the names, and nothing twice', async () => {
    write('2_function', NEW_FUNCTION);
    write('1_table', 'CREATE TABLE counted (n int);');
    writeFileSync(join(folder, 'migration_lock.toml'), 'provider = "postgresql"');
    const first = await migrate(database.connection, folder);
    const second = await migrate(database.connection, folder);
    write('3_more', 'INSERT INTO counted VALUES (1);');
    const third = await migrate(database.connection, folder);
    expect([first, second, third]).toEqual([['1_table', '2_function'], [], ['3_more']]);
    expect(await database.query('SELECT n FROM counted')).toEqual([{ n: 42 }, { n: 1 }]);
  });

  it('applies each migration once when many processes start at the same time', async () => {
    write('1_table', 'CREATE TABLE counted (n int); INSERT INTO counted VALUES (1);');
    const starts = Array.from({ length: 8 }, () => migrate(database.connection, folder));
    const applied = await Promise.all(starts);
    expect(applied.flat()).toEqual(['1_table']);
    expect(await database.query('SELECT n FROM counted')).toEqual([{ n: 1 }]);
  });

  it('refuses a migration that was edited after it landed, and applies nothing', async () => {
    write('1_table', 'CREATE TABLE counted (n int);');
    await migrate(database.connection, folder);
    write('1_table', 'CREATE TABLE counted (n bigint);');
    write('2_more', 'INSERT INTO counted VALUES (1);');
    await expect(migrate(database.connection, folder)).rejects.toMatchObject({
      name: 'MigrationError',
      migration: '1_table',
      message:
        'migration 1_table was edited after it was applied; restore its file and put the ' +
        'change in a new migration',
    });
    expect(await database.query('SELECT n FROM counted')).toEqual([]);
  });

  it('tries a migration again that a node at work has met in a deadlock', async () => {
    await database.query('CREATE TABLE first (n int); CREATE TABLE second (n int)');
    write('1_both', 'LOCK first; SELECT pg_sleep(0.3); LOCK second; INSERT INTO second VALUES (1)');
    const node = new pg.Client(database.connection);
    await node.connect();
    // The migration is whom the server ends, since it looks sooner.
    await node.query("SET deadlock_timeout = '20s'; BEGIN; LOCK second");
    const migrating = migrate(database.connection, folder);
    const held = `SELECT FROM pg_locks WHERE relation = 'first'::regclass AND granted`;
    await expect.poll(() => database.query(held)).toHaveLength(1);
    await node.query('LOCK first');
    await node.query('COMMIT');
    await node.end();
    expect(await migrating).toEqual(['1_both']);
    const failed = 'SELECT logs FROM _prisma_migrations WHERE rolled_back_at IS NOT NULL';
    expect(await database.query(failed)).toEqual([]);
    expect(await database.query('SELECT n FROM second')).toEqual([{ n: 1 }]);
  });

  it('builds an index while nodes at work write, and other starts wait for it', async () => {
    write('0_table', 'CREATE TABLE written (n int);');
    await migrate(database.connection, folder);
    const built = 'CREATE INDEX CONCURRENTLY written_n ON written (n) WHERE n > 0';
    write('1_index', `-- Why.\n${built};\n`);
    const [early, late] = [new pg.Client(database.connection), new pg.Client(database.connection)];
    await Promise.all([early.connect(), late.connect()]);
    await early.query('BEGIN; INSERT INTO written VALUES (1)');
    const starts = [1, 2].map(() => migrate(database.connection, folder));
    const waits = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'virtualxid' AND NOT granted AND datname = current_database()`;
    await expect.poll(() => database.query(waits), { timeout: 20_000 }).toHaveLength(1);
    await late.query("SET lock_timeout = '5s'; INSERT INTO written VALUES (2)");
    await early.query('COMMIT');
    await Promise.all([early.end(), late.end()]);
    expect((await Promise.all(starts)).flat()).toEqual(['1_index']);
    const valid = `SELECT indisvalid FROM pg_index WHERE indexrelid = 'written_n'::regclass`;
    expect(await database.query(valid)).toEqual([{ indisvalid: true }]);
  });

  it('begins an index anew that could not be built', async () => {
    await database.query('CREATE TABLE doubled (n int); INSERT INTO doubled VALUES (1), (1)');
    write('1_index', 'CREATE UNIQUE INDEX CONCURRENTLY doubled_n ON doubled (n);\n');
    await expect(migrate(database.connection, folder)).rejects.toMatchObject({
      message: expect.stringContaining('could not create unique index "doubled_n"'),
    });
    const valid = `SELECT indisvalid FROM pg_index WHERE indexrelid = 'doubled_n'::regclass`;
    expect(await database.query(valid)).toEqual([{ indisvalid: false }]);
    await database.query('DELETE FROM doubled');
    expect(await migrate(database.connection, folder)).toEqual(['1_index']);
    expect(await database.query(valid)).toEqual([{ indisvalid: true }]);
  });

  it('leaves nothing of a migration that fails, says where, and tries again', async () => {
    write('1_table', 'CREATE TABLE counted (n int);');
    write('2_faulty', 'INSERT INTO counted VALUES (1);\nINSERT INTO missing VALUES (1);');
    await expect(migrate(database.connection, folder)).rejects.toMatchObject({
      migration: '2_faulty',
      message:
        'migration 2_faulty failed and was rolled back: ' +
        'relation "missing" does not exist (line 2)',
    });
    const [row] = await database.query(
      `SELECT finished_at, rolled_back_at IS NOT NULL AS rolled_back, logs
       FROM _prisma_migrations WHERE migration_name = '2_faulty'`,
    );
    expect(row).toEqual({
      finished_at: null,
      rolled_back: true,
      logs: 'relation "missing" does not exist (line 2)',
    });
    expect(await database.query('SELECT n FROM counted')).toEqual([]);
    write('2_faulty', 'INSERT INTO counted VALUES (2);');
    expect(await migrate(database.connection, folder)).toEqual(['2_faulty']);
    expect(await database.query('SELECT n FROM counted')).toEqual([{ n: 2 }]);
  });

  it('leaves nothing of a migration whose process dies half way', async () => {
    write('1_half', 'CREATE TABLE counted (n int); SELECT pg_terminate_backend(pg_backend_pid());');
    await expect(migrate(database.connection, folder)).rejects.toThrow(/terminat/);
    const tables = await database.query(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
    );
    expect(tables).toEqual([{ tablename: '_prisma_migrations' }]);
    write('1_half', 'CREATE TABLE counted (n int);');
    expect(await migrate(database.connection, folder)).toEqual(['1_half']);
  });

  it('refuses to go on over a migration that another program left unfinished', async () => {
    write('1_table', 'CREATE TABLE counted (n int);');
    await migrate(database.connection, folder);
    await database.query(
      `UPDATE _prisma_migrations SET finished_at = NULL, logs = 'out of disk space'`,
    );
    await expect(migrate(database.connection, folder)).rejects.toMatchObject({
      migration: '1_table',
      message:
        'migration 1_table was begun and not finished; look at the database, then run ' +
        '"npx prisma migrate resolve" for it. out of disk space',
    });
  });

  it('runs in UTC whatever zone the connection asks for', async () => {
    write('1_zone', `CREATE TABLE zone AS SELECT current_setting('TimeZone') AS name;`);
    const connection: pg.ClientConfig = {
      ...database.connection,
      options: '-c TimeZone=Europe/Moscow',
    };
    await migrate(connection, folder);
    expect(await database.query('SELECT name FROM zone')).toEqual([{ name: 'UTC' }]);
  });
});
