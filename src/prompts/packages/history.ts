import type { JournalEntry, Prisma, Prompt, PromptVersion } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Ctx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { NEWEST_FIRST } from '../../graph/page.js';
import { entryPage, type Journal } from '../../records/journals.js';
import { requireOwn } from '../../records/own.js';
import type { PromptStatus } from './vocabulary.js';

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
 * A page of what a journal tells of a package, newest first.
 * @throws not_found
 */
export async function journalOf(
  ctx: AuthorizedCtx,
  journal: Journal,
  promptId: string,
  query: Prisma.JournalEntryFindManyArgs,
): Promise<JournalEntry[]> {
  await requireOwn(ctx, 'Prompt', promptId, { param: 'promptId' });
  return entryPage(ctx, journal, { subject: promptId }, query);
}
