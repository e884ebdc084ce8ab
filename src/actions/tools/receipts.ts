import { createHash } from 'node:crypto';
import type { Approval, ToolCall } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { isoTime } from '../../kernel/time.js';
import { receiptById, seal } from '../../records/receipts.js';
import type { TenantScope } from '../../records/scope.js';
import { readBlastRadius, type storedBlastRadius } from './blast-radius.js';
import { type CallResult, resultSummary } from './outcome.js';
import type { ActionReason } from './rules.js';

/** The kind of receipt that calls get. */
const CALL_RECEIPT = 'tool_call';

/** What a receipt says of a call. */
export type CallReceiptContent = ReturnType<typeof receiptContent>;

/** The guard and the reasons of a stored decision. */
export interface StoredDecision {
  readonly guard: string;
  readonly reasons: readonly ActionReason[];
}

/** What is said of a call, from its row and its approval alone; sealed once the call has ended. */
function receiptContent(call: ToolCall, approval: Approval | null) {
  const { guard, reasons } = call.decided as unknown as StoredDecision;
  return {
    call_id: call.id,
    tool_key: call.toolKey,
    contract_version: call.contractVersion,
    verb: call.verb,
    arguments_sha256: createHash('sha256')
      .update(canonicalJson(call.arguments as Sealable), 'utf8')
      .digest('hex'),
    decision: call.decision,
    guard,
    reasons: reasons.map((reason) => ({ ...reason })),
    blast_radius: call.blastRadius as ReturnType<typeof storedBlastRadius>,
    bound_hash: Buffer.from(call.boundHash).toString('hex'),
    status: call.status,
    approval_status: call.approvalStatus,
    approval: approval && approvalContent(approval),
    connector: call.simulated ? 'simulated' : 'http_webhook',
    simulated: call.simulated,
    requested_by: { kind: call.requestedByKind, id: call.requestedBy, role: call.requestedByRole },
    reason: call.reason,
    session_id: call.sessionId,
    attempts: call.attempts,
    latency_ms: call.latencyMs,
    result: call.result === null ? null : resultSummary(call.result as unknown as CallResult),
    failure: call.failure,
    rollback: rollbackContent(call),
    rollback_of: call.rollbackOf,
    requested_at: isoTime(call.createdAt),
    finished_at: call.finishedAt && isoTime(call.finishedAt),
  };
}

function approvalContent(approval: Approval) {
  return {
    approval_id: approval.id,
    decided_by: approval.decidedBy,
    self_approved: approval.selfApproved,
    reason: approval.reason,
    shown_hash: Buffer.from(approval.shownHash).toString('hex'),
    decided_at: approval.decidedAt && isoTime(approval.decidedAt),
    expires_at: isoTime(approval.expiresAt),
  };
}

/** Whether a call can be undone, by which verb, and why not. */
function rollbackContent(call: ToolCall) {
  const verb = readBlastRadius(call.blastRadius).compensatingVerb;
  const available = verb !== null && call.status === 'executed';
  const why = verb === null ? `the contract names no verb that undoes ${call.verb}` : null;
  return { available, verb, reason: available ? null : (why ?? `the call is ${call.status}`) };
}

/** Seals the receipt of a call that has ended, in the transaction that ends it. */
export async function sealCall(
  scope: TenantScope,
  tx: Transaction,
  call: ToolCall,
): Promise<ToolCall> {
  const { id, tenantId, approvalId } = call;
  const where = { id: approvalId ?? '', tenantId };
  const approval = approvalId === null ? null : await tx.approval.findFirst({ where });
  const content = receiptContent(call, approval);
  const { receipt } = await seal(scope, CALL_RECEIPT, id, content, { tx });
  return tx.toolCall.update({ where: { id, tenantId }, data: { receiptId: receipt.id } });
}

/** The receipt of a call, or what it would say now while the call has not ended. */
export interface CallReceipt {
  readonly content: CallReceiptContent;
  readonly sealed: { readonly id: string; readonly sha256: Uint8Array; readonly at: Date } | null;
  /** The call that undoes this one, or is asked to; null where there is none. */
  readonly rollbackCallId: string | null;
}

/** The receipt of a call that the caller may see. */
export async function callReceipt(ctx: AuthorizedCtx, call: ToolCall): Promise<CallReceipt> {
  const rows = database(ctx);
  const rollback = await rows.toolCall.findFirst({
    where: { rollbackOf: call.id },
    orderBy: { id: 'desc' },
    select: { id: true },
  });
  const rollbackCallId = rollback?.id ?? null;
  if (call.receiptId === null) {
    const id = call.approvalId ?? undefined;
    const approval = id ? await rows.approval.findFirst({ where: { id } }) : null;
    return { content: receiptContent(call, approval), sealed: null, rollbackCallId };
  }
  const receipt = await receiptById(ctx, call.receiptId, CALL_RECEIPT);
  const content = JSON.parse(receipt.content) as CallReceiptContent;
  const { id, sha256, createdAt: at } = receipt;
  return { content, sealed: { id, sha256, at }, rollbackCallId };
}
