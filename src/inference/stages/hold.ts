import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { formatRub, type MicroRub } from '../../kernel/money.js';
import type { BudgetState, HoldOutcome } from '../../money/ledger/ledger.js';
import { holdWhenApproved } from '../approval-wait.js';
import { isUnaffordable, leastEstimate, lowerLimit } from '../lower-limit.js';
import type { InferenceRequest } from '../request.js';
import { knownUsage } from '../usage-row.js';
import type { Admission } from './admit.js';
import type { Inspected } from './firewall-in.js';
import type { ChosenRoute } from './route.js';

/** A hold that stands. */
export interface Held {
  /** The route that is paid for: its output limit may be lower than what was asked. */
  readonly route: ChosenRoute;
  /** Milliseconds that the request waited for an approval. */
  readonly waitedMs: number;
}

/** Others spend while a lower limit is computed; each refusal brings fresher figures. */
const TRIES_MAX = 4;

/**
 * Reserves the most that the request can cost. Key, member, tenant, budgets and funds are checked
 * in the same transaction; a refusal has changed nothing. Where funds or a budget do not cover the
 * upper bound, the output limit is lowered to what they pay for. A request that would rather wait
 * for an approval than be refused by an exhausted budget waits here, with its slot held.
 * @throws insufficient_balance, budget_exhausted, budget_too_small, budget_reserved,
 * api_key_revoked, invalid_token, tenant_suspended, ledger_unavailable; after a wait also
 * approval_rejected and approval_wait_timeout
 */
export async function hold(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  { policy }: Admission,
  { inspection }: Inspected,
  asked: ChosenRoute,
): Promise<Held> {
  const { who, requestId } = ctx;
  const usage = knownUsage(ctx, request, asked, inspection.dataClass);
  const reserve = ({ estimateMicro }: ChosenRoute) =>
    ctx.services.ledger.hold({
      accountId: who.accountId,
      tenantId: who.tenantId,
      requestId,
      amountMicro: estimateMicro,
      ...(who.kind === 'api_key' ? { keyId: who.id } : { userId: who.id }),
      budgetIds: policy.budgetIds,
      usage,
    });
  const first = await reserveAffordable(request, asked, reserve);
  if (stands(first.outcome)) return { route: first.route, waitedMs: 0 };
  const { approvalWait } = request;
  const leastMicro = leastEstimate(request, asked);
  if (first.outcome.status !== 'budget_exhausted' || approvalWait === undefined) {
    return refuse(first.outcome, leastMicro);
  }
  const refusedMs = performance.now();
  const outcome = await holdWhenApproved(ctx, approvalWait, {
    refused: first.outcome,
    estimateMicro: asked.estimateMicro,
    reserve: () => reserve(asked),
  });
  if (!stands(outcome)) refuse(outcome, leastMicro);
  return { route: asked, waitedMs: performance.now() - refusedMs };
}

function stands({ status }: HoldOutcome): boolean {
  return status === 'ok' || status === 'duplicate';
}

/** Reserves the whole estimate, or what is left after lowering the output limit. */
async function reserveAffordable(
  request: InferenceRequest,
  asked: ChosenRoute,
  reserve: (route: ChosenRoute) => Promise<HoldOutcome>,
): Promise<{ readonly outcome: HoldOutcome; readonly route: ChosenRoute }> {
  let route = asked;
  for (let tries = 1; ; tries += 1) {
    const outcome = await reserve(route);
    const lower =
      tries < TRIES_MAX && isUnaffordable(outcome) && lowerLimit(request, route, outcome);
    if (!lower) return { outcome, route };
    route = lower;
  }
}

function refuse(outcome: HoldOutcome, leastMicro: MicroRub): never {
  switch (outcome.status) {
    case 'insufficient': {
      const available = formatRub(outcome.availableMicro);
      return fail('insufficient_balance', {
        values: { available, required: formatRub(leastMicro) },
      });
    }
    case 'budget_exhausted': {
      const isSpent = outcome.budget.spentMicro >= outcome.budget.capMicro;
      const code = isSpent ? 'budget_exhausted' : 'budget_too_small';
      return fail(code, { values: budgetValues(outcome.budget, leastMicro) });
    }
    case 'budget_reserved':
      return fail('budget_reserved', { values: budgetValues(outcome.budget, leastMicro) });
    case 'key_revoked':
      return fail('api_key_revoked');
    case 'user_removed':
      return fail('invalid_token', { values: { reason: 'its member was removed' } });
    case 'tenant_suspended':
      return fail('tenant_suspended');
    default:
      throw new Error(`the hold was refused: ${outcome.status}`);
  }
}

function budgetValues({ name, spentMicro, capMicro }: BudgetState, leastMicro: MicroRub) {
  return {
    budget: name,
    spent: formatRub(spentMicro),
    left: formatRub(capMicro > spentMicro ? capMicro - spentMicro : 0n),
    cap: formatRub(capMicro),
    required: formatRub(leastMicro),
  };
}
