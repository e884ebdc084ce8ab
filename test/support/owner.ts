import type pg from 'pg';
import { connectionOfUrl } from '../../src/platform/database/connection.js';
import { createPool } from '../../src/platform/database/pool.js';
import { createPrisma, type PrismaDatabase } from '../../src/platform/database/prisma.js';

/**
 * A database past every wall, by a login that may do everything: for looking at the rows of all
 * tenants, and for planting what the gateway itself could never write.
 */
export interface OwnerDatabase {
  readonly pool: pg.Pool;
  readonly prisma: PrismaDatabase;
  close(): Promise<void>;
}

/** Makes an organization one that has existed since a day, as if it had registered then. */
export async function existedSince(
  { owner }: { readonly owner: Pick<OwnerDatabase, 'pool'> },
  tenantId: string,
  day = '2019-01-01',
): Promise<void> {
  await owner.pool.query('UPDATE tenant SET created_at = $2 WHERE id = $1', [tenantId, day]);
}

const CONNECTIONS_MAX = 3;

/** Opens a database as the login of this URL, or of this connection. */
export function openAsOwner(database: string | pg.ClientConfig): OwnerDatabase {
  const connection = typeof database === 'string' ? connectionOfUrl(database) : database;
  const pool = createPool({ connection, max: CONNECTIONS_MAX, applicationName: 'owner' });
  const prisma = createPrisma({ pool, platformPool: pool });
  return {
    pool,
    prisma,
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}
