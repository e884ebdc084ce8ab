import { builder } from '../../graph/builder.js';
import type { Ctx } from '../../graph/ctx.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import {
  code,
  day,
  fieldTable,
  flag,
  integer,
  list,
  money,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { nearestNames } from '../../kernel/near-names.js';
import { moscowDay } from '../../kernel/time.js';
import type { Provider, ProviderModel } from './model.js';
import { costTier, type PriceRow, priceOn } from './price.js';
import {
  CAPABILITIES,
  COST_TIERS,
  JURISDICTIONS,
  LATENCY_TIERS,
  PROTOCOLS,
  PROVIDER_STATUSES,
  QUALITY_TIERS,
  SOURCE_KINDS,
  USAGE_DIMENSIONS,
  VAT_BASES,
} from './vocabulary.js';

const PRICE_PART = fieldTable('ModelPricePart', 'The price of one part of usage.', {
  dimension: code(USAGE_DIMENSIONS, 'The price class of tokens that the price is for.'),
  microPerMillion: money('For a million tokens.'),
});

const PRICE = fieldTable('ModelPrice', 'A dated price. Rows are added, never overwritten.', {
  effectiveFrom: day('First day in force.'),
  source: code(SOURCE_KINDS, 'Who stated the price: vendor, third party or operator.'),
  vatBasis: code(VAT_BASES, 'Whether VAT is inside.'),
  parts: list(object(PRICE_PART, 'A part.'), 'The price of each part.'),
});

const MODEL = fieldTable('ProviderModel', 'A model as a provider lists it.', {
  id: text('The name to send in `model`.'),
  name: text('The name of the model for people.'),
  capabilities: list(code(CAPABILITIES, 'A capability.'), 'What it can do.'),
  contextWindow: integer('Tokens, prompt and answer.'),
  maxOutputTokens: integer('Longest answer; 0 for none.'),
  quality: code(QUALITY_TIERS, 'How hard the tasks are that it is declared for.'),
  russianQuality: code(QUALITY_TIERS, 'Declared quality in Russian.'),
  latency: code(LATENCY_TIERS, 'How fast it answers, as its operator declares it.'),
  costTier: optional(code(COST_TIERS, 'By the price in force; null without one.')),
  priceInForce: optional(object(PRICE, 'The price of today in Moscow; null without one.')),
  jurisdiction: code(JURISDICTIONS, 'Its data route.'),
  operator: text('The company that runs the route.'),
  prices: list(object(PRICE, 'A price.'), 'All prices, oldest first.'),
});

const PROVIDER = fieldTable('Provider', 'An upstream provider of the registry.', {
  id: text('The id of the provider.'),
  name: text('The name of the provider for people.'),
  operator: text('The company behind it.'),
  protocol: code(PROTOCOLS, 'How it is spoken to.'),
  status: code(PROVIDER_STATUSES, 'Whether it can be called.'),
  statusReason: text('What would make it callable; empty when it is.'),
  homepage: text('The page of the vendor, where prices and terms stand; empty where unknown.'),
  simulated: flag('True when answers are made up.'),
  models: list(object(MODEL, 'A model.'), 'The models it lists.'),
});

function shownProvider(provider: Provider): ValuesOf<typeof PROVIDER.fields> {
  const today = moscowDay(sharedNowMs());
  return { ...provider, models: provider.models.map((model) => shownModel(model, today)) };
}

const NONE = { costTier: null, priceInForce: null };

function shownModel(model: ProviderModel, today: string): ValuesOf<typeof MODEL.fields> {
  const inForce = priceOn(model.prices, today);
  const prices = model.prices.map(shownPrice);
  const price = inForce ? { costTier: costTier(inForce), priceInForce: shownPrice(inForce) } : NONE;
  return { ...model, ...price, prices };
}

function shownPrice(row: PriceRow): ValuesOf<typeof PRICE.fields> {
  const { effectiveFrom, sourceKind, vatBasis, microRubPerMillion } = row;
  const parts = USAGE_DIMENSIONS.codes.flatMap((dimension) => {
    const microPerMillion = microRubPerMillion[dimension];
    return microPerMillion === undefined ? [] : [{ dimension, microPerMillion }];
  });
  return { effectiveFrom, source: sourceKind, vatBasis, parts };
}

function requireProvider({ services }: Ctx, id: string) {
  const { providersById } = services.registry;
  const found = providersById.get(id);
  if (found) return shownProvider(found);
  const near = nearestNames(id, [...providersById.keys()]);
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  return fail('not_found', { values: { subject: 'provider', id: `${id}.${hint}` }, param: 'id' });
}

const PROVIDER_ID = {
  id: text('The id of the provider, such as `yandex`.', { max: 120 }),
} as const;
const LISTED = { field: 1, multiplier: 1 };

builder.queryFields((t) => ({
  providers: t.field({
    type: [outputOf(PROVIDER)],
    description: 'The registry of upstream providers with models and prices.',
    resolve: (_root, _args, ctx) => ctx.services.registry.providers.map(shownProvider),
  }),
  provider: t.field({
    type: outputOf(PROVIDER),
    description: 'One provider with its models, dated prices and capabilities.',
    complexity: LISTED,
    args: argsOf(t, PROVIDER_ID),
    resolve: (_root, { id }, ctx) => requireProvider(ctx, id),
  }),
  providerModels: t.field({
    type: [outputOf(MODEL)],
    description: 'The models of a provider, with dated prices and capabilities.',
    complexity: LISTED,
    args: argsOf(t, PROVIDER_ID),
    resolve: (_root, { id }, ctx) => requireProvider(ctx, id).models,
  }),
}));
