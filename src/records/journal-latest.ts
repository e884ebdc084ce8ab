import { Prisma } from '../generated/prisma/client.js';
import type { TenantScope } from './scope.js';

/**
 * A statement for joins: the latest value that journals of these kinds have about each subject, of
 * the entries since a time, as (subject, kind, value).
 */
export function latestValuesSql(
  scope: TenantScope,
  kinds: readonly string[],
  since: Date,
): Prisma.Sql {
  return Prisma.sql`
    SELECT DISTINCT ON (subject) subject, kind, value FROM journal_entry
    WHERE tenant_id = ${scope.who.tenantId}::uuid AND kind = ANY(${[...kinds]}::text[])
      AND created_at >= ${since}
    ORDER BY subject, created_at DESC, id DESC`;
}
