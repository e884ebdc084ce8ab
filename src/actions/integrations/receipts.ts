import type { IntegrationAction, Prisma } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import type { SealedContent } from '../../kernel/fields/sealed.js';
import { next } from '../../kernel/lifecycle.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { approvalById } from '../../records/approvals/queue.js';
import { measuredFrom } from '../../records/measured.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import { databaseOf, type TenantScope, type WriteOptions } from '../../records/scope.js';
import { underWireNames } from '../former-content.js';
import { isSimulated } from './input.js';
import {
  type ACTION_FIELDS,
  type Cost,
  type ProposedChange,
  RECEIPT_FIELDS,
  type ReceiptContent,
  type RollbackPlan,
  UNDOING_FIELDS,
} from './tables.js';
import {
  ACTION_LIFECYCLE,
  ACTION_STATUSES,
  type ActionEvent,
  DECISIONS,
  RISK_LEVELS,
} from './vocabulary.js';

/** Receipts of actions: one for each action, once it has ended. */
export const ACTION_RECEIPTS = receiptKind({
  kind: 'integration_action',
  type: 'IntegrationActionReceipt',
  description: 'What became of an action, sealed when it ended.',
  content: RECEIPT_FIELDS,
  former: (content) => {
    const approval = (content.approval ?? null) as SealedContent | null;
    const named = approval && { approvalId: approval.id ?? null, ...approval };
    return underWireNames(RECEIPT_FIELDS, { ...content, approval: named });
  },
});

/** Receipts of undoings: one for each action that was undone. */
export const UNDOING_RECEIPTS = receiptKind({
  kind: 'integration_rollback',
  type: 'IntegrationRollbackReceipt',
  description: 'That an action was undone.',
  content: UNDOING_FIELDS,
  former: (content) => underWireNames(UNDOING_FIELDS, content),
});

/** An action as its row has it. */
export function shownAction(action: IntegrationAction): ValuesOf<typeof ACTION_FIELDS> {
  return {
    ...action,
    recordId: action.recordRef,
    decision: DECISIONS.parse(action.decision),
    status: ACTION_STATUSES.parse(action.status),
    erased: isErased(action, 'changedFields', 'rollback'),
    changedFields: action.changedFields as unknown as ProposedChange[] | null,
    rollback: action.rollback as unknown as RollbackPlan | null,
    requestIds: action.requestIds as string[],
    simulated: isSimulated(action.connector),
  };
}

/** What the receipt of an action says now, by the rows that the transaction sees. */
export async function contentOf(
  scope: TenantScope,
  action: IntegrationAction,
  options: WriteOptions = {},
): Promise<ReceiptContent> {
  const rows = databaseOf(scope, options);
  const { tenantId, previewId, approvalId } = action;
  const preview = await rows.integrationPreview.findFirstOrThrow({
    where: { id: previewId, tenantId },
  });
  const approval = approvalId ? await approvalById(scope, approvalId, options) : null;
  const { guard, reason } = preview.decided as { guard: string; reason: string };
  return {
    ...shownAction(action),
    actionId: action.id,
    recordVersion: preview.recordVersion,
    guard,
    reason,
    riskLevel: RISK_LEVELS.parse(preview.riskLevel),
    approval: approval && { ...approval, approvalId: approval.id },
    cost: await costOf(scope, action, options),
    requestedBy: action.requestedBy,
  };
}

/**
 * The sum of the usage of the requests that an action names. An agent's key links its own requests
 * alone. Without usage there is no figure.
 */
async function costOf(
  scope: TenantScope,
  { tenantId, requestedBy, requestedByKind, requestIds }: IntegrationAction,
  options: WriteOptions,
): Promise<Cost> {
  const named = requestIds as string[];
  const keyId = requestedByKind === 'agent' ? requestedBy : undefined;
  const { value, provenance, rowCount } = await measuredFrom(
    scope,
    (rows) =>
      rows.usageEvent.findMany({
        where: { tenantId, id: { in: named }, keyId },
        select: { id: true, amountMicro: true },
      }),
    (rows) => ({
      known: new Set(rows.map(({ id }) => id)),
      amountMicro: rows.reduce((total, row) => total + row.amountMicro, 0n),
    }),
    options,
  );
  const unknownRequestIds = named.filter((id) => !value.known.has(id));
  const counted = { requestCount: rowCount, unknownRequestIds };
  if (rowCount > 0) {
    return { ...counted, amountMicro: value.amountMicro, provenance, reason: null };
  }
  const reason = named.length === 0 ? 'no_linked_requests' : 'no_usage_found';
  return { ...counted, amountMicro: null, provenance: null, reason };
}

/** Seals what became of an action that has ended; its receipt stands in the action from then on. */
export async function sealAction(
  scope: TenantScope,
  tx: Transaction,
  action: IntegrationAction,
): Promise<IntegrationAction> {
  const { id } = action;
  const content = await contentOf(scope, action, { tx });
  const receipt = await ACTION_RECEIPTS.seal(scope, id, content, { tx });
  return tx.integrationAction.update({ where: { id }, data: { receiptId: receipt.id } });
}

/** Moves an action on by a step of its life; where it ends, it is sealed. */
export async function moveAction(
  scope: TenantScope,
  tx: Transaction,
  { id, status }: IntegrationAction,
  step: { readonly event: ActionEvent; readonly data: Prisma.IntegrationActionUpdateInput },
): Promise<IntegrationAction> {
  const to = next(ACTION_LIFECYCLE, ACTION_STATUSES.parse(status), step.event);
  const isOver = to !== 'approved';
  const finishedAt = isOver ? sharedNow() : null;
  const data = { finishedAt, ...step.data, status: to };
  const action = await tx.integrationAction.update({ where: { id }, data });
  return isOver ? sealAction(scope, tx, action) : action;
}
