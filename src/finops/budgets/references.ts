import { AUTO_MODEL } from '../../catalog/providers/vocabulary.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { latestContract } from '../../records/contracts.js';
import { EACH_REF, EVERY_REF } from './vocabulary.js';

/** The prefix of a model name that names a route policy, and the kind of its contract. */
const ROUTE_POLICY = { prefix: 'gw:route/', kind: 'route_policy' } as const;

/** What is said against a route that nobody can ask: a model, `gw:auto` or a route policy. */
export async function routeFaults(
  ctx: AuthorizedCtx,
  path: string,
  route: string,
): Promise<Fault[]> {
  const { registry } = ctx.services;
  if (route === AUTO_MODEL || registry.models.has(route)) return [];
  if (route.startsWith(ROUTE_POLICY.prefix)) {
    const isKnown = await isPolicy(ctx, route.slice(ROUTE_POLICY.prefix.length));
    const what = 'names a route policy that is not published';
    return isKnown ? [] : [fault(path, 'unknown_value', what)];
  }
  return [fault(path, 'unknown_value', `is no model that can be called${meant(ctx, route)}`)];
}

/**
 * What is said against a reference that no request can have: a route that is no model, no alias and
 * no route policy. What clients name themselves, as use cases and sessions, is known to nobody.
 */
export async function referenceFaults(
  ctx: AuthorizedCtx,
  scope: string,
  ref: string,
): Promise<Fault[]> {
  if (scope !== 'route' || ref === EVERY_REF || ref === EACH_REF) return [];
  const names = await ctx.services.callableNames(ctx.who.tenantId);
  const { models, automatic, aliases } = names;
  const isCallable = [models, automatic, aliases].some((each) => each.has(ref));
  if (isCallable || (await isPolicy(ctx, ref))) return [];
  const path = 'input.scopeRef';
  if (ref === AUTO_MODEL || ref.startsWith(ROUTE_POLICY.prefix)) return routeFaults(ctx, path, ref);
  const what = `is no model, alias or route policy${meant(ctx, ref)}`;
  return [fault(path, 'unknown_value', what)];
}

async function isPolicy(ctx: AuthorizedCtx, key: string): Promise<boolean> {
  if (key === '') return false;
  return (await latestContract(ctx, { kind: ROUTE_POLICY.kind, key })) !== null;
}

function meant({ services }: AuthorizedCtx, name: string): string {
  const near = services.registry.near(name);
  return near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
}
