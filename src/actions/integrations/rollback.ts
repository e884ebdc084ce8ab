import type { IntegrationAction } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { next } from '../../kernel/lifecycle.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { change } from '../../records/change.js';
import { isAgent, requireSeen } from '../seen.js';
import { definitionOf } from './apply.js';
import type { RecordState } from './changes.js';
import { outcomeOf } from './log.js';
import { shownAction, UNDOING_RECEIPTS } from './receipts.js';
import { lockRecord, moveRecord } from './records.js';
import { rollbackRefusal } from './rules.js';
import type { ActionOutcome, RollbackPlan } from './tables.js';
import { ACTION_LIFECYCLE, ACTION_STATUSES } from './vocabulary.js';

/**
 * Undoes an executed action: the record gets back the state that the preview saw, provided that
 * nothing has changed it since.
 * @throws not_found, lifecycle_refused, integration_rollback_refused, integration_target_moved
 */
export async function rollbackAction(ctx: AuthorizedCtx, id: string): Promise<ActionOutcome> {
  const name = { action: 'integrationActionRollback', subject: 'IntegrationAction' };
  const action = await change(ctx, name, async (tx) => {
    const target = await requireSeen(ctx, 'IntegrationAction', id, { tx });
    const record = await lockRecord(tx, target);
    const before = await requireSeen(ctx, 'IntegrationAction', id, { tx });
    const status = next(ACTION_LIFECYCLE, ACTION_STATUSES.parse(before.status), 'roll_back');
    requireUndoable(ctx, before);
    if (isErased(before, 'rollback')) fail('personal_data_erased');
    const { recordVersion: expected } = before.rollback as unknown as RollbackPlan;
    const version = record?.version ?? 0;
    if (version !== expected) {
      const values = { version, expected: expected ?? 0 };
      fail('integration_target_moved', { values, param: 'id' });
    }
    const recordVersion = await restore(tx, before);
    const result = await tx.integrationAction.update({ where: { id }, data: { status } });
    await sealUndoing(ctx, tx, result, recordVersion);
    return { result, id, before: { status: before.status }, after: { status } };
  });
  return outcomeOf(ctx, action);
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
  if (stateBefore === null) fail('personal_data_erased');
  return moveRecord(tx, { tenantId, connector, recordRef }, stateBefore as RecordState);
}

async function sealUndoing(
  ctx: AuthorizedCtx,
  tx: Transaction,
  action: IntegrationAction,
  recordVersion: number,
): Promise<void> {
  const { id, receiptId } = action;
  const { rollback, ...shown } = shownAction(action);
  const content = {
    ...shown,
    actionId: id,
    actionReceiptId: receiptId,
    recordVersion,
    changedFields: rollback?.changes ?? null,
    rolledBackBy: ctx.who.id,
  };
  await UNDOING_RECEIPTS.seal(ctx, id, content, { tx });
}
