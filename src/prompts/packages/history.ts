import type { JournalEntry, Prisma, Prompt, PromptVersion } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Ctx } from '../../graph/ctx.js';
import { caller, database } from '../../graph/database.js';
import { NEWEST_FIRST } from '../../graph/page.js';
import { entriesWhere } from '../../records/journals.js';
import { requireOwn } from '../../records/own.js';
import { PROMPT_JOURNAL } from './journal.js';
import type { PromptStatus } from './vocabulary.js';

/** Entries of the history that stand in a package itself; `promptHistory` pages all. */
export const RECENT_MAX = 50;

/** Which packages are listed; what is left out does not narrow. */
export interface PromptFilter {
  readonly status?: PromptStatus | null;
  readonly ownerTeam?: string | null;
  readonly useCase?: string | null;
}

/** A page of the tenant's packages, newest first. */
export function listPrompts(
  ctx: Ctx,
  { status, ownerTeam, useCase }: PromptFilter,
  query: Prisma.PromptFindManyArgs,
): Promise<Prompt[]> {
  const where = {
    status: status ?? undefined,
    ownerTeam: ownerTeam ?? undefined,
    useCase: useCase ?? undefined,
  };
  return database(ctx).prompt.findMany({ ...query, where, orderBy: NEWEST_FIRST });
}

/**
 * A page of the versions of a package, newest first.
 * @throws not_found
 */
export async function versionsOf(
  ctx: AuthorizedCtx,
  promptId: string,
  query: Prisma.PromptVersionFindManyArgs,
): Promise<PromptVersion[]> {
  await requireOwn(ctx, 'Prompt', promptId, { param: 'promptId' });
  const orderBy = { version: 'desc' } as const;
  return database(ctx).promptVersion.findMany({ ...query, where: { promptId }, orderBy });
}

/**
 * A page of what happened to a package, newest first.
 * @throws not_found
 */
export async function historyOf(
  ctx: AuthorizedCtx,
  promptId: string,
  query: Prisma.JournalEntryFindManyArgs,
): Promise<JournalEntry[]> {
  await requireOwn(ctx, 'Prompt', promptId, { param: 'promptId' });
  const where = entriesWhere(PROMPT_JOURNAL, { subject: promptId });
  return database(ctx).journalEntry.findMany({ ...query, where, orderBy: NEWEST_FIRST });
}

/** The latest entries of many packages, at most 50 of each, newest first. */
export async function recentHistories(
  ctx: Ctx,
  promptIds: readonly string[],
): Promise<JournalEntry[]> {
  const { tenantId } = caller(ctx);
  const rows = await database(ctx).$queryRaw<{ id: string }[]>`
    SELECT recent.id FROM unnest(${[...promptIds]}::text[]) AS of_prompt (id)
    CROSS JOIN LATERAL (
      SELECT e.id FROM journal_entry e
      WHERE e.tenant_id = ${tenantId}::uuid AND e.kind = ${PROMPT_JOURNAL.kind}
        AND e.subject = of_prompt.id
      ORDER BY e.id DESC LIMIT ${RECENT_MAX}) AS recent`;
  const where = { id: { in: rows.map(({ id }) => id) } };
  return database(ctx).journalEntry.findMany({ where, orderBy: NEWEST_FIRST });
}
