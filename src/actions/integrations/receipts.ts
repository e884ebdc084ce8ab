import type {
  Approval,
  IntegrationAction,
  IntegrationPreview,
} from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { measured } from '../../kernel/provenance.js';
import { isoTime } from '../../kernel/time.js';
import { seal } from '../../records/receipts.js';
import type { TenantScope } from '../../records/scope.js';
import type { ProposedChange } from './changes.js';
import { connectorOf } from './input.js';
import type { RollbackPlan } from './rollback-plan.js';
import type { CostReason } from './vocabulary.js';

/** The kind of receipt that tells what became of an action. */
export const ACTION_RECEIPT = 'integration_action';

/** The kind of receipt of an action that was undone. */
export const ROLLBACK_RECEIPT = 'integration_rollback';

/** What the requests that led to an action have cost. Amounts are micro-rubles as text. */
export type ReceiptCost = {
  /** Null when nothing is known; the reason says why. */
  readonly amountMicro: string | null;
  readonly provenance: string | null;
  readonly requestCount: number;
  /** Ids that were named but have no usage that the caller may see. */
  readonly unknownRequestIds: readonly string[];
  readonly reason: CostReason | null;
};

/** Who decided about an action. */
export type ReceiptApproval = {
  readonly id: string;
  readonly status: string;
  readonly requestedBy: string;
  readonly decidedBy: string | null;
  readonly selfApproved: boolean;
  readonly reason: string | null;
  readonly decidedAt: string | null;
};

/** What a receipt says of an action, as it is sealed. */
export type ActionContent = {
  readonly actionId: string;
  readonly previewId: string;
  readonly connector: string;
  readonly action: string;
  readonly recordId: string;
  readonly recordVersion: number;
  readonly status: string;
  readonly decision: string;
  readonly guard: string;
  readonly reason: string;
  readonly riskLevel: string;
  readonly changedFields: readonly ProposedChange[];
  readonly rollback: RollbackPlan;
  readonly approval: ReceiptApproval | null;
  readonly cost: ReceiptCost;
  readonly failure: string | null;
  readonly requestedBy: string;
  /** Nothing was sent to the real system. */
  readonly simulated: boolean;
};

/** Everything that the receipt of an action is made of. */
interface Told {
  readonly action: IntegrationAction;
  readonly preview: IntegrationPreview;
  readonly approval: Approval | null;
}

/** What the receipt of an action says now, by the rows that the transaction sees. */
export async function contentOf(
  tx: Transaction,
  action: IntegrationAction,
): Promise<ActionContent> {
  const { tenantId, previewId, approvalId } = action;
  const preview = await tx.integrationPreview.findFirstOrThrow({
    where: { id: previewId, tenantId },
  });
  const approval = approvalId
    ? await tx.approval.findFirst({ where: { id: approvalId, tenantId } })
    : null;
  return written({ action, preview, approval }, await costOf(tx, action));
}

function written({ action, preview, approval }: Told, cost: ReceiptCost): ActionContent {
  const { guard, reason } = preview.decided as { guard: string; reason: string };
  return {
    actionId: action.id,
    previewId: action.previewId,
    connector: action.connector,
    action: action.action,
    recordId: action.recordRef,
    recordVersion: preview.recordVersion,
    status: action.status,
    decision: action.decision,
    guard,
    reason,
    riskLevel: preview.riskLevel,
    changedFields: action.changedFields as ProposedChange[],
    rollback: action.rollback as RollbackPlan,
    approval: approval && approvalOf(approval),
    cost,
    failure: action.failure,
    requestedBy: action.requestedBy,
    simulated: isSimulated(action.connector),
  };
}

/** True while the connector has no adapter to the real system. */
export function isSimulated(connector: string): boolean {
  return connectorOf(connector)?.status === 'simulated';
}

function approvalOf(approval: Approval): ReceiptApproval {
  const { id, status, requestedBy, decidedBy, selfApproved, reason, decidedAt } = approval;
  const decided = decidedAt && isoTime(decidedAt);
  return { id, status, requestedBy, decidedBy, selfApproved, reason, decidedAt: decided };
}

/**
 * The sum of the usage of the requests that an action names. An agent's key links its own requests
 * alone. Without usage there is no figure.
 */
async function costOf(tx: Transaction, action: IntegrationAction): Promise<ReceiptCost> {
  const { tenantId, requestedBy, requestedByKind } = action;
  const named = action.requestIds as string[];
  const keyId = requestedByKind === 'agent' ? requestedBy : undefined;
  const rows = await tx.usageEvent.findMany({
    where: { tenantId, id: { in: named }, keyId },
    select: { id: true, amountMicro: true },
  });
  const known = new Set(rows.map(({ id }) => id));
  const unknownRequestIds = named.filter((id) => !known.has(id));
  if (rows.length === 0) {
    const reason = named.length === 0 ? 'no_linked_requests' : 'no_usage_found';
    return { amountMicro: null, provenance: null, requestCount: 0, unknownRequestIds, reason };
  }
  const sum = measured(rows, (all) => all.reduce((total, row) => total + row.amountMicro, 0n));
  return {
    amountMicro: String(sum.value),
    provenance: sum.provenance,
    requestCount: sum.rowCount,
    unknownRequestIds,
    reason: null,
  };
}

/** Seals what became of an action that has ended; its receipt stands in the action from then on. */
export async function sealAction(
  scope: TenantScope,
  tx: Transaction,
  action: IntegrationAction,
): Promise<IntegrationAction> {
  const content = await contentOf(tx, action);
  const { receipt } = await seal(scope, ACTION_RECEIPT, action.id, content, { tx });
  return tx.integrationAction.update({
    where: { id: action.id },
    data: { receiptId: receipt.id },
  });
}
