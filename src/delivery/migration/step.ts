import type { Prisma, ProviderMigration } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import type { Sealable } from '../../kernel/canonical.js';
import { sharedNow } from '../../kernel/clock.js';
import { endApproval } from '../../records/approvals/queue.js';
import { change } from '../../records/change.js';
import { appendEntry, type Journal } from '../../records/journals.js';
import { lockOwn } from '../../records/own.js';
import type { TenantScope } from '../../records/scope.js';
import { MIGRATION_NOTES, type MigrationNote } from './vocabulary.js';

/** The history of migrations; the subject of an entry is the migration. */
export const MIGRATION_JOURNAL: Journal<MigrationNote> = {
  kind: 'migration_project',
  values: MIGRATION_NOTES.codes,
};

/** A change of a migration, with what its history says about it. */
export interface Step {
  readonly data: Prisma.ProviderMigrationUncheckedUpdateInput;
  readonly note: MigrationNote;
  readonly body: Sealable;
}

/**
 * Takes a step of a migration at the wish of the caller: its steps happen one after the other, and
 * an approval that the step has made void ends.
 * @throws not_found, and what `decide` throws
 */
export async function takeStep(
  ctx: AuthorizedCtx,
  action: string,
  id: string,
  decide: (tx: Transaction, before: ProviderMigration) => Promise<Step>,
): Promise<ProviderMigration> {
  const subject = 'ProviderMigration';
  const { before, after } = await change(ctx, { action, subject }, async (tx) => {
    const before = await lockOwn(ctx, tx, subject, id);
    const after = await writeStep(ctx, tx, before, await decide(tx, before));
    return { result: { before, after }, id, before: snapshot(before), after: snapshot(after) };
  });
  if (before.approvalId && !after.approvalId) await endApproval(ctx, before.approvalId);
  return after;
}

/** Changes a locked migration and tells its history; the audit event is the caller's. */
export async function writeStep(
  scope: TenantScope,
  tx: Transaction,
  { id, tenantId }: ProviderMigration,
  { data, note, body }: Step,
): Promise<ProviderMigration> {
  const after = await tx.providerMigration.update({
    where: { id, tenantId },
    data: { ...data, updatedAt: sharedNow() },
  });
  await writeNote(scope, tx, id, note, body);
  return after;
}

/** Appends to the history of a migration. */
export async function writeNote(
  scope: TenantScope,
  tx: Transaction,
  subject: string,
  value: MigrationNote,
  body: Sealable,
): Promise<void> {
  await appendEntry(scope, MIGRATION_JOURNAL, { value, subject, body }, { tx });
}

/** What the hashes of the audit trail cover. */
export function snapshot(project: ProviderMigration): Sealable {
  const { migrationKey, status, receiptId, approvalId, updatedAt } = project;
  return {
    migration_key: migrationKey,
    status,
    receipt_id: receiptId,
    approval_id: approvalId,
    scan: project.scan as Sealable,
    cutover: project.cutover as Sealable,
    rollback_plan: project.rollbackPlan as Sealable,
    updated_at: updatedAt.toISOString(),
  };
}
