import type { Approval, IntegrationAction } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { next } from '../../kernel/lifecycle.js';
import { type ApprovalRun, defineApprovalKind } from '../../records/approvals/kinds.js';
import { inTransaction, type TenantScope } from '../../records/scope.js';
import { applyAction } from './apply.js';
import { sealAction } from './receipts.js';
import { lockRecord } from './records.js';
import {
  ACTION_LIFECYCLE,
  ACTION_STATUSES,
  type ActionEvent,
  type IntegrationDecision,
} from './vocabulary.js';

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
  onDecided: followDecision,
  execute: executeApproved,
  onGivenUp: giveUp,
});

async function followDecision(
  tx: Transaction,
  approval: Approval,
  scope: TenantScope,
): Promise<void> {
  const step = STEPS[approval.status];
  if (!step) throw new Error(`an approval cannot be decided as ${approval.status}`);
  const { id, status } = await actionFor(tx, approval);
  const isOver = approval.status !== 'approved';
  const action = await tx.integrationAction.update({
    where: { id },
    data: {
      status: next(ACTION_LIFECYCLE, ACTION_STATUSES.parse(status), step.event),
      decision: step.decision,
      finishedAt: isOver ? approval.decidedAt : null,
    },
  });
  if (isOver) await sealAction(scope, tx, action);
}

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
    const hasMoved = record?.version !== recordVersion;
    await (hasMoved ? voidAction(run, tx, action) : applyAction(run, tx, action));
  });
}

async function voidAction(
  run: ApprovalRun,
  tx: Transaction,
  { id }: IntegrationAction,
): Promise<IntegrationAction> {
  const voided = await tx.integrationAction.update({
    where: { id },
    data: {
      status: next(ACTION_LIFECYCLE, 'approved', 'void'),
      failure: 'integration_target_moved',
      finishedAt: new Date(),
    },
  });
  return sealAction(run, tx, voided);
}

/** The last attempt may have had its effect and died before it could say so. */
async function giveUp(tx: Transaction, approval: Approval, scope: TenantScope): Promise<void> {
  const { id, status } = await actionFor(tx, approval);
  if (status !== 'approved') return;
  const action = await tx.integrationAction.update({
    where: { id },
    data: {
      status: next(ACTION_LIFECYCLE, 'approved', 'give_up'),
      failure: approval.executionError,
      finishedAt: new Date(),
    },
  });
  await sealAction(scope, tx, action);
}

function actionFor(tx: Transaction, { subjectId, tenantId }: Approval): Promise<IntegrationAction> {
  return tx.integrationAction.findFirstOrThrow({ where: { id: subjectId, tenantId } });
}
