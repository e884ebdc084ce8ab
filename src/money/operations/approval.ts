import type { Approval } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Services } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { formatRub, type MicroRub, parseRub } from '../../kernel/money.js';
import { type ApprovalRun, defineApprovalKind } from '../../records/approvals/kinds.js';
import { requestApproval } from '../../records/approvals/queue.js';
import type { Order } from './operation.rules.js';
import { perform } from './perform.js';
import { BALANCE_OPERATIONS, OPERATION_BOUNDS, operationRow } from './vocabulary.js';

/** An order as the approver sees it; it is bound to the hash that is decided on. */
interface ShownOrder {
  readonly operation: string;
  readonly tenant_id: string;
  readonly amount_rub: string;
  readonly charged_request_id: string | null;
  readonly reason: string;
}

/**
 * Puts an order before another administrator of the platform, in the queue of the organization of
 * the one who asks. The organization that it is about sees nothing before it is posted.
 */
export async function askAnother(
  ctx: AuthorizedCtx,
  order: Order,
  amountMicro: MicroRub,
): Promise<Approval> {
  const { operation, tenantId, chargedRequestId, reason, id: subjectId } = order;
  const shown: ShownOrder = {
    operation,
    tenant_id: tenantId,
    amount_rub: formatRub(amountMicro),
    charged_request_id: chargedRequestId,
    reason,
  };
  const { noun } = operationRow(operation);
  return requestApproval(ctx, {
    kind: 'balance_operation',
    subjectId,
    summary: `${noun}: ${formatRub(amountMicro)} RUB in the organization ${tenantId}`,
    shown: { ...shown },
    expiresInSeconds: OPERATION_BOUNDS.waitSeconds,
  });
}

/**
 * Four eyes: nobody approves what they asked for, and both are administrators of the platform, also
 * when it is carried out.
 */
function requireAnother(config: Services['config'], approval: Approval): string {
  const { requestedBy, selfApproved } = approval;
  const decidedBy = requireDecidedByAdmin(config, approval);
  if (selfApproved || decidedBy === requestedBy) fail('approval_self_forbidden');
  if (!config.platformAdmins.has(requestedBy)) fail('operation_requester_removed');
  return decidedBy;
}

function requireDecidedByAdmin(
  { platformAdmins }: Services['config'],
  { decidedBy }: Approval,
): string {
  if (decidedBy === null || !platformAdmins.has(decidedBy)) fail('platform_admin_required');
  return decidedBy;
}

function orderOf(approval: Approval, approvedBy: string): Order {
  const shown = approval.shown as unknown as ShownOrder;
  const amountMicro = parseRub(shown.amount_rub);
  if (amountMicro === undefined) throw new TypeError('an approved order has no amount');
  return {
    id: approval.subjectId,
    operation: BALANCE_OPERATIONS.parse(shown.operation),
    tenantId: shown.tenant_id,
    amountMicro,
    chargedRequestId: shown.charged_request_id,
    reason: shown.reason,
    requestedBy: approval.requestedBy,
    approvedBy,
  };
}

defineApprovalKind({
  kind: 'balance_operation',
  // What was approved is refused by the balance of that moment: money that comes later stays.
  finalErrors: [
    'balance_not_available',
    'refund_exceeds_charge',
    'not_found',
    'operation_requester_removed',
    'platform_admin_required',
  ],
  async onDecided(_tx, approval, { services: { config } }) {
    if (approval.status === 'approved') requireAnother(config, approval);
    if (approval.status === 'rejected') requireDecidedByAdmin(config, approval);
  },
  async execute({ approval, services }: ApprovalRun) {
    const approvedBy = requireAnother(services.config, approval);
    const order = orderOf(approval, approvedBy);
    await perform(services, order, approval.id);
  },
});
