import type { Model } from '../../catalog/providers/model.js';
import { costTier, type PriceRow, priceOn } from '../../catalog/providers/price.js';
import type { CostTier } from '../../catalog/providers/vocabulary.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { moscowDay } from '../../kernel/time.js';
import { showLimits } from '../stages/admit.js';

/** A name that a request may carry in `model`. */
export type ListedModel =
  | {
      readonly kind: 'model';
      readonly id: string;
      readonly model: Model;
      readonly price?: PriceRow;
    }
  | { readonly kind: 'alias'; readonly id: string; readonly description: string };

/** What the caller's policy allows: aliases first, then models in the order of the catalogue. */
export async function listModels(ctx: AuthorizedCtx): Promise<ListedModel[]> {
  const { registry, policies } = ctx.services;
  const policy = await policies.forProject(ctx.who.tenantId, ctx.who.projectId);
  await showLimits(ctx, policy);
  const day = moscowDay(Date.now());
  const aliases = [...registry.aliases.values()].map(({ id, description }) => ({
    kind: 'alias' as const,
    id,
    description,
  }));
  const inside = policy.hybrid === 'rf_only';
  const models = [...registry.models.values()].filter(
    (model) =>
      (policy.allowedModels?.has(model.id) ?? true) &&
      (!inside || model.deployments.some(({ jurisdiction }) => jurisdiction === 'rf')),
  );
  return [
    ...aliases,
    ...models.map((model) => ({
      kind: 'model' as const,
      id: model.id,
      model,
      price: priceOn(model.prices, day),
    })),
  ];
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

/** The declared cost tier by the price in force. */
export function tierOf(listed: ListedModel): CostTier | null {
  return listed.kind === 'model' && listed.price ? costTier(listed.price) : null;
}
