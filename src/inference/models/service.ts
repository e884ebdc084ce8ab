import type { Model } from '../../catalog/providers/model.js';
import { costTier, priceOn } from '../../catalog/providers/price.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { moscowDay } from '../../kernel/time.js';
import { aliasFor, routePolicyKeyOf, unknownModelHint } from '../../routing/aliases/alias.rules.js';
import type { AliasesInForce } from '../../routing/aliases/alias-cache.js';
import { showLimits } from '../stages/admit.js';
import { narrowed } from '../stages/token.js';
import { workspaceToRead } from '../stages/workspace.js';
import { CATALOGUE_EPOCH_SECONDS, type LISTING } from './tables.js';

/** A name that a request may carry in `model`. */
type ListedModel = ValuesOf<typeof LISTING.fields>;

/**
 * What the caller's policy allows, and the workspace that a header names or that the caller
 * belongs to: aliases first, the
 * organization's own before the gateway's. A token sees models of the operations of its scope.
 * @throws workspace_not_found, workspace_boundary
 */
export async function listModels(ctx: AuthorizedCtx): Promise<ListedModel[]> {
  const { registry, policies } = ctx.services;
  const whole = await policies.forProject(ctx.who.tenantId, ctx.who.projectId);
  const workspace = await workspaceToRead(ctx);
  const used = workspace && { workspace };
  const policy = await narrowed(whole, ctx, used);
  const operations = ctx.who.token?.operations;
  await showLimits(ctx, policy);
  const day = moscowDay(sharedNowMs());
  const inside = policy.hybrid === 'rf_only';
  const models = [...registry.models.values()].filter(
    (model) =>
      (policy.allowedModels?.has(model.id) ?? true) &&
      (operations?.includes(model.operation) ?? true) &&
      (!inside || model.deployments.some(({ jurisdiction }) => jurisdiction === 'rf')),
  );
  const listed = [
    ...[...registry.aliases.keys()].map(listedAlias),
    ...models.map((model) => listedModel(model, day)),
  ];
  const own = ownAliases(ctx, await ctx.services.modelAliases.forTenant(ctx.who.tenantId), listed);
  const names = new Set(own.map(({ id }) => id));
  return [...own, ...listed.filter(({ id }) => !names.has(id))];
}

/** The aliases of the organization whose targets the policy allows. */
function ownAliases(
  { services }: AuthorizedCtx,
  aliases: AliasesInForce,
  listed: readonly ListedModel[],
): ListedModel[] {
  const { models } = services.registry;
  const targets = new Map(listed.map((each) => [each.id, each]));
  return [...aliases.keys()].flatMap((name) => {
    const used = aliasFor(aliases, name, (model) => models.has(model));
    const target = used && (targets.get(used.target) ?? routeTarget(used.target));
    if (!used || !target) return [];
    return [{ ...target, id: name, kind: 'alias', ownedBy: OWNED, aliasOf: used.target } as const];
  });
}

const OWNED = 'organization';

/** A route policy chooses for each request, as gw:auto does. */
function routeTarget(target: string): ListedModel | undefined {
  return routePolicyKeyOf(target) === undefined ? undefined : listedAlias(target);
}

function listedAlias(id: string): ListedModel {
  return {
    id,
    object: 'model',
    created: CATALOGUE_EPOCH_SECONDS,
    ownedBy: 'gw',
    aliasOf: null,
    kind: 'alias',
    capabilities: [],
    contextWindow: null,
    jurisdiction: null,
    costTier: null,
    simulated: false,
  };
}

function listedModel(model: Model, day: string): ListedModel {
  const { id, operator: ownedBy, capabilities, contextWindow, jurisdiction, simulated } = model;
  const price = priceOn(model.prices, day);
  return {
    ...listedAlias(id),
    kind: 'model',
    ownedBy,
    capabilities,
    contextWindow,
    jurisdiction,
    costTier: price ? costTier(price) : null,
    simulated,
  };
}

/**
 * One model that the caller may use.
 * @throws model_not_found
 */
export async function getModel(ctx: AuthorizedCtx, id: string): Promise<ListedModel> {
  const found = (await listModels(ctx)).find((listed) => listed.id === id);
  if (found) return found;
  const hint = unknownModelHint(ctx.services.registry.near(id));
  return fail('model_not_found', { values: { model: id, hint }, param: 'id' });
}
