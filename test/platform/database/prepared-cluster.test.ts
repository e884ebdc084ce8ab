import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbedded } from '../../../src/platform/database/embedded.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { packCluster, preparedCluster } from '../../../src/platform/database/prepared-cluster.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { freshDatabase } from '../../support/database.js';
import { compileProgram } from './program.js';

const MIGRATIONS = join(projectRoot(), 'prisma', 'migrations');
/** A lost page is of no interest here. */
const UNFLUSHED = { fsync: 'off' };

let place: string;
let archive: string;
let folder: string;

const newFolder = () => {
  const path = mkdtempSync(join(tmpdir(), `gw-test-${process.pid}-`));
  chmodSync(path, 0o755);
  return path;
};

beforeAll(async () => {
  place = newFolder();
  writeFileSync(join(place, 'gateway.cluster-0000000000000000.tar.gz'), 'of other migrations');
  writeFileSync(join(place, 'gateway.cjs'), 'the server');
  await packCluster(place);
  archive = preparedCluster(MIGRATIONS, place) ?? '';
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

beforeEach(() => {
  folder = newFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = (packed: string | undefined = archive) =>
  startEmbedded(join(folder, 'postgres'), UNFLUSHED, () => packed);

async function query<R extends pg.QueryResultRow>(connection: pg.ClientConfig, sql: string) {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

const isMigrated = async ({ connection }: EmbeddedPostgres) => {
  const sql = `SELECT to_regclass('public.ledger_entry') IS NOT NULL AS yes`;
  return (await query<{ yes: boolean }>(connection, sql))[0]?.yes;
};

/** What is in the database beside the clock and the counters of its catalogues. */
const OBJECTS = `
  SELECT concat_ws(' ', c.oid::regclass, c.relkind, c.relacl) AS object
  FROM pg_class c WHERE c.relnamespace IN ('public'::regnamespace, 'gw_months'::regnamespace)
  UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
  FROM pg_constraint WHERE conrelid <> 0
  UNION ALL SELECT concat_ws(' ', rolname, rolcanlogin, rolbypassrls) FROM pg_roles
    WHERE rolname IN ('gw_owner', 'gw_app', 'gw_platform')
  UNION ALL SELECT concat_ws(' ', encoding, datlocprovider, datlocale, datcollate, datctype)
    FROM pg_database WHERE datname = current_database()
  ORDER BY 1`;

/** How many rows each table has. */
const ROWS = `
  SELECT t.relname AS name, (xpath('/row/n/text()', query_to_xml(format(
    'SELECT count(*) AS n FROM %I.%I', n.nspname, t.relname), false, true, '')))[1]::text AS rows
  FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
  WHERE t.relkind = 'r' AND n.nspname IN ('public', 'gw_months') ORDER BY 1`;

describe('a cluster that was packed', () => {
  it('starts with all that one has which was set up and migrated by itself', async () => {
    const own = await freshDatabase();
    const server = await start();
    try {
      const objects = await query(server.connection, OBJECTS);
      expect(objects.length).toBeGreaterThan(500);
      expect(objects).toEqual(await query(own.connection, OBJECTS));
      const rows = await query(server.connection, ROWS);
      expect(rows).toEqual(await query(own.connection, ROWS));
      expect(await migrate(server.connection, MIGRATIONS)).toEqual([]);
      const logins = 'SELECT rolname AS name FROM pg_roles WHERE rolcanlogin';
      expect(await query(server.connection, logins)).toEqual([{ name: 'postgres' }]);
      const checksums = `SELECT current_setting('data_checksums') AS data_checksums`;
      expect(await query(server.connection, checksums)).toEqual([{ data_checksums: 'on' }]);
    } finally {
      await server.stop();
      await own.drop();
    }
  });

  it('keeps what is written, and is not laid over it by the next start', async () => {
    const first = await start();
    await query(first.connection, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    const second = await start();
    const rows = await query(second.connection, 'SELECT answer FROM kept');
    await second.stop();
    expect(rows).toEqual([{ answer: 42 }]);
  });

  it('is one with one owner when two processes lay it at the same time', async () => {
    const program = compileProgram();
    const words = [program.path, join(folder, 'postgres'), 'wait', archive];
    const both = [1, 2].map(() => spawn(process.execPath, words));
    const said = await Promise.all(
      both.map(async ({ stdout }) => {
        const { value } = await createInterface({ input: stdout })[Symbol.asyncIterator]().next();
        return JSON.parse(value ?? '{}') as { owner: boolean };
      }),
    );
    const names = readdirSync(join(folder, 'postgres')).sort();
    const ended = both.map((child) => once(child, 'close'));
    for (const child of both) child.kill('SIGKILL');
    await Promise.all(ended);
    program.remove();
    expect(said.map(({ owner }) => owner).sort()).toEqual([false, true]);
    expect(names).toEqual(['cluster', 'socket']);
  });

  it('is asked for by its migrations alone', async () => {
    const others = join(folder, 'migrations');
    cpSync(MIGRATIONS, others, { recursive: true });
    expect(preparedCluster(others, place)).toBe(archive);
    mkdirSync(join(others, '99991231000000_more'));
    writeFileSync(join(others, '99991231000000_more', 'migration.sql'), 'SELECT 1');
    expect(preparedCluster(others, place)).toBeUndefined();
  });

  it('tells nothing of the machine that has packed it', () => {
    execFileSync('tar', ['-xzf', archive, '-C', folder]);
    expect(readdirSync(folder)).not.toContain('postmaster.opts');
    const words = ['-rlaF', '-e', projectRoot(), '-e', 'gw-cluster-', folder];
    const found = spawnSync('grep', words);
    expect([found.status, found.stdout.toString()]).toEqual([1, '']);
  });

  it('leaves no half behind where it cannot be packed', async () => {
    const elsewhere = newFolder();
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'tar'), '#!/bin/sh\necho half > "$3"; exit 2\n', { mode: 0o755 });
    writeFileSync(join(elsewhere, 'gateway.cluster-0000000000000000.tar.gz.1'), 'half');
    vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
    try {
      await expect(packCluster(elsewhere)).rejects.toThrow('tar');
      expect(readdirSync(elsewhere)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  it('takes the place of one that was packed before, and of nothing else', () => {
    const name = archive.slice(place.length + 1);
    expect(readdirSync(place).sort()).toEqual(['gateway.cjs', name].sort());
  });
});

describe('a folder is set up by itself', () => {
  const damaged: [string, (bytes: Buffer) => Buffer][] = [
    ['is cut short', (bytes) => bytes.subarray(0, bytes.length >> 1)],
    [
      'has a byte that is wrong',
      (bytes) => bytes.fill(0xff, bytes.length - 600, bytes.length - 590),
    ],
    ['is empty', () => Buffer.alloc(0)],
  ];
  it.each(damaged)('where the packed cluster %s', async (_what, damage) => {
    const path = join(folder, 'damaged.tar.gz');
    writeFileSync(path, damage(readFileSync(archive)));
    const server = await start(path);
    const migrated = await isMigrated(server);
    await server.stop();
    expect(migrated).toBe(false);
    expect(readdirSync(join(folder, 'postgres')).sort()).toEqual(['cluster', 'socket']);
  });

  it('where the packed cluster cannot be opened', async () => {
    const server = await start(join(folder, 'absent.tar.gz'));
    const migrated = await isMigrated(server);
    await server.stop();
    expect(migrated).toBe(false);
  });

  it('where there is none', async () => {
    const server = await startEmbedded(join(folder, 'postgres'), UNFLUSHED);
    const migrated = await isMigrated(server);
    await server.stop();
    expect(migrated).toBe(false);
  });
});

it('a start removes what killed starts have left, and nothing of one that runs', async () => {
  const postgres = join(folder, 'postgres');
  const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(gone, 'close');
  const of = (pid: number | undefined) => `cluster.unfinished-${pid}`;
  const kept = [of(process.ppid), 'cluster.unfinished-', 'cluster.before', `cluster.${gone.pid}`];
  for (const name of [of(process.pid), of(gone.pid), ...kept]) {
    mkdirSync(join(postgres, name), { recursive: true });
    writeFileSync(join(postgres, name, 'PG_VERSION'), 'half');
  }
  const server = await start();
  const migrated = await isMigrated(server);
  await server.stop();
  expect(migrated).toBe(true);
  expect(readdirSync(postgres).sort()).toEqual(['cluster', ...kept, 'socket'].sort());
});
