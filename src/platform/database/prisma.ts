import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from '../../generated/prisma/client.js';

/** The management side's way to the database. The chat path does not use it. */
export type PrismaDatabase = PrismaClient;

const STATEMENT_NAMES_MAX = 2_000;

/** A client on the shared pool; statements are named so that the server plans each once. */
export function createPrisma(pool: Pool): PrismaDatabase {
  const names = new Map<string, string>();
  const statementNameGenerator = ({ sql }: { sql: string }): string | undefined => {
    const known = names.get(sql);
    if (known !== undefined || names.size >= STATEMENT_NAMES_MAX) return known;
    const name = `prisma_${names.size}`;
    names.set(sql, name);
    return name;
  };
  return new PrismaClient({ adapter: new PrismaPg(pool, { statementNameGenerator } as object) });
}
