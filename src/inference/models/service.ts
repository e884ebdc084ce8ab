import type { Model } from '../../catalog/providers/model.js';
import { costTier, priceOn } from '../../catalog/providers/price.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { moscowDay } from '../../kernel/time.js';
import { showLimits } from '../stages/admit.js';
import { CATALOGUE_EPOCH_SECONDS, type LISTING } from './tables.js';

/** A name that a request may carry in `model`. */
type ListedModel = ValuesOf<typeof LISTING.fields>;

/** What the caller's policy allows: aliases first, then models in the order of the catalogue. */
export async function listModels(ctx: AuthorizedCtx): Promise<ListedModel[]> {
  const { registry, policies } = ctx.services;
  const policy = await policies.forProject(ctx.who.tenantId, ctx.who.projectId);
  await showLimits(ctx, policy);
  const day = moscowDay(Date.now());
  const inside = policy.hybrid === 'rf_only';
  const models = [...registry.models.values()].filter(
    (model) =>
      (policy.allowedModels?.has(model.id) ?? true) &&
      (!inside || model.deployments.some(({ jurisdiction }) => jurisdiction === 'rf')),
  );
  return [
    ...[...registry.aliases.keys()].map(listedAlias),
    ...models.map((model) => listedModel(model, day)),
  ];
}

function listedAlias(id: string): ListedModel {
  return {
    id,
    object: 'model',
    created: CATALOGUE_EPOCH_SECONDS,
    ownedBy: 'gw',
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
  const near = ctx.services.registry.near(id);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See GET /v1/models.';
  return fail('model_not_found', { values: { model: id, hint }, param: 'id' });
}
