import { createHash } from 'node:crypto';
import type { Approval, ToolCall } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent } from '../../kernel/fields/sealed.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { approvalById } from '../../records/approvals/queue.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import type { TenantScope, WriteOptions } from '../../records/scope.js';
import { underWireNames } from '../former-content.js';
import { requireSeen } from '../seen.js';
import { readBlastRadius } from './blast-radius.js';
import {
  CALL_RESULT,
  type CallOutcome,
  RECEIPT_FIELDS,
  type ReceiptContent,
  type SHOWN_CALL_FIELDS,
} from './tables.js';
import { APPROVAL_STATUSES, CALL_FAILURES, CALL_STATUSES, DECISIONS } from './vocabulary.js';

/** Receipts of calls: one for each call, once it has ended. */
const RECEIPTS = receiptKind({
  kind: 'tool_call',
  type: 'ToolCallReceipt',
  description: 'What became of a call, sealed when it ended.',
  content: RECEIPT_FIELDS,
  former: (content) => underWireNames(RECEIPT_FIELDS, content),
});

/** What a call says of itself. */
type ShownCall = ValuesOf<typeof SHOWN_CALL_FIELDS>;

/** What the row of a call keeps of its decision; earlier rows say neither risk nor origin. */
type KeptDecision = Pick<ShownCall, 'guard' | 'reasons'> &
  Partial<Pick<ShownCall, 'risk' | 'verbOrigin'>>;

const shown = new WeakMap<ToolCall, ShownCall>();

/** A call as its row has it. Every field of an answer asks for it, so a row is read once. */
export function shownCall(call: ToolCall): ShownCall {
  const known = shown.get(call);
  if (known) return known;
  const { guard, reasons, risk, verbOrigin } = call.decided as unknown as KeptDecision;
  const values: ShownCall = {
    ...call,
    erased: isErased(call, 'arguments', 'result'),
    decision: DECISIONS.parse(call.decision),
    guard,
    reasons,
    risk: risk ?? null,
    verbOrigin: verbOrigin ?? null,
    blastRadius: readBlastRadius(call.blastRadius),
    boundHash: hex(call.boundHash),
    status: CALL_STATUSES.parse(call.status),
    approvalStatus: APPROVAL_STATUSES.parse(call.approvalStatus),
    failure: call.failure === null ? null : CALL_FAILURES.parse(call.failure),
    result:
      call.result === null ? null : openedContent(CALL_RESULT.fields, call.result as SealedContent),
  };
  shown.set(call, values);
  return values;
}

/** What is said of a call, from its row and its approval alone. */
function contentOf(call: ToolCall, approval: Approval | null): ReceiptContent {
  const values = shownCall(call);
  return {
    ...values,
    callId: call.id,
    argumentsSha256: isErased(call, 'arguments') ? null : hashOf(call.arguments as Sealable),
    approval: approval && {
      ...approval,
      approvalId: approval.id,
      shownHash: hex(approval.shownHash),
    },
    connector: call.simulated ? 'simulated' : 'http_webhook',
    requestedBy: { kind: call.requestedByKind, id: call.requestedBy, role: call.requestedByRole },
    rollback: rollbackOf(values),
    requestedAt: call.createdAt,
  };
}

/** Whether a call can be undone, by which verb, and why not. */
function rollbackOf({ blastRadius, status, verb: done }: ShownCall): ReceiptContent['rollback'] {
  const verb = blastRadius.compensatingVerb;
  const available = verb !== null && status === 'executed';
  const why = verb === null ? `the contract names no verb that undoes ${done}` : null;
  return { available, verb, reason: available ? null : (why ?? `the call is ${status}`) };
}

function hashOf(given: Sealable): string {
  return createHash('sha256').update(canonicalJson(given), 'utf8').digest('hex');
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

async function currentContent(
  scope: TenantScope,
  call: ToolCall,
  options: WriteOptions = {},
): Promise<ReceiptContent> {
  const { approvalId } = call;
  return contentOf(
    call,
    approvalId === null ? null : await approvalById(scope, approvalId, options),
  );
}

/** Seals the receipt of a call that has ended, in the transaction that ends it. */
export async function sealCall(
  scope: TenantScope,
  tx: Transaction,
  call: ToolCall,
): Promise<ToolCall> {
  const { id, tenantId } = call;
  const receipt = await RECEIPTS.seal(scope, id, await currentContent(scope, call, { tx }), { tx });
  return tx.toolCall.update({ where: { id, tenantId }, data: { receiptId: receipt.id } });
}

/** What became of a call that the caller may see. */
export async function callOutcome(ctx: AuthorizedCtx, id: string): Promise<CallOutcome> {
  const call = await requireSeen(ctx, 'ToolCall', id);
  const undoing = await database(ctx).toolCall.findFirst({
    where: { rollbackOf: id },
    orderBy: { id: 'desc' },
    select: { id: true },
  });
  const receipt = call.receiptId === null ? null : await RECEIPTS.byId(ctx, call.receiptId);
  const content = receipt?.content ?? (await currentContent(ctx, call));
  return {
    ...content,
    sealed: receipt !== null,
    receiptId: receipt?.id ?? null,
    sha256: receipt && hex(receipt.row.sha256),
    sealedAt: receipt?.row.createdAt ?? null,
    rollback: { ...content.rollback, callId: undoing?.id ?? null },
  };
}
