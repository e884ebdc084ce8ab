import { JURISDICTIONS } from '../catalog/providers/vocabulary.js';
import {
  allowsMore,
  askingOrder,
  type ByScope,
  concerning,
  type ScopeBudget,
} from '../finops/budgets/budgets.rules.js';
import type { AuthorizedCtx } from '../graph/ctx.js';
import { GatewayError } from '../kernel/errors/fail.js';
import type { MicroRub } from '../kernel/money.js';
import type { BudgetState } from '../money/ledger/ledger.js';
import { tenantQuery } from '../platform/database/tenant-query.js';
import { isAutomatic } from '../routing/automatic.js';
import { AT_ONCE_MAX, isLong } from './firewall/apart/weight.js';
import { lowestEstimate } from './lower-limit.js';
import type { InferenceRequest } from './request.js';
import { spendScopes } from './spend-scopes.js';
import type { Admission } from './stages/admit.js';
import { withMustBlocks } from './stages/context.js';
import { ownBudgets, refuse } from './stages/hold.js';
import { namedRoute } from './stages/route.js';
import { isToPrune } from './workload/prune.js';

/** What an account could spend where nothing is held, and what of it is free, in micro-rubles. */
const FUNDS = {
  name: 'funds-first',
  text:
    'SELECT (posted_micro + credit_limit_micro)::text AS funds, ' +
    '(posted_micro - held_micro + credit_limit_micro)::text AS available ' +
    'FROM account WHERE id = $1',
};

interface FundsRow {
  readonly funds: string;
  readonly available: string;
}

/** As long as nothing is known of the data, every route may be open to it. */
const ANYWHERE = {
  jurisdictionsAllowed: JURISDICTIONS.codes,
  dataClass: 'C0',
  sources: [],
  unread: [],
} as const;

/** Where budgets stand in their periods, in micro-rubles; what was granted is in the cap. */
const STANDINGS = {
  name: 'budgets-first',
  text:
    'SELECT b.id, b.name, b.period, COALESCE(c.spent_micro, 0)::text AS spent, ' +
    'COALESCE(c.held_micro, 0)::text AS held, ' +
    '(t.cap_micro + budget_granted(b.id, s.period_start))::text AS cap ' +
    'FROM budget b ' +
    'JOIN budget t ON t.id = budget_of_terms(b.id, b.scope_kind, b.scope_ref) ' +
    'CROSS JOIN LATERAL (SELECT ' +
    'budget_period_start(b.period, b.time_zone, clock_timestamp()) AS period_start) s ' +
    'LEFT JOIN budget_counter c ON c.budget_id = b.id AND c.period_start = s.period_start ' +
    'WHERE b.tenant_id = $1 AND b.id = ANY($2::uuid[])',
};

interface StandingRow {
  readonly id: string;
  readonly name: string;
  readonly period: BudgetState['period'];
  readonly spent: string;
  readonly held: string;
  readonly cap: string;
}

/**
 * Refuses a long request that its account or a budget cannot pay for, before anybody reads it:
 * whoever has no funds makes the gateway scan nothing. Nothing is held, and what is refused here
 * the hold would refuse too, whatever the firewall found. Short requests are not asked for: reading
 * them costs less than the question.
 * @throws insufficient_balance, budget_exhausted, budget_too_small
 */
export function requireSomeFunds(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  admission: Admission,
): void | Promise<void> {
  const blocks = request.context?.blocks.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
  if (blocks <= AT_ONCE_MAX && !isLong(request.body, admission.policy.firewall)) return;
  return required(ctx, withMustBlocks(request), admission);
}

async function required(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  admission: Admission,
): Promise<void> {
  const least = lowestOf(ctx, request, admission);
  if (least === undefined || least === 0n) return;
  const { services, who } = ctx;
  const { budgets } = await services.spendControls.forTenant(who.tenantId);
  const mayBeKept = await keepsAnswers(ctx);
  // A kept answer, dropped turns or a budget that degrades routes may make it cost nothing.
  const mayCostLess = mayBeKept || isToPrune(request);
  const isSure = !mayCostLess && ![...budgets.values()].flat().some(degrades);
  const leastMicro = isSure ? least : 0n;
  // A kept answer counts against no budget.
  const ids = mayBeKept ? [] : blockingIds(ctx, request, admission, budgets);
  await requireBudgets(ctx, ids, leastMicro);
  const { rows } = await tenantQuery<FundsRow>(services.pool, who.tenantId, {
    ...FUNDS,
    values: [who.accountId],
  });
  const { funds, available } = rows[0] ?? { funds: 0, available: 0 };
  // What is held by others may be free again by then.
  if (BigInt(funds) >= leastMicro) return;
  const availableMicro = BigInt(available);
  refuse(ctx, { status: 'insufficient', availableMicro }, least);
}

function degrades({ onCapReached }: ScopeBudget): boolean {
  return onCapReached === 'degrade';
}

/**
 * The budgets that refuse the request at their cap and that nothing turns: those of the policies,
 * unless the request would wait for an approval, and of the others that block.
 */
function blockingIds(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  { policy }: Admission,
  budgets: ByScope<ScopeBudget>,
): readonly string[] {
  const scoped = [...ownBudgets(ctx, request).values()];
  const named = concerning(budgets, spendScopes(request));
  const blocking = [...scoped, ...named].filter(({ onCapReached }) => onCapReached === 'block');
  return askingOrder(blocking, request.approvalWait ? [] : policy.budgetIds);
}

/** What is held by others may be free again by then, so that only what was spent refuses. */
async function requireBudgets(
  ctx: AuthorizedCtx,
  ids: readonly string[],
  leastMicro: MicroRub,
): Promise<void> {
  if (ids.length === 0) return;
  const { services, who } = ctx;
  const values = [who.tenantId, ids];
  const { rows } = await tenantQuery<StandingRow>(services.pool, who.tenantId, {
    ...STANDINGS,
    values,
  });
  const budgets = rows.map(stateOf);
  const refusing = ids
    .flatMap((id) => budgets.find(({ budgetId }) => budgetId === id) ?? [])
    .find((budget) => !allowsMore({ ...budget, heldMicro: 0n, grantedMicro: 0n }, leastMicro));
  if (refusing) refuse(ctx, { status: 'budget_exhausted', budget: refusing }, leastMicro);
}

function stateOf({ id: budgetId, name, period, spent, held, cap }: StandingRow): BudgetState {
  const [spentMicro, heldMicro, capMicro] = [BigInt(spent), BigInt(held), BigInt(cap)];
  return { budgetId, name, period, spentMicro, heldMicro, capMicro };
}

/** The least that a request can cost; undefined where another stage refuses it for its route. */
function lowestOf(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  admission: Admission,
): MicroRub | undefined {
  const { models } = ctx.services.registry;
  const ids = isAutomatic(request.model) ? [...models.keys()] : [request.model];
  let lowest: MicroRub | undefined;
  for (const model of ids) {
    const estimate = estimateOf(ctx, { ...request, model }, admission);
    if (estimate !== undefined && (lowest === undefined || estimate < lowest)) lowest = estimate;
  }
  return lowest;
}

function estimateOf(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  admission: Admission,
): MicroRub | undefined {
  try {
    return lowestEstimate(request, namedRoute(ctx, request, admission, ANYWHERE));
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined;
    throw thrown;
  }
}

async function keepsAnswers({ services, who }: AuthorizedCtx): Promise<boolean> {
  const workloads = await services.workloads.forTenant(who.tenantId);
  return [...workloads.values()].some(({ terms }) => terms.exactCacheEnabled);
}
