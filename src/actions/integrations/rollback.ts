import type { IntegrationAction } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { next } from '../../kernel/lifecycle.js';
import { audit } from '../../records/audit-trail.js';
import { seal } from '../../records/receipts.js';
import { inTransaction } from '../../records/scope.js';
import { definitionOf } from './apply.js';
import type { RecordState } from './changes.js';
import { type ActionReceipt, receiptOf, requireAction } from './log.js';
import { isAgent } from './preview.js';
import { isSimulated, ROLLBACK_RECEIPT } from './receipts.js';
import { lockRecord, moveRecord } from './records.js';
import type { RollbackPlan } from './rollback-plan.js';
import { rollbackRefusal } from './rules.js';
import { ACTION_LIFECYCLE, type ActionStatus } from './vocabulary.js';

/**
 * Undoes an executed action: the record gets back the state that the preview saw, provided that
 * nothing has changed it since.
 * @throws not_found, lifecycle_refused, integration_rollback_refused, integration_target_moved
 */
export async function rollbackAction(ctx: AuthorizedCtx, id: string): Promise<ActionReceipt> {
  const action = await inTransaction(ctx, {}, (tx) => undo(ctx, tx, id));
  return receiptOf(ctx, action);
}

async function undo(ctx: AuthorizedCtx, tx: Transaction, id: string): Promise<IntegrationAction> {
  const target = await requireAction(ctx, id, tx);
  const record = await lockRecord(tx, target);
  const before = await requireAction(ctx, id, tx);
  const status = next(ACTION_LIFECYCLE, before.status as ActionStatus, 'roll_back');
  const plan = before.rollback as RollbackPlan;
  requireUndoable(ctx, before);
  const version = record?.version ?? 0;
  if (version !== plan.recordVersion) {
    const values = { version, expected: plan.recordVersion ?? 0 };
    fail('integration_target_moved', { values, param: 'id' });
  }
  const recordVersion = await restore(tx, before);
  const action = await tx.integrationAction.update({ where: { id }, data: { status } });
  await audit(ctx, tx, {
    action: 'integrationActionRollback',
    subject: 'IntegrationAction',
    subjectId: id,
    before: { status: before.status },
    after: { status },
  });
  await sealRollback(ctx, tx, action, plan, recordVersion);
  return action;
}

function requireUndoable({ who }: AuthorizedCtx, action: IntegrationAction): void {
  const wasApproved = action.approvalId !== null;
  const reason = rollbackRefusal(definitionOf(action), wasApproved, isAgent(who));
  if (reason !== null) fail('integration_rollback_refused', { values: { reason }, param: 'id' });
}

/** @returns the version of the record after it */
async function restore(tx: Transaction, action: IntegrationAction): Promise<number> {
  const { tenantId, connector, recordRef, previewId } = action;
  const { stateBefore } = await tx.integrationPreview.findFirstOrThrow({
    where: { id: previewId },
  });
  return moveRecord(tx, { tenantId, connector, recordRef }, stateBefore as RecordState);
}

async function sealRollback(
  ctx: AuthorizedCtx,
  tx: Transaction,
  { id, connector, action, recordRef, receiptId }: IntegrationAction,
  { changes }: RollbackPlan,
  recordVersion: number,
): Promise<void> {
  const content = {
    actionId: id,
    actionReceiptId: receiptId,
    connector,
    action,
    recordId: recordRef,
    recordVersion,
    changedFields: [...changes],
    rolledBackBy: ctx.who.id,
    simulated: isSimulated(connector),
  };
  await seal(ctx, ROLLBACK_RECEIPT, id, content, { tx });
}
