import type { ToolCall } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { length } from '../../kernel/errors/faults.js';
import { next } from '../../kernel/lifecycle.js';
import { defineApprovalKind } from '../../records/approvals/kinds.js';
import { decideApproval } from '../../records/approvals/queue.js';
import { databaseNow } from '../../records/clock.js';
import { requireSeen } from '../seen.js';
import { TOOL_CALL } from './calls.js';
import { GIVEN_UP, runToolCall } from './execution.js';
import { CALL_LIFECYCLE, EVENT_OF_APPROVAL } from './lifecycle.js';
import { sealCall } from './receipts.js';
import { BOUNDS, CALL_STATUSES } from './vocabulary.js';

defineApprovalKind({
  kind: TOOL_CALL,
  async onDecided(tx, { id: approvalId, tenantId, status: approvalStatus, decidedAt }, scope) {
    const event = EVENT_OF_APPROVAL[approvalStatus];
    if (!event) throw new TypeError(`an approval that is ${approvalStatus} moves no call`);
    const { id, status } = await tx.toolCall.findFirstOrThrow({ where: { approvalId, tenantId } });
    const moved = next(CALL_LIFECYCLE, CALL_STATUSES.parse(status), event);
    const isOver = moved !== 'approved';
    const finishedAt = isOver ? decidedAt : null;
    const data = { status: moved, approvalStatus, finishedAt };
    const call = await tx.toolCall.update({ where: { id, tenantId }, data });
    if (isOver) await sealCall(scope, tx, call);
  },
  async execute({ services, approval, signal }) {
    const { subjectId: id, tenantId } = approval;
    const call = await runToolCall(services, { id, tenantId }, signal);
    // Another attempt holds the call: the approval is asked again until the call has ended.
    if (call.finishedAt === null) throw new Error(`the call ${id} is being executed`);
  },
  async onGivenUp(tx, { id: approvalId, tenantId }, scope) {
    const before = await tx.toolCall.findFirstOrThrow({ where: { approvalId, tenantId } });
    if (before.finishedAt !== null) return;
    const { id } = before;
    const status = next(CALL_LIFECYCLE, CALL_STATUSES.parse(before.status), GIVEN_UP.event);
    const data = {
      status,
      failure: GIVEN_UP.failure,
      finishedAt: await databaseNow(tx),
      executeAfter: null,
    };
    await sealCall(scope, tx, await tx.toolCall.update({ where: { id, tenantId }, data }));
  },
});

/**
 * Decides about a call that waits; what is approved is carried out before this returns, by one of
 * any number of approvers.
 * @throws not_found, tool_call_without_approval, and whatever deciding an approval refuses with
 */
export async function decideToolCall(
  ctx: AuthorizedCtx,
  id: string,
  decision: 'approve' | 'reject',
  said: { readonly reason?: string | null; readonly shownHash?: string | null },
): Promise<ToolCall> {
  const { reason, shownHash } = said;
  failOnFaults(length('reason', reason, { min: 1, max: BOUNDS.reasonCharactersMax }));
  const { approvalId, status } = await requireSeen(ctx, 'ToolCall', id);
  if (approvalId === null) fail('tool_call_without_approval', { values: { id, status } });
  const input = { decision, reason: reason ?? undefined, shownHash: shownHash ?? undefined };
  await decideApproval(ctx, approvalId, input);
  return requireSeen(ctx, 'ToolCall', id);
}
