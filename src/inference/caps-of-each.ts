import type { EachBudget, ScopeBudget } from '../finops/budgets/budgets.rules.js';
import type { AuthorizedCtx } from '../graph/ctx.js';
import { ControlsChanged } from './controls-changed.js';
import type { Routed } from './degrade.js';
import { leastEstimate } from './lower-limit.js';

/** The caps of those that a request names. @throws ControlsChanged where one is gone */
export async function capsOfEach(
  { who, services }: AuthorizedCtx,
  { request, route }: Routed,
  each: readonly EachBudget[],
): Promise<readonly ScopeBudget[]> {
  if (each.length === 0) return [];
  const { tenantId, accountId } = who;
  const payer = { tenantId, accountId, leastMicro: leastEstimate(request, route) };
  const caps = await Promise.all(each.map((one) => services.eachBudgets.of(payer, one)));
  return caps.map((cap) => {
    if (cap === undefined) throw new ControlsChanged();
    return cap;
  });
}

/** The key that a request is made with and those that have made it; none for one of a member. */
export function keysOf({ who }: AuthorizedCtx): readonly string[] {
  return who.kind === 'api_key' ? [who.id, ...who.makers] : [];
}
