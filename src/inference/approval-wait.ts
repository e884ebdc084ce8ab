import { missingMicro } from '../access/budgets/rules.js';
import { requestWaitingException } from '../access/budgets/service.js';
import type { AuthorizedCtx } from '../graph/ctx.js';
import { refusal } from '../graph/node.js';
import { fail } from '../kernel/errors/fail.js';
import type { BudgetState, HoldOutcome } from '../money/ledger/ledger.js';
import { endApproval } from '../records/approvals/queue.js';
import { awaitDecision } from '../records/approvals/waiting.js';
import type { ApprovalWait } from './approval-request.js';
import { UpstreamAborted } from './upstream/failure.js';

/** A hold that an exhausted budget refused, and the way to try it again. */
export interface RefusedHold {
  readonly refused: HoldOutcome;
  readonly estimateMicro: bigint;
  /** Whether an approval can turn the refusal of this budget. */
  readonly turnable: (budget: BudgetState) => boolean;
  readonly reserve: () => Promise<HoldOutcome>;
}

/** What the decider reads where the client gives no reason. */
const REASON = 'A chat request waits for it.';

/**
 * Asks for an exception from each budget that is exhausted, waits for the decisions within one
 * deadline, and tries the hold again. Each budget is asked for once: where others have used up
 * what was granted, the refusal stands.
 * @returns the outcome of the last hold
 * @throws permission_denied without the right `budgets.request`, budget_exceptions_waiting,
 * approval_rejected, approval_wait_timeout, UpstreamAborted when the client went away
 */
export async function holdWhenApproved(
  ctx: AuthorizedCtx,
  wait: ApprovalWait,
  { refused, estimateMicro, turnable, reserve }: RefusedHold,
): Promise<HoldOutcome> {
  if (!ctx.who.permissions.has('budgets.request')) throw refusal(ctx, 'budgets.request');
  const deadlineMs = performance.now() + wait.waitSeconds * 1_000;
  const asked = new Set<string>();
  let outcome = refused;
  while (
    outcome.status === 'budget_exhausted' &&
    turnable(outcome.budget) &&
    !asked.has(outcome.budget.budgetId)
  ) {
    asked.add(outcome.budget.budgetId);
    const waitSeconds = (deadlineMs - performance.now()) / 1_000;
    const amountMicro = missingMicro(estimateMicro, outcome.budget);
    await waitForException(ctx, wait, outcome.budget, { amountMicro, waitSeconds });
    outcome = await reserve();
  }
  return outcome;
}

async function waitForException(
  ctx: AuthorizedCtx,
  wait: ApprovalWait,
  { budgetId, name }: BudgetState,
  { amountMicro, waitSeconds }: { readonly amountMicro: bigint; readonly waitSeconds: number },
): Promise<void> {
  if (waitSeconds <= 0) failInTime(name, wait);
  const reason = wait.reason ?? REASON;
  const wish = { budgetId, amountMicro, reason, waitSeconds };
  const exception = await requestWaitingException(ctx, wish);
  if (!exception) return;
  const { approvalId } = exception;
  ctx.transport.idles?.();
  ctx.transport.headers['x-gw-approval-id'] = approvalId;
  const approval = await decisionOrEnd(ctx, approvalId, waitSeconds);
  if (ctx.signal.aborted) throw new UpstreamAborted([]);
  if (approval.status === 'rejected') {
    const reason = approval.reason ?? 'without a reason';
    fail('approval_rejected', { values: { reason }, data: { approval_id: approvalId } });
  }
  if (approval.status !== 'approved') failInTime(name, wait, approvalId);
}

/** The deadline has passed; an approval is named where one was asked for. */
function failInTime(budget: string, { waitSeconds: seconds }: ApprovalWait, id?: string): never {
  const data = id === undefined ? undefined : { approval_id: id };
  fail('approval_wait_timeout', { values: { budget, seconds }, data });
}

/** What nobody decided in time, or for a client that is gone, leaves the queue. */
async function decisionOrEnd(ctx: AuthorizedCtx, approvalId: string, waitSeconds: number) {
  await awaitDecision(ctx.services, {
    tenantId: ctx.who.tenantId,
    approvalId,
    deadlineMs: performance.now() + waitSeconds * 1_000,
    signal: ctx.signal,
  });
  return endApproval(ctx, approvalId);
}
