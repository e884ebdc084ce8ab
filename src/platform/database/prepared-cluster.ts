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
import { join } from 'node:path';
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
  try {
    const dataDir = join(folder, 'postgres');
    const server = await startEmbedded(dataDir, SETTINGS);
    await migrate(server.connection, ownMigrations()).finally(() => server.stop());
    pack(prepareLayout(dataDir).cluster, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function pack(cluster: string, place: string): void {
  const name = nameFor(ownMigrations());
  const fresh = `${name}.${process.pid}`;
  const words = ['-czf', join(place, fresh), '-C', cluster, '.'];
  execFileSync('tar', words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const others = readdirSync(place).filter((each) => each.startsWith(PREFIX) && each !== fresh);
  for (const each of others) rmSync(join(place, each));
  renameSync(join(place, fresh), join(place, name));
}
