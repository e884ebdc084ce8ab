import type { Config } from '../../platform/config.js';
import { type DatabaseOptions, PLATFORM_POOL_MAX } from '../../platform/database/pool.js';

/** Connections of a worker beside its pools: for notifications, its name and the ledger. */
const OF_A_WORKER = 5;
/** For the primary, commands beside it, and places that PostgreSQL keeps for itself. */
const OF_OTHERS = 30;

/** Where the database of these settings is. */
export function databaseOf(config: Config): DatabaseOptions {
  const { DATABASE_URL, DATABASE_MIGRATION_URL, dataDir, secret, otherSecrets } = config;
  const at = { databaseUrl: DATABASE_URL, migrationUrl: DATABASE_MIGRATION_URL };
  return { ...at, dataDir, secret, otherSecrets };
}

/** How many connections an embedded server has to take of all workers. */
export function connectionsMax({ workerCount, DATABASE_POOL_MAX }: Config): number {
  return OF_OTHERS + workerCount * (DATABASE_POOL_MAX + PLATFORM_POOL_MAX + OF_A_WORKER);
}
