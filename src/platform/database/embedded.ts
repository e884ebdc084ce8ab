import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ConfigError } from '../config.js';
import { createCluster, serverEnvironment } from './cluster.js';
import { opened } from './connection.js';
import { type EmbeddedLayout, prepareLayout } from './embedded-layout.js';

/** How to reach an embedded PostgreSQL: always its socket, never a network port. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** A running embedded PostgreSQL. */
export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
  /**
   * True for the process whose server it is. A second gateway on the same data folder is a guest:
   * when the owner ends, the server ends with it, statements in flight fail, and the guest starts
   * a server of its own in the same place. That gap is the limit of the embedded database: several
   * gateways that must not notice each other's restarts share a server through DATABASE_URL.
   */
  readonly owner: boolean;
  /** Stops the server with a fast shutdown and waits for its end; a guest only leaves. */
  stop(): Promise<void>;
}

/** Settings of `postgresql.conf` that a start adds to or puts in place of the defaults. */
export type ServerSettings = Readonly<Record<string, string>>;

const START_MS_MAX = 30_000;
const JOIN_MS_MAX = 1_000;
const RETRY_MS = 100;
const RESTART_MS_MAX = 5_000;
const LOG_CHARACTERS_MAX = 8_000;

/** What the server says when its predecessor is still there, whole or as backends dying off. */
const HELD_BY_ANOTHER = /postmaster\.pid|pre-existing shared memory|\.s\.PGSQL\.5432\.lock/;

const DEFAULT_SETTINGS: ServerSettings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  shared_buffers: '128MB',
  max_connections: '60',
  // Charges are flushed by their own session; this one only wakes five times a second otherwise.
  wal_writer_delay: '1s',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * A cluster keeps the kind of memory that the machine had on which it was set up; on another one,
 * such as a container without it, there may be none of it.
 */
function sharedMemory(): ServerSettings {
  if (process.platform !== 'linux') return {};
  try {
    accessSync('/dev/shm', constants.W_OK);
    return {};
  } catch {
    return { dynamic_shared_memory_type: 'sysv' };
  }
}

/**
 * The shell that stands between the gateway and PostgreSQL. Its standard input is a pipe that only
 * the gateway holds open: it closes however the gateway ends, kill -9 included, and PostgreSQL then
 * gets the signal for a fast shutdown. Nothing is left running.
 */
const SUPERVISOR = [
  'exec 3<&0',
  '"$@" </dev/null 3<&- & SERVER=$!',
  '{ cat <&3 >/dev/null; kill -INT $SERVER 2>/dev/null; } & WATCH=$!',
  'wait $SERVER; STATUS=$?',
  'kill $WATCH 2>/dev/null',
  'exit $STATUS',
].join('\n');

/**
 * Starts PostgreSQL on the data folder, or joins the one that already runs on it. A server that
 * ends while this process lives, whoever owned it, is started again.
 * @param archive tells where a prepared cluster is packed; asked where there is no cluster yet
 * @throws Error when the server cannot be set up or is not ready within 30 s
 */
export async function startEmbedded(
  dataDir: string,
  settings: ServerSettings = {},
  archive: () => string | undefined = () => undefined,
): Promise<EmbeddedPostgres> {
  const layout = prepareLayout(dataDir);
  const all = { ...DEFAULT_SETTINGS, ...sharedMemory(), ...settings };
  let hold = await takeHold(layout, all, archive);
  let stopping = false;
  const again = async () => {
    for (let wait = RETRY_MS; !stopping; wait = Math.min(wait * 2, RESTART_MS_MAX)) {
      const next = await takeHold(layout, all).catch(() => undefined);
      if (next) return next;
      await sleep(wait, undefined, { ref: false });
    }
    return hold;
  };
  const watch = async () => {
    while (!stopping) {
      await hold.ended;
      if (!stopping) hold = await again();
    }
  };
  const watching = watch();
  return {
    connection: connectionOf(layout),
    get owner() {
      return hold.owner;
    },
    stop: async () => {
      stopping = true;
      await hold.release();
      await watching;
      // The watch may just have been taking hold of a new server.
      await hold.release();
    },
  };
}

/** What ties this process to a running server, as its owner or as a guest. */
interface Hold {
  readonly owner: boolean;
  /** Resolves when the server has ended, or when the hold was released. */
  readonly ended: Promise<void>;
  release(): Promise<void>;
}

async function takeHold(
  layout: EmbeddedLayout,
  settings: ServerSettings,
  archive: () => string | undefined = () => undefined,
): Promise<Hold> {
  const connection = connectionOf(layout);
  const running =
    existsSync(join(layout.cluster, 'postmaster.pid')) && (await joinServer(connection));
  if (running) return running;
  await createCluster(layout, archive);
  // The time for the start begins here: a slow disk takes long to have a new cluster on it.
  const deadlineMs = performance.now() + START_MS_MAX;
  for (;;) {
    const server = await launch(layout, settings, deadlineMs);
    if (server) return server;
    // Another process holds the cluster: it is up and can be joined, or is just shutting down.
    const guest = await joinServer(connection);
    if (guest) return guest;
    if (performance.now() > deadlineMs) {
      throw new ConfigError(
        `another process keeps the data folder ${layout.cluster} locked and does not let ` +
          'this one share it; end it, or set GW_DATA_DIR to a folder of its own',
      );
    }
    await sleep(RETRY_MS);
  }
}

function connectionOf(layout: EmbeddedLayout): EmbeddedConnection {
  return { host: layout.socketFolder, port: 5432, user: 'postgres', database: 'postgres' };
}

/** One idle connection, whose end tells a guest that the owner's server has ended. */
async function joinServer(connection: EmbeddedConnection): Promise<Hold | undefined> {
  const timed = { ...connection, connectionTimeoutMillis: JOIN_MS_MAX };
  const client = await opened(timed).catch(() => undefined);
  if (client === undefined) return undefined;
  const ended = new Promise<void>((done) => client.once('end', () => done()));
  // The driver has these methods, its type declarations do not.
  const held = client as pg.Client & { ref(): void; unref(): void };
  held.unref();
  const release = () => {
    // Whoever leaves waits for the end of it, also a process that does nothing else any more.
    held.ref();
    return held.end();
  };
  return { owner: false, ended, release };
}

/** Returns undefined when another process holds the cluster. */
async function launch(
  layout: EmbeddedLayout,
  settings: ServerSettings,
  deadlineMs: number,
): Promise<Hold | undefined> {
  const child = spawnSupervisor(layout, settings);
  let log = '';
  let ended = false;
  const closed = new Promise<void>((done) => child.once('close', () => done()));
  child.stderr?.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-LOG_CHARACTERS_MAX);
  });
  if (child.stderr) tellCrashes(child.stderr);
  child.on('error', (error) => {
    log += error.message;
    ended = true;
  });
  child.once('close', () => {
    ended = true;
  });
  // Only a line of this very process counts: a ping might be answered by another owner's server.
  while (!log.includes('ready to accept connections')) {
    if (ended && HELD_BY_ANOTHER.test(log)) return undefined;
    if (ended) throw new Error(`the embedded PostgreSQL did not start:\n${log}`);
    if (performance.now() > deadlineMs) {
      child.stdin?.end();
      throw new Error(`the embedded PostgreSQL was not ready in ${START_MS_MAX} ms:\n${log}`);
    }
    await sleep(5);
  }
  unref(child);
  return { owner: true, ended: closed, release: () => shutDown(child, closed) };
}

function spawnSupervisor(layout: EmbeddedLayout, settings: ServerSettings): ChildProcess {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = join(layout.native, 'bin', 'postgres');
  const server = [program, '-D', layout.cluster, '-k', layout.socketFolder, '-p', '5432', ...flags];
  // Detached: Ctrl-C reaches the gateway alone, which drains first and stops its database last.
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', ...server], {
    ...layout.user,
    env: serverEnvironment(),
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  // Writing to a supervisor that is already gone must not end the gateway.
  child.stdin?.on('error', () => {});
  return child;
}

/** By what the server tells that one of its processes has crashed, and during which statement. */
const CRASH = /terminated by signal|Failed process was running|PANIC:/;

/**
 * Passes on what the server says of a crash. It ends all sessions then and goes on within a second,
 * so that nothing but refused requests would be seen of it.
 */
function tellCrashes(log: Readable): void {
  createInterface({ input: log }).on('line', (line) => {
    if (CRASH.test(line)) process.stderr.write(`embedded PostgreSQL: ${line}\n`);
  });
}

/** The pipes and the child must not keep the gateway's event loop alive by themselves. */
function unref(child: ChildProcess): void {
  child.unref();
  for (const pipe of [child.stdin, child.stderr]) {
    if (pipe && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  }
}

function shutDown(child: ChildProcess, closed: Promise<void>): Promise<void> {
  child.ref();
  child.stdin?.end();
  return closed;
}
