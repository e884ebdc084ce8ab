import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import { onceConnected } from './connection.js';
import { startEmbedded } from './embedded.js';
import { nativeVersion, packagedNative, prepareLayout } from './embedded-layout.js';
import { migrate, readMigrations } from './migrate.js';
import { projectRoot } from './project-root.js';

/** Beside the built server, which a release takes with it. */
const PREFIX = 'gateway.cluster-';

const built = () => join(projectRoot(), 'dist');
const ownMigrations = () => join(projectRoot(), 'prisma', 'migrations');

/**
 * Where a cluster is packed that is set up and migrated by exactly these migrations, for a start on
 * an empty folder to lay; undefined when there is none.
 * @param place where the build packs it when left out
 */
export function preparedCluster(
  migrationsFolder: string = ownMigrations(),
  place: string = built(),
): string | undefined {
  const path = join(place, nameFor(migrationsFolder));
  return existsSync(path) ? path : undefined;
}

/** Of another PostgreSQL, for another machine or by other migrations it is another file. */
function nameFor(migrationsFolder: string): string {
  const parts = [
    `${process.platform}-${process.arch}`,
    nativeVersion(packagedNative()),
    readFileSync(join(projectRoot(), 'prisma', 'roles.sql'), 'utf8'),
    ...readMigrations(migrationsFolder).map(({ name, checksum }) => `${name} ${checksum}`),
  ];
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${PREFIX}${hash.slice(0, 16)}.tar.gz`;
}

/** What is lost with the machine is made again, and a log kept for later is only ballast. */
const SETTINGS = { fsync: 'off', wal_recycle: 'off', min_wal_size: '32MB' };

/**
 * Sets up a cluster, migrates it, and packs it for `preparedCluster`. It holds no secret and no
 * row but what the migrations write: logins and keys are made by the start that lays it.
 * @throws Error where PostgreSQL or tar cannot be run
 */
export async function packCluster(place: string = built()): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gw-cluster-'));
  // Run as root, the server belongs to `nobody`, who has to reach it in here.
  chmodSync(folder, 0o755);
  const made = [folder];
  try {
    const dataDir = join(folder, 'postgres');
    const { cluster, socketFolder } = prepareLayout(dataDir);
    // Where nobody cannot reach the temporary folder, they are elsewhere.
    made.push(dirname(cluster), socketFolder);
    const server = await startEmbedded(dataDir, SETTINGS);
    await fill(server.connection).finally(() => server.stop());
    // How the server was started: the folders of this machine.
    rmSync(join(cluster, 'postmaster.opts'));
    pack(cluster, place);
  } finally {
    for (const each of made) rmSync(each, { recursive: true, force: true });
  }
}

async function fill(connection: pg.ClientConfig): Promise<void> {
  await migrate(connection, ownMigrations());
  // The log of all that goes with the segment it is in; the next one is empty and packs to nothing.
  await onceConnected(connection, (client) => client.query('SELECT pg_switch_wal()'));
}

function pack(cluster: string, place: string): void {
  const name = nameFor(ownMigrations());
  const fresh = `${name}.${process.pid}`;
  // By their numbers, as the names of users are of no use elsewhere.
  const words = ['--numeric-owner', '-czf', join(place, fresh), '-C', cluster, '.'];
  const others = readdirSync(place).filter((each) => each.startsWith(PREFIX));
  try {
    execFileSync('tar', words, { stdio: ['ignore', 'ignore', 'pipe'] });
    renameSync(join(place, fresh), join(place, name));
  } finally {
    // Half an archive, or one of other migrations, which a release would take along.
    for (const each of [...others, fresh]) {
      if (each !== name) rmSync(join(place, each), { recursive: true, force: true });
    }
  }
}
