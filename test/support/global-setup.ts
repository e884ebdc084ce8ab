import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type EmbeddedConnection, startEmbedded } from '../../src/platform/database/embedded.js';
import { layPreparedCluster, TEMPLATE } from './prepared-cluster.js';

/** The server that all test files of a run share. */
export interface TestServer {
  readonly connection: EmbeddedConnection;
  /** The name of the migrated database that `freshDatabase` copies. */
  readonly template: string;
  /** Why there is no template database: tests that need one fail with it, pure tests go on. */
  readonly templateFailure?: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServer;
  }
}

const FOLDER_PREFIX = 'gw-test-';

/** A test run may lose its data with the machine, so nothing waits for the disk. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  // Each test file has a database of its own: the kernel copies its files, not the server.
  file_copy_method: 'clone',
};

/** Starts one embedded PostgreSQL for the run with a migrated template database in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeLeftFolders();
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  // Run as root, the server belongs to `nobody`, who has to reach it in here.
  chmodSync(folder, 0o755);
  const dataDir = join(folder, 'postgres');
  const templateFailure = await layPreparedCluster(dataDir).catch(String);
  const server = await startEmbedded(dataDir, SETTINGS);
  project.provide('testServer', {
    connection: server.connection,
    template: TEMPLATE,
    templateFailure: templateFailure ?? undefined,
  });
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Runs that were killed could not remove their folders; the process id in the name tells. */
function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${FOLDER_PREFIX}(\\d+)-`).exec(name)?.[1];
    if (!pid || isRunning(Number(pid))) continue;
    const folder = join(tmpdir(), name);
    const busy = existsSync(join(folder, 'postgres', 'cluster', 'postmaster.pid'));
    if (!busy) rmSync(folder, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
