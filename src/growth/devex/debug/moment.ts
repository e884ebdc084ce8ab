import { throttleOf } from '../../../access/abuse/key-controls.js';
import type { EffectivePolicy } from '../../../access/policies/rules.js';
import { askingOrder, cappedEach, concerning } from '../../../finops/budgets/budgets.rules.js';
import { eachRef } from '../../../finops/budgets/each-budgets.js';
import type { AuthorizedCtx } from '../../../graph/ctx.js';
import { leastEstimate } from '../../../inference/lower-limit.js';
import { requireRunning } from '../../../inference/paused.js';
import type { InferenceRequest } from '../../../inference/request.js';
import { spendScopes } from '../../../inference/spend-scopes.js';
import { limitsOf, refusalOf, tokensOf, untaken } from '../../../inference/stages/admit.js';
import { refuse } from '../../../inference/stages/hold.js';
import type { ChosenRoute } from '../../../inference/stages/route.js';
import type { UsedWorkspace } from '../../../inference/used-workspace.js';
import { fail } from '../../../kernel/errors/fail.js';
import type { BudgetState } from '../../../money/ledger/ledger.js';
import { databaseOf } from '../../../records/scope.js';

/** What is judged by the moment: it may be otherwise when the request is sent. */
export interface AskedNow {
  readonly request: InferenceRequest;
  readonly policy: EffectivePolicy;
  readonly used: Omit<UsedWorkspace, 'budget'> | undefined;
}

/**
 * Refuses what the rates of the project, or a throttle of the key, would not let through now.
 * Nothing is taken of them.
 * @throws rate_limit_requests, rate_limit_tokens, key_throttled, key_rate_limit_requests,
 * key_rate_limit_tokens
 */
export async function requireRates(ctx: AuthorizedCtx, { request, policy }: AskedNow) {
  const { services, who } = ctx;
  const { projectId, tenantId } = who;
  const throttle = throttleOf(await services.keyControls.forTenant(tenantId), who);
  const { bounds: keys } = who;
  const tokens = tokensOf(request, policy, keys);
  const taking = { projectId, slot: '', leaseMs: 0, throttle, keys, ...tokens };
  const rates = limitsOf(policy, taking).filter((limit) => limit.kind === 'rate');
  const { states } = await services.counters.take(rates.map(untaken));
  for (const [index, { points, needed = points, perMinute }] of rates.entries()) {
    const { limit = 0, remaining = 0, resetMs = 0 } = states[index] ?? {};
    // A request that needs more than a minute holds passes when the minute is whole.
    if (remaining >= Math.min(needed, perMinute)) continue;
    fail(refusalOf(rates[index]), { values: { limit }, retryAfterMs: resetMs });
  }
}

interface Funds {
  readonly availableMicro: bigint;
  readonly budgets: readonly BudgetState[];
}

/**
 * Refuses what a hold would refuse now: the least that the request can cost must be covered by the
 * funds and by every budget that concerns it. Nothing is held, and no budget is made.
 * @throws spend_paused, insufficient_balance, budget_exhausted, budget_too_small, budget_reserved
 */
export async function requireFunds(ctx: AuthorizedCtx, asked: AskedNow, route: ChosenRoute) {
  await requireRunning(ctx, asked.request, route);
  const { availableMicro, budgets } = await fundsFor(ctx, asked, route);
  const leastMicro = leastEstimate(asked.request, route);
  if (availableMicro < leastMicro)
    refuse(ctx, { status: 'insufficient', availableMicro }, leastMicro);
  for (const budget of budgets) {
    const { spentMicro, heldMicro, capMicro } = budget;
    if (spentMicro + heldMicro + leastMicro <= capMicro) continue;
    const isReserved = spentMicro + leastMicro <= capMicro;
    const status = isReserved ? 'budget_reserved' : 'budget_exhausted';
    refuse(ctx, { status, budget }, leastMicro);
  }
}

async function fundsFor(ctx: AuthorizedCtx, asked: AskedNow, route: ChosenRoute): Promise<Funds> {
  const { who, services } = ctx;
  const { request, policy, used } = asked;
  const controls = await services.spendControls.forTenant(who.tenantId);
  const scopes = spendScopes(request, route);
  const scoped = concerning(controls.budgets, scopes);
  const keyIds = who.kind === 'api_key' ? [who.id, ...who.makers] : [];
  const each = cappedEach(controls.budgets, scopes, keyIds).filter(
    ({ budget }) => budget.onCapReached === 'block',
  );
  const refs = each.map(({ budget, ref }) => eachRef(budget.id, ref));
  const ids = [
    ...(who.token ? [who.token.budgetId] : []),
    ...(who.bounds?.flatMap(({ budgets }) => budgets.map(({ id }) => id)) ?? []),
    ...askingOrder(
      scoped.filter(({ onCapReached }) => onCapReached === 'block'),
      policy.budgetIds,
    ),
  ];
  const user = used?.workspace.hasUserBudgets ? `${used.workspace.id}/${used.user}` : null;
  const budgets = await databaseOf(ctx).$queryRaw<BudgetState[]>`SELECT * FROM (
    SELECT b.id AS "budgetId", b.name, b.period,
      t.cap_micro + budget_granted(b.id, s.period_start) AS "capMicro",
      COALESCE(c.spent_micro, 0) AS "spentMicro", COALESCE(c.held_micro, 0) AS "heldMicro"
    FROM budget b
    JOIN budget t ON t.id = budget_of_terms(b.id, b.scope_kind, b.scope_ref)
    CROSS JOIN LATERAL (
      SELECT budget_period_start(b.period, b.time_zone, clock_timestamp()) AS period_start
    ) s
    LEFT JOIN budget_counter c ON c.budget_id = b.id AND c.period_start = s.period_start
    WHERE b.tenant_id = ${who.tenantId}::uuid AND t.active AND (
      b.id = ANY(${ids}::uuid[])
      OR b.scope_kind = 'each' AND b.scope_ref = ANY(${refs}::text[])
      OR b.scope_kind = 'workspace_user' AND b.scope_ref = ${user})
    UNION ALL
    SELECT b.id, b.name, b.period, b.cap_micro, 0, 0
    FROM unnest(${each.map(({ budget }) => budget.id)}::uuid[], ${refs}::text[]) AS unmade(id, ref)
    JOIN budget b ON b.id = unmade.id AND b.tenant_id = ${who.tenantId}::uuid AND b.active
    WHERE NOT EXISTS (
      SELECT FROM budget WHERE tenant_id = ${who.tenantId}::uuid AND scope_kind = 'each'
        AND scope_ref = unmade.ref)
    ) found ORDER BY array_position(${ids}::uuid[], "budgetId") NULLS LAST`;
  const account = await databaseOf(ctx).account.findUniqueOrThrow({ where: { id: who.accountId } });
  const { postedMicro, heldMicro, creditLimitMicro } = account;
  return { availableMicro: postedMicro - heldMicro + creditLimitMicro, budgets };
}
