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
 * Where the build has packed a cluster that is set up and migrated by exactly these migrations, for
 * a start on an empty folder to lay; undefined when it has none.
 */
export function preparedCluster(migrationsFolder: string = ownMigrations()): string | undefined {
  const path = join(built(), nameFor(migrationsFolder));
  return existsSync(path) ? path : undefined;
}

/** Of another version of PostgreSQL, for another machine or by other migrations it is another file. */
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

/** What is lost with the machine is made again; and a log that is kept for later is only ballast. */
const SETTINGS = { fsync: 'off', wal_recycle: 'off', min_wal_size: '32MB' };

/**
 * Sets up a cluster, migrates it, and packs it for `preparedCluster`. It holds no secret and no row
 * of its own but what the migrations write: logins and keys are made by the start that lays it.
 * @throws Error where PostgreSQL or tar cannot be run
 */
export async function packCluster(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gw-cluster-'));
  // Run as root, the server belongs to `nobody`, who has to reach it in here.
  chmodSync(folder, 0o755);
  try {
    const dataDir = join(folder, 'postgres');
    const server = await startEmbedded(dataDir, SETTINGS);
    await migrate(server.connection, ownMigrations()).finally(() => server.stop());
    pack(prepareLayout(dataDir).cluster);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function pack(cluster: string): void {
  const name = nameFor(ownMigrations());
  const fresh = join(built(), `${name}.${process.pid}`);
  execFileSync('tar', ['-czf', fresh, '-C', cluster, '.'], { stdio: ['ignore', 'ignore', 'pipe'] });
  for (const other of readdirSync(built())) {
    const path = join(built(), other);
    if (other.startsWith(PREFIX) && path !== fresh) rmSync(path);
  }
  renameSync(fresh, join(built(), name));
}
