import { spawn } from 'node:child_process';
import { chmodSync, chownSync, closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../folders.js';
import { type EmbeddedLayout, putInPlace, removeLeftovers, unfinished } from './embedded-layout.js';

/** What PostgreSQL's programs see of the environment. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  // The server's own messages are read, so their language must not depend on the machine.
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' };
}

const OPTIONS = [
  '-U postgres -A trust -E UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8',
  '--no-instructions',
]
  .join(' ')
  .split(' ');

/** Where it is, there is a cluster. */
const VERSION_FILE = 'PG_VERSION';

/**
 * Unpacks what comes in, and has it on the disk before it ends, as initdb has what it makes. One
 * process for the caller, whose own work goes on meanwhile.
 */
const UNPACK = 'tar -xzf - -C "$2" && exec "$1" --sync-only -D "$2"';

/**
 * Sets up the cluster where there is none: from the archive of a prepared one, and by initdb where
 * that is absent or cannot be unpacked. Removes what is left of starts that were killed at it.
 * @throws Error with what initdb says
 */
export async function createCluster(
  layout: EmbeddedLayout,
  archive: () => string | undefined,
): Promise<void> {
  if (!existsSync(join(layout.cluster, VERSION_FILE))) await makeCluster(layout, archive);
  removeLeftovers(layout.cluster);
}

async function makeCluster(
  layout: EmbeddedLayout,
  archive: () => string | undefined,
): Promise<void> {
  const fresh = unfinished(layout.cluster);
  // Of a start that was killed; in a container each one has the same number.
  rmSync(fresh, { recursive: true, force: true });
  const packed = archive();
  const isLaid = packed !== undefined && (await unpack(layout, packed, fresh));
  if (!isLaid) await initialize(layout, fresh);
  // One rename, so that of two gateways that start at once exactly one cluster stays.
  putInPlace(fresh, layout.cluster);
}

const initdbOf = ({ native }: EmbeddedLayout) => join(native, 'bin', 'initdb');

async function initialize(layout: EmbeddedLayout, fresh: string): Promise<void> {
  const { code, said } = await run(layout, [initdbOf(layout), '-D', fresh, ...OPTIONS]);
  if (code !== 0) throw new Error(`the embedded PostgreSQL could not be set up: ${said}`);
}

/** @returns false when it left nothing behind */
async function unpack(layout: EmbeddedLayout, archive: string, fresh: string): Promise<boolean> {
  const opened = openedArchive(archive);
  if (opened === undefined) return false;
  try {
    makeFolder(fresh);
    chmodSync(fresh, 0o700);
    if (layout.user) chownSync(fresh, layout.user.uid, layout.user.gid);
    const words = ['/bin/sh', '-c', UNPACK, 'sh', initdbOf(layout), fresh];
    const { code } = await run(layout, words, opened);
    if (code === 0 && existsSync(join(fresh, VERSION_FILE))) return true;
    rmSync(fresh, { recursive: true, force: true });
    return false;
  } finally {
    closeSync(opened);
  }
}

/** Whom the server runs as may not reach it, so it is opened here; undefined where nobody may. */
function openedArchive(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

interface Ended {
  /** Absent when it could not be run or a signal ended it. */
  readonly code: number | undefined;
  readonly said: string;
}

/** Runs a program as the user of the server, with an open file as its input. */
function run(layout: EmbeddedLayout, words: readonly string[], input?: number): Promise<Ended> {
  const [program = '', ...rest] = words;
  const child = spawn(program, rest, {
    ...layout.user,
    env: serverEnvironment(),
    cwd: '/',
    stdio: [input ?? 'ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (part: Buffer) => {
    said += part.toString();
  });
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ code: undefined, said: message }));
    child.once('close', (code) => resolve({ code: code ?? undefined, said }));
  });
}
