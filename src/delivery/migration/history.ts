import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import type { MigrationNote } from './notes.js';

/** An entry of the history of a migration. */
export interface HistoryEntry {
  readonly subject: string;
  readonly value: MigrationNote;
  readonly body: unknown;
  readonly createdAt: Date;
}

const ENTRIES_MAX = 50;

/** The latest 50 entries of each migration, newest first, by one statement. */
export async function readHistories(
  ctx: AuthorizedCtx,
  migrationIds: readonly string[],
): Promise<HistoryEntry[][]> {
  const rows = await database(ctx).$queryRaw<HistoryEntry[]>`
    SELECT j.subject, j.value, j.body, j.created_at AS "createdAt"
    FROM unnest(${[...migrationIds]}::text[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT * FROM journal_entry e
      WHERE e.tenant_id = ${ctx.who.tenantId}::uuid AND e.kind = 'migration_project'
        AND e.subject = wanted.id
      ORDER BY e.created_at DESC, e.id DESC LIMIT ${ENTRIES_MAX}) AS j`;
  return migrationIds.map((id) => rows.filter(({ subject }) => subject === id));
}
