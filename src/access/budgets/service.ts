import type { BudgetException } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { defineApprovalKind } from '../../records/approvals/kinds.js';
import { requestApproval } from '../../records/approvals/queue.js';
import { APPROVAL_STATUSES } from '../../records/approvals/vocabulary.js';
import { change } from '../../records/change.js';
import { lockOwn, requireOwn } from '../../records/own.js';
import { inTransaction } from '../../records/scope.js';
import { type CurrentBudget, currentBudget } from './facts.js';
import { type ExceptionWish, exceptionFaults, STATUS_AFTER, shownOf, summaryOf } from './rules.js';
import { type BudgetPeriod, EXCEPTION_BOUNDS } from './vocabulary.js';

defineApprovalKind({
  kind: 'budget_exception',
  // The ledger adds what is granted to the cap from the commit of the decision on.
  async onDecided(tx, { tenantId, subjectId, status, decidedAt }) {
    await tx.budgetException.updateMany({
      where: { id: subjectId, tenantId, status: 'pending' },
      data: { status: STATUS_AFTER[APPROVAL_STATUSES.parse(status)], decidedAt },
    });
  },
});

/** A request for an exception from the budget of a policy. */
export interface PolicyExceptionWish extends ExceptionWish {
  readonly policyId: string;
  readonly period: BudgetPeriod;
}

/**
 * Asks for more than the cap of a policy's budget in its current period. Nothing is granted before
 * a member approves; what is granted ends with the period, and the policy does not change.
 * @throws invalid_request with every fault, not_found, budget_not_set, budget_exceptions_waiting
 */
export function requestBudgetException(
  ctx: AuthorizedCtx,
  wish: PolicyExceptionWish,
): Promise<BudgetException> {
  failOnFaults(exceptionFaults(wish));
  return inTransaction(ctx, {}, async (tx) => {
    const { policyId, period } = wish;
    const policy = await requireOwn(ctx, 'Policy', policyId, { tx, param: 'policyId' });
    const budget = await tx.budget.findFirst({ where: { policyId, period, active: true } });
    const facts = budget && (await currentBudget(tx, ctx.who.tenantId, budget.id));
    if (!facts) {
      return fail('budget_not_set', { values: { policy: policy.name, period }, param: 'period' });
    }
    return openException(ctx, tx, facts, wish);
  });
}

/** A request for an exception by a chat request that waits for it. */
export interface WaitingExceptionWish extends ExceptionWish {
  readonly budgetId: string;
  readonly waitSeconds: number;
}

/**
 * Asks in the name of a request that was refused by a budget and waits for the decision: the
 * exception names the request, and expires when the request waits no longer.
 * @returns undefined when the budget is not in force any more, so that nothing is to be asked
 * @throws budget_exceptions_waiting
 */
export function requestWaitingException(
  ctx: AuthorizedCtx,
  wish: WaitingExceptionWish,
): Promise<BudgetException | undefined> {
  return inTransaction(ctx, {}, async (tx) => {
    const facts = await currentBudget(tx, ctx.who.tenantId, wish.budgetId);
    if (!facts) return undefined;
    return openException(ctx, tx, facts, wish, wish.waitSeconds);
  });
}

/**
 * Asks for an exception from a budget in the name of requests that it has refused, unless one waits
 * for a decision already.
 * @returns the approval that decides; undefined when the budget is not in force any more
 * @throws budget_exceptions_waiting
 */
export function requestPendingException(
  ctx: AuthorizedCtx,
  { budgetId, ...wish }: ExceptionWish & { readonly budgetId: string },
): Promise<string | undefined> {
  return inTransaction(ctx, {}, async (tx) => {
    const { tenantId } = ctx.who;
    await lockOwn(ctx, tx, 'Budget', budgetId);
    const facts = await currentBudget(tx, tenantId, budgetId);
    if (!facts) return undefined;
    const periodStart = new Date(facts.periodStart);
    const where = { tenantId, budgetId, periodStart, status: 'pending' };
    const waiting = await tx.budgetException.findFirst({ where, orderBy: { id: 'asc' } });
    return (waiting ?? (await openException(ctx, tx, facts, wish))).approvalId;
  });
}

async function openException(
  ctx: AuthorizedCtx,
  tx: Transaction,
  facts: CurrentBudget,
  { amountMicro, reason }: ExceptionWish,
  waitSeconds?: number,
): Promise<BudgetException> {
  const { pendingMax, waitSecondsMax } = EXCEPTION_BOUNDS;
  if (facts.pendingCount >= pendingMax) {
    fail('budget_exceptions_waiting', { values: { count: pendingMax, budget: facts.name } });
  }
  const id = newId('BudgetException');
  const requestId = waitSeconds === undefined ? undefined : ctx.requestId;
  const wish = { amountMicro, reason: reason.trim() };
  const approval = await requestApproval(
    ctx,
    {
      kind: 'budget_exception',
      subjectId: id,
      summary: summaryOf(facts, wish),
      shown: shownOf(facts, wish, requestId),
      expiresInSeconds: waitSeconds ?? Math.min(facts.secondsLeft, waitSecondsMax),
    },
    { tx },
  );
  const { policyId, budgetId, period, periodStart } = facts;
  const data = {
    id,
    tenantId: ctx.who.tenantId,
    policyId,
    budgetId,
    period,
    periodStart: new Date(periodStart),
    ...wish,
    approvalId: approval.id,
    requestId,
    requestedBy: ctx.who.id,
  };
  const after = { policyId, budgetId, period, periodStart, amountMicro: amountMicro.toString() };
  const name = { action: 'budgetExceptionRequest', subject: 'BudgetException' };
  const work = async () => ({ result: await tx.budgetException.create({ data }), id, after });
  return change(ctx, name, work, { tx });
}
