import { Prisma } from '../generated/prisma/client.js';
import type { TenantScope } from './scope.js';

/** Which entries are read: those since a time, or all about the subjects that a statement gives. */
type EntriesRead = { readonly since: Date } | { readonly subjects: Prisma.Sql };

/**
 * A statement for joins: the latest value that journals of these kinds have about each subject, of
 * the entries read, as (subject, kind, value).
 */
export function latestValuesSql(
  scope: TenantScope,
  kinds: readonly string[],
  read: EntriesRead,
): Prisma.Sql {
  const isRead =
    'since' in read
      ? Prisma.sql`created_at >= ${read.since}`
      : Prisma.sql`subject IN (${read.subjects})`;
  return Prisma.sql`
    SELECT DISTINCT ON (subject) subject, kind, value FROM journal_entry
    WHERE tenant_id = ${scope.who.tenantId}::uuid AND kind = ANY(${[...kinds]}::text[])
      AND ${isRead}
    ORDER BY subject, created_at DESC, id DESC`;
}
