import type { ByScope } from '../finops/budgets/budgets.rules.js';
import { concerning, scopeKey } from '../finops/budgets/budgets.rules.js';
import type { LadderBudget, SpendControls } from '../finops/budgets/spend-controls.js';
import type { AuthorizedCtx } from '../graph/ctx.js';
import { fail, GatewayError } from '../kernel/errors/fail.js';
import { isAutomatic } from '../routing/automatic.js';
import { automaticRoute } from './automatic-route.js';
import { holding, isPremium, refusalOf } from './ladder.rules.js';
import type { InferenceRequest } from './request.js';
import { spendScopes } from './spend-scopes.js';
import type { Admission } from './stages/admit.js';
import type { Inspected } from './stages/firewall-in.js';
import { type ChosenRoute, namedRoute } from './stages/route.js';

/** What a route is chosen for. */
type Asked = readonly [AuthorizedCtx, InferenceRequest, Admission, Inspected];

/**
 * The route of a request: the model that it names, or the one that the router chooses for it. The
 * steps of budget ladders act here, asked from memory, so on every route that is taken or given way
 * to; where no ladder of the organization stands on a step, nothing is asked.
 * @throws budget_hard_stop, budget_read_only, budget_batch_only, budget_premium_restricted, and
 * whatever a route is refused with
 */
export function chosenRoute(...asked: Asked): ChosenRoute | Promise<ChosenRoute> {
  const [{ services, who }, request] = asked;
  const choose = ({ ladders }: SpendControls) => {
    const isFree = ladders.size === 0;
    if (isAutomatic(request.model)) {
      return isFree ? automaticRoute(...asked) : automaticUnderLadders(asked, ladders);
    }
    return isFree ? namedRoute(...asked) : namedUnderLadders(asked, ladders);
  };
  const known = services.spendControls.forTenant(who.tenantId);
  return known instanceof Promise ? known.then(choose) : choose(known);
}

type Ladders = ByScope<LadderBudget>;

/** The budgets that concern a request on a route, none of which refuses it. */
function concernedBy(ladders: Ladders, request: InferenceRequest, route?: ChosenRoute) {
  const budgets = concerning(ladders, spendScopes(request, route));
  const refusal = refusalOf(request, budgets);
  if (refusal) {
    const { name: budget, step } = refusal.budget;
    fail(refusal.code, { values: { budget, step } });
  }
  return budgets;
}

/** A named model that is premium is refused; its premium fallbacks stay out. */
function namedUnderLadders(asked: Asked, ladders: Ladders): ChosenRoute {
  const [ctx, request, admission, inspected] = asked;
  concernedBy(ladders, request);
  const route = namedRoute(...asked);
  const budgets = concernedBy(ladders, request, route);
  const restricts = holding(budgets, 'restrict_premium');
  if (restricts && isPremium(route.chosen)) {
    const { quality, id } = route.chosen;
    return restricted(restricts, `${id} is of the quality tier ${quality}.`);
  }
  if (!restricts || !route.chain.some(isPremium)) return { ...route, ladders: budgets };
  const { policy } = admission;
  const others = [...ctx.services.registry.models.values()].filter((one) => !isPremium(one));
  const ids = others.map(({ id }) => id).filter((id) => policy.allowedModels?.has(id) ?? true);
  const plain = { ...admission, policy: { ...policy, allowedModels: new Set(ids) } };
  return { ...namedRoute(ctx, request, plain, inspected), ladders: budgets };
}

/** The router leaves premium models aside and explores nothing where a ladder says so. */
async function automaticUnderLadders(asked: Asked, ladders: Ladders): Promise<ChosenRoute> {
  const [ctx, request] = asked;
  const before = concernedBy(ladders, request);
  const { ids, by } = barred(ctx, request, before, ladders);
  const limits = {
    modelsBarred: ids.length > 0 ? ids : null,
    explores: holding(before, 'disable_exploration') ? false : null,
  };
  const choose = async (explores: boolean | null) => {
    try {
      return await automaticRoute(...asked, { ...limits, explores });
    } catch (error) {
      const isRefusal = error instanceof GatewayError && error.status < 500;
      if (!by || !isRefusal || error.code === 'model_not_found') throw error;
      return restricted(by, `no other model takes the request. ${error.message}`, error);
    }
  };
  const first = await choose(limits.explores);
  const route = isTriedInVain(first, ladders, request) ? await choose(false) : first;
  return { ...route, ladders: concernedBy(ladders, request, route) };
}

/** A model was tried on purpose whose own budget lets nothing be tried. */
function isTriedInVain(route: ChosenRoute, ladders: Ladders, request: InferenceRequest): boolean {
  if (!route.decided?.decision.explored) return false;
  const budgets = concerning(ladders, spendScopes(request, route));
  return holding(budgets, 'disable_exploration') !== undefined;
}

/**
 * The premium models that stay out: all where a budget restricts whatever is chosen, else those
 * whose own route has a budget that does.
 */
function barred(
  { services }: AuthorizedCtx,
  { operation }: InferenceRequest,
  before: readonly LadderBudget[],
  ladders: Ladders,
): { readonly ids: readonly string[]; readonly by: LadderBudget | undefined } {
  const restricts = holding(before, 'restrict_premium');
  const own = (id: string) => holding(ladders.get(scopeKey('route', id)) ?? [], 'restrict_premium');
  const ids = [...services.registry.models.values()]
    .filter((model) => model.operation === operation && isPremium(model))
    .map(({ id }) => id)
    .filter((id) => restricts ?? own(id));
  const [first] = ids;
  return { ids, by: restricts ?? (first === undefined ? undefined : own(first)) };
}

function restricted({ name, step }: LadderBudget, reason: string, cause?: Error): never {
  const values = { budget: name, step, reason };
  return fail('budget_premium_restricted', { values, param: 'model', cause });
}
