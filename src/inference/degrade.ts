import type { ScopeBudget } from '../finops/budgets/budgets.rules.js';
import type { AuthorizedCtx } from '../graph/ctx.js';
import { fail, GatewayError } from '../kernel/errors/fail.js';
import { requestedModel } from './alias.js';
import { chosenRoute } from './chosen-route.js';
import type { InferenceRequest } from './request.js';
import type { Admission } from './stages/admit.js';
import type { Inspected } from './stages/firewall-in.js';
import type { ChosenRoute } from './stages/route.js';

/** A request with the route that is to be paid for. */
export interface Routed {
  readonly request: InferenceRequest;
  readonly route: ChosenRoute;
}

/**
 * The request on the route that a spent budget names. One that can cost no more as it is stays as
 * it is. Compared is the most that either can cost: with few tokens out, a route that is dearer for
 * the prompt and cheaper for the answer may cost more in the end.
 * @throws budget_degrade_unusable where the named route cannot take the request
 */
export async function degraded(
  ctx: AuthorizedCtx,
  { request, route }: Routed,
  [admission, inspected]: readonly [Admission, Inspected],
  { id, name, degradeTo: to = '' }: ScopeBudget,
): Promise<Routed> {
  const known = { budgetId: id, budget: name, from: requestedModel(request), to };
  const cheaper: InferenceRequest = { ...request, model: to, degraded: known };
  try {
    const named = await chosenRoute(ctx, cheaper, admission, inspected);
    return named.estimateMicro < route.estimateMicro
      ? { request: cheaper, route: named }
      : { request, route };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const values = { budget: name, route: to, reason: error.message };
    return fail('budget_degrade_unusable', { values, cause: error });
  }
}
