import { type PriceRow, priceOn } from '../../catalog/providers/price.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent } from '../../kernel/fields/sealed.js';
import { contractAtVersion, currentContract } from '../../records/contracts.js';
import { CONTRACT_FIELDS, ROUTING_CONTRACTS } from '../adaptive/records.js';
import { estimateOf } from '../decision/estimate.rules.js';
import type { RouteModel, Terms } from '../decision/tables.js';
import { DEFAULT_USE, termsOfContract } from '../memory/terms.js';
import type { WHAT_IF_INPUT } from './tables.js';
import type { Supposition } from './what-if.rules.js';

type Asked = ValuesOf<typeof WHAT_IF_INPUT.fields>;

/** What a caller supposes, with the contract version that it names. @throws not_found */
export async function supposed(ctx: AuthorizedCtx, asked: Asked): Promise<Supposition> {
  const terms = await supposedTerms(ctx, asked);
  const prices = new Map(asked.prices.map(({ model, ...price }) => [model, price]));
  const estimates = asked.scorecards === 'CURRENT' ? await estimatesOfToday(ctx) : undefined;
  return {
    ...(terms && { terms }),
    ...(prices.size > 0 && { prices }),
    ...(asked.pricesOn !== null && { rowOf: rowsOn(ctx, asked.pricesOn) }),
    listedOf: rowsOf(ctx),
    ...(estimates && { estimates }),
  };
}

/** The row in force on a day, of a deployment that is there now. */
function rowsOf({ services: { registry } }: AuthorizedCtx) {
  return (key: string, day: string): PriceRow | undefined =>
    priceOn(registry.deploymentsByKey.get(key)?.prices ?? [], day);
}

/** The rows in force on a day, of deployments that are there now; others keep their prices. */
function rowsOn({ services: { registry } }: AuthorizedCtx, day: string) {
  return (key: string): PriceRow | undefined =>
    priceOn(registry.deploymentsByKey.get(key)?.prices ?? [], day);
}

async function supposedTerms(ctx: AuthorizedCtx, asked: Asked): Promise<Terms | undefined> {
  const { newTerms, newContractKey: key, newContractVersion: version } = asked;
  if (newTerms) {
    const whenUnmeasured = newTerms.whenUnmeasured ?? 'REFUSE';
    const stated = { ...newTerms, whenUnmeasured };
    return { ...stated, origin: 'DECLARED', contractKey: DEFAULT_USE, contractVersion: 0 };
  }
  if (key === null) return undefined;
  const name = { kind: ROUTING_CONTRACTS.kind, key };
  const row =
    version === null
      ? await currentContract(ctx, name)
      : await contractAtVersion(ctx, name, version);
  const body = openedContent(CONTRACT_FIELDS, row.body as SealedContent);
  return termsOfContract({ version: row.version, terms: body });
}

/** What is known of models today, in place of what was known then. */
async function estimatesOfToday({ who, services }: AuthorizedCtx) {
  const { registry, routing, routingOutcomes, routingUsage } = services;
  const state = await routing.forTenant(who.tenantId);
  const outcomes = await routingOutcomes.forTenant(who.tenantId);
  const usage = await routingUsage.forTenant(who.tenantId);
  return (useCase: string, then: RouteModel): RouteModel => {
    const model = registry.models.get(then.model);
    // A model that is gone since is known as it was.
    if (!model) return then;
    const cards = state.scorecards;
    const card = cards.get(useCase)?.get(model.id) ?? cards.get(DEFAULT_USE)?.get(model.id);
    const counts = outcomes.get(useCase)?.get(model.id);
    return { ...then, ...estimateOf(model, card, counts, usage.get(model.id)) };
  };
}
