import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbedded } from '../../../src/platform/database/embedded.js';
import { layPreparedCluster } from '../../support/prepared-cluster.js';
import { compileProgram, type Program } from './program.js';

let program: Program;
let folder: string;

beforeAll(() => {
  program = compileProgram();
});

afterAll(() => program.remove());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), `gw-test-${process.pid}-`));
  chmodSync(folder, 0o755);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function query(server: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client(server.connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

interface Started {
  readonly child: ChildProcess;
  /** The lines that it prints after the first. */
  readonly lines: AsyncIterator<string>;
  readonly owner: boolean;
  readonly cluster: string;
}

async function startProgram(...words: string[]): Promise<Started> {
  const child = spawn(process.execPath, [program.path, join(folder, 'postgres'), ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  return { child, lines, ...JSON.parse(String(first.value)) };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

describe('the embedded PostgreSQL', () => {
  it('starts from an empty folder on a socket alone, in UTC and UTF-8', async () => {
    const server = await startEmbedded(join(folder, 'postgres'));
    const settings = await query(
      server,
      `SELECT current_setting('listen_addresses') AS addresses, current_setting('TimeZone') AS zone,
              current_setting('server_encoding') AS encoding, inet_server_addr() AS address`,
    );
    await server.stop();
    expect(server.owner).toBe(true);
    expect(settings).toEqual([{ addresses: '', zone: 'UTC', encoding: 'UTF8', address: null }]);
  });

  it('has after a stop and a second start what it had before', async () => {
    await layPreparedCluster(join(folder, 'postgres'));
    const first = await startEmbedded(join(folder, 'postgres'));
    await query(first, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    const second = await startEmbedded(join(folder, 'postgres'));
    const rows = await query(second, 'SELECT answer FROM kept');
    await second.stop();
    expect(second.owner).toBe(true);
    expect(rows).toEqual([{ answer: 42 }]);
  });

  it('is one cluster with one owner when two processes start it at the same time', async () => {
    const both = await Promise.all([startProgram(), startProgram()]);
    for (const { child } of both) await kill(child);
    expect(both.map(({ owner }) => owner).sort()).toEqual([false, true]);
    expect(both[0]?.cluster).toBe(both[1]?.cluster);
  });

  it('goes with its owner at kill -9 and comes back with every acknowledged row', async () => {
    await layPreparedCluster(join(folder, 'postgres'));
    const { child, lines } = await startProgram('write');
    let acknowledged = 0;
    while (acknowledged < 200) acknowledged = Number((await lines.next()).value);
    await kill(child);
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      acknowledged = Number(line.value);
    }
    const server = await startEmbedded(join(folder, 'postgres'));
    const count = `SELECT count(*)::int AS found FROM acknowledged WHERE id <= ${acknowledged}`;
    // The killed owner's server may still have answered while it went down.
    const rows = await vi.waitFor(() => query(server, count), 20_000);
    await server.stop();
    expect(rows).toEqual([{ found: acknowledged }]);
  });

  it('is taken over by the guest when its owner is killed', async () => {
    await layPreparedCluster(join(folder, 'postgres'));
    const { child } = await startProgram();
    const guest = await startEmbedded(join(folder, 'postgres'));
    const before = guest.owner;
    await query(guest, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await kill(child);
    await vi.waitFor(() => expect(guest.owner).toBe(true), 20_000);
    const rows = await query(guest, 'SELECT answer FROM kept');
    await guest.stop();
    expect(before).toBe(false);
    expect(rows).toEqual([{ answer: 42 }]);
  });

  it('outlives a guest that leaves', async () => {
    await layPreparedCluster(join(folder, 'postgres'));
    const owner = await startEmbedded(join(folder, 'postgres'));
    const guest = await startEmbedded(join(folder, 'postgres'));
    await guest.stop();
    const rows = await query(owner, 'SELECT 1 AS one');
    await owner.stop();
    expect([owner.owner, guest.owner]).toEqual([true, false]);
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('is left by a guest that does nothing else any more', async () => {
    const owner = await startProgram();
    const guest = await startProgram('leave');
    expect([guest.owner, (await guest.lines.next()).value]).toEqual([false, 'left']);
    await kill(owner.child);
  });

  it('is started again by its owner when the server itself is killed', async () => {
    await layPreparedCluster(join(folder, 'postgres'));
    const server = await startEmbedded(join(folder, 'postgres'));
    await query(server, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const postmaster = () =>
      readFileSync(join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0];
    const before = postmaster();
    process.kill(Number(before), 'SIGKILL');
    const rows = await vi.waitFor(() => query(server, 'SELECT answer FROM kept'), 20_000);
    const after = postmaster();
    await server.stop();
    expect(rows).toEqual([{ answer: 42 }]);
    expect(after).not.toBe(before);
  });

  it('says on standard error that one of its processes crashed, and during what', async () => {
    await layPreparedCluster(join(folder, 'postgres'));
    const told: string[] = [];
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      told.push(String(text));
      return true;
    });
    const server = await startEmbedded(join(folder, 'postgres'));
    const victim = query(server, 'SELECT pg_sleep(60) /* crashed */').catch(String);
    const found = await vi.waitFor(async () => {
      const sql = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'";
      const [row] = await query(server, sql);
      return (row as { pid: number }).pid;
    });
    process.kill(found, 'SIGSEGV');
    await victim;
    await vi.waitFor(() => expect(told).toHaveLength(2));
    write.mockRestore();
    await server.stop();
    expect(told).toEqual([
      expect.stringMatching(/^embedded PostgreSQL: .*terminated by signal 11/),
      expect.stringContaining('Failed process was running: SELECT pg_sleep(60) /* crashed */'),
    ]);
  });

  it('works in a folder so deep that its socket has to be elsewhere', async () => {
    const deep = join(folder, 'deep'.repeat(20), 'deeper'.repeat(10));
    const server = await startEmbedded(deep);
    const rows = await query(server, 'SELECT 1 AS one');
    await server.stop();
    rmSync(server.connection.host, { recursive: true, force: true });
    expect(rows).toEqual([{ one: 1 }]);
    expect(server.connection.host.startsWith(deep)).toBe(false);
  });

  it.runIf(process.getuid?.() === 0)(
    'keeps its data under /var/lib when root alone can reach the folder',
    async () => {
      chmodSync(folder, 0o700);
      const server = await startEmbedded(join(folder, 'postgres'));
      const rows = await query(server, 'SELECT 1 AS one');
      await server.stop();
      rmSync(dirname(server.connection.host), { recursive: true, force: true });
      expect(rows).toEqual([{ one: 1 }]);
      expect(server.connection.host).toMatch(/^\/var\/lib\/gw-embedded\/[0-9a-f]{12}\/socket$/);
    },
  );

  it('says why when the server refuses to start', async () => {
    await layPreparedCluster(join(folder, 'postgres'));
    const starting = startEmbedded(join(folder, 'postgres'), { shared_buffers: 'plenty' });
    await expect(starting).rejects.toThrow(/invalid value for parameter "shared_buffers"/);
  });
});
