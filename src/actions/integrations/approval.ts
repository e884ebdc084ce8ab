import type { Approval, IntegrationAction } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { type ApprovalRun, defineApprovalKind } from '../../records/approvals/kinds.js';
import { inTransaction } from '../../records/scope.js';
import { applyAction } from './apply.js';
import { moveAction } from './receipts.js';
import { lockRecord } from './records.js';
import type { ActionEvent, IntegrationDecision } from './vocabulary.js';

/** What a decision does to its action. An action that is not carried out counts as blocked. */
const STEPS: Readonly<
  Record<string, { readonly event: ActionEvent; readonly decision: IntegrationDecision }>
> = {
  approved: { event: 'approve', decision: 'after_approval' },
  rejected: { event: 'reject', decision: 'blocked' },
  expired: { event: 'expire', decision: 'blocked' },
};

/** Actions of integrations in the one queue of approvals. */
export const ACTION_APPROVAL = defineApprovalKind({
  kind: 'integration_action',
  async onDecided(tx, approval, scope) {
    const step = STEPS[approval.status];
    if (!step) throw new Error(`an approval cannot be decided as ${approval.status}`);
    const { event, decision } = step;
    const finishedAt = event === 'approve' ? null : approval.decidedAt;
    const action = await actionFor(tx, approval);
    await moveAction(scope, tx, action, { event, data: { decision, finishedAt } });
  },
  execute: executeApproved,
  /** The last attempt may have had its effect and died before it could say so. */
  async onGivenUp(tx, approval, scope) {
    const action = await actionFor(tx, approval);
    if (action.status !== 'approved') return;
    const data = { failure: approval.executionError };
    await moveAction(scope, tx, action, { event: 'give_up', data });
  },
});

/**
 * Carries an approved action out once, however often it is tried. What was approved is a change of
 * one version of the record: where it has moved since, nothing is carried out.
 */
async function executeApproved(run: ApprovalRun): Promise<void> {
  await inTransaction(run, {}, async (tx) => {
    const target = await actionFor(tx, run.approval);
    const record = await lockRecord(tx, target);
    const action = await actionFor(tx, run.approval);
    if (action.status !== 'approved') return;
    const { recordVersion } = await tx.integrationPreview.findFirstOrThrow({
      where: { id: action.previewId },
    });
    const voided = { event: 'void', data: { failure: 'integration_target_moved' } } as const;
    const hasMoved = record?.version !== recordVersion;
    await (hasMoved ? moveAction(run, tx, action, voided) : applyAction(run, tx, action));
  });
}

function actionFor(tx: Transaction, { subjectId, tenantId }: Approval): Promise<IntegrationAction> {
  return tx.integrationAction.findFirstOrThrow({ where: { id: subjectId, tenantId } });
}
