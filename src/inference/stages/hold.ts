import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { formatRub } from '../../kernel/money.js';
import type { BudgetState, HoldOutcome } from '../../money/ledger/ledger.js';
import { holdWhenApproved } from '../approval-wait.js';
import type { InferenceRequest } from '../request.js';
import type { Admission } from './admit.js';
import type { ChosenRoute } from './route.js';

/**
 * Reserves the most that the request can cost. Key, member, tenant, budgets and funds are checked
 * in the same transaction; a refusal has changed nothing. A request that would rather wait for an
 * approval than be refused by an exhausted budget waits here, with its slot held.
 * @returns the milliseconds that it waited
 * @throws insufficient_balance, budget_exhausted, budget_reserved, api_key_revoked, invalid_token,
 * tenant_suspended, ledger_unavailable; after a wait also approval_rejected and
 * approval_wait_timeout
 */
export async function hold(
  ctx: AuthorizedCtx,
  { approvalWait }: InferenceRequest,
  { policy }: Admission,
  { estimateMicro }: ChosenRoute,
): Promise<number> {
  const { who, requestId } = ctx;
  const reserve = () =>
    ctx.services.ledger.hold({
      accountId: who.accountId,
      tenantId: who.tenantId,
      requestId,
      amountMicro: estimateMicro,
      ...(who.kind === 'api_key' ? { keyId: who.id } : { userId: who.id }),
      budgetIds: policy.budgetIds,
    });
  const outcome = await reserve();
  if (outcome.status === 'ok' || outcome.status === 'duplicate') return 0;
  if (outcome.status !== 'budget_exhausted' || approvalWait === undefined) {
    return refuse(outcome, estimateMicro);
  }
  const refusedMs = performance.now();
  const later = await holdWhenApproved(ctx, approvalWait, {
    refused: outcome,
    estimateMicro,
    reserve,
  });
  if (later.status !== 'ok' && later.status !== 'duplicate') refuse(later, estimateMicro);
  return performance.now() - refusedMs;
}

function refuse(outcome: HoldOutcome, requiredMicro: bigint): never {
  switch (outcome.status) {
    case 'insufficient': {
      const available = formatRub(outcome.availableMicro);
      const required = formatRub(requiredMicro);
      return fail('insufficient_balance', { values: { available, required } });
    }
    case 'budget_exhausted':
    case 'budget_reserved':
      return fail(outcome.status, { values: budgetValues(outcome.budget) });
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

function budgetValues({ name, spentMicro, capMicro }: BudgetState) {
  return { budget: name, spent: formatRub(spentMicro), cap: formatRub(capMicro) };
}
