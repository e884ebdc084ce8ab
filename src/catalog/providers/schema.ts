import { builder } from '../../graph/builder.js';
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
  type UsageDimension,
  VAT_BASES,
} from './vocabulary.js';

/** An enum of codes whose meanings stand in one place, beside the codes. */
function codes<const C extends string>(
  values: readonly C[],
  meanings: Readonly<Record<C, string>>,
): Record<C, { value: C; description: string }> {
  const entries = values.map((code) => [code, { value: code, description: meanings[code] }]);
  return Object.fromEntries(entries) as Record<C, { value: C; description: string }>;
}

const Capability = builder.enumType('ModelCapability', {
  description: 'What a model can be asked for.',
  values: codes(CAPABILITIES, {
    text: 'Text in and out.',
    vision: 'Understands images in a request.',
    audio: 'Understands sound in a request.',
    embeddings: 'Vectors of texts.',
    tools: 'Calls of tools.',
    json: 'Answers in JSON.',
    json_schema: 'Answers by a JSON Schema.',
    streaming: 'Answers as a stream.',
    reasoning: 'Thinks before it answers.',
    long_context: 'A window of 128,000 tokens or more.',
  }),
});
/** Where data goes. */
export const Jurisdiction = builder.enumType('Jurisdiction', {
  description: 'Where a route takes the data.',
  values: codes(JURISDICTIONS, {
    rf: 'Stays inside Russia.',
    outside: 'The data leaves Russia on this route.',
  }),
});
const ProviderStatus = builder.enumType('ProviderStatus', {
  description: 'Whether the gateway can call a provider now.',
  values: codes(PROVIDER_STATUSES, {
    configured: 'Address and key are there; it is called.',
    adapter_ready: 'Known, but not callable on this server; the reason is beside it.',
  }),
});
const Protocol = builder.enumType('ProviderProtocol', {
  description: 'The language a provider speaks.',
  values: codes(PROTOCOLS, {
    chat_completions: 'The chat-completions wire.',
    native: 'Its own; an adapter is on the roadmap.',
    in_process: 'Built in: answers are simulated.',
  }),
});
const QualityTier = builder.enumType('QualityTier', {
  description: 'Declared quality of answers.',
  values: codes(QUALITY_TIERS, {
    basic: 'Good enough for simple tasks, such as sorting or short replies.',
    good: 'Good enough for most tasks of everyday work.',
    high: 'For hard tasks, such as long reasoning or careful analysis.',
  }),
});
const LatencyTier = builder.enumType('LatencyTier', {
  description: 'How fast a model answers, as its operator declares it.',
  values: codes(LATENCY_TIERS, {
    fast: 'Answers faster than most models.',
    medium: 'Answers about as fast as most models.',
    slow: 'Takes longer than most models, for example to reason.',
  }),
});
/** How much a model costs. */
export const CostTier = builder.enumType('CostTier', {
  description: 'By the price of a million output tokens, of input for embeddings.',
  values: codes(COST_TIERS, {
    low: 'A million tokens cost less than 100 RUB.',
    medium: 'A million tokens cost from 100 to less than 700 RUB.',
    high: '700 RUB and more.',
  }),
});
const SourceKind = builder.enumType('PriceSource', {
  description: 'Who stated a price.',
  values: codes(SOURCE_KINDS, {
    primary: 'Read in the documents of the vendor.',
    secondary: 'Read in the copy of a third party.',
    operator: 'Stated by the operator of this server.',
  }),
});
const VatBasis = builder.enumType('PriceVatBasis', {
  description: 'Whether a price holds the value added tax.',
  values: codes(VAT_BASES, {
    included: 'The price contains the value added tax.',
    unknown: 'The source does not say.',
  }),
});
const Dimension = builder.enumType('UsageDimension', {
  description: 'A part of usage; a token counts in exactly one.',
  values: codes(USAGE_DIMENSIONS, {
    input_uncached: 'Prompt tokens read anew.',
    input_cached: 'Prompt tokens read from a cache.',
    cache_write: 'Prompt tokens written to a cache.',
    output_text: 'Tokens of the answer itself.',
    output_reasoning: 'Tokens of reasoning before the answer.',
  }),
});

interface PricePart {
  readonly dimension: UsageDimension;
  readonly microRubPerMillion: bigint;
}

const PricePartType = builder.objectRef<PricePart>('ModelPricePart').implement({
  description: 'The price of one part of usage.',
  fields: (t) => ({
    dimension: t.expose('dimension', {
      type: Dimension,
      description: 'The price class of tokens that the price is for.',
    }),
    rubPerMillion: t.expose('microRubPerMillion', {
      type: 'Rub',
      description: 'For a million tokens.',
    }),
  }),
});

const Price = builder.objectRef<PriceRow>('ModelPrice').implement({
  description: 'A dated price. Rows are added, never overwritten.',
  fields: (t) => ({
    effectiveFrom: t.expose('effectiveFrom', { type: 'Date', description: 'First day in force.' }),
    source: t.expose('sourceKind', {
      type: SourceKind,
      description: 'Who stated the price: vendor, third party or operator.',
    }),
    vatBasis: t.expose('vatBasis', { type: VatBasis, description: 'Whether VAT is inside.' }),
    parts: t.field({
      type: [PricePartType],
      description: 'The price of each part.',
      resolve: ({ microRubPerMillion }) =>
        USAGE_DIMENSIONS.flatMap((dimension): PricePart[] => {
          const each = microRubPerMillion[dimension];
          return each === undefined ? [] : [{ dimension, microRubPerMillion: each }];
        }),
    }),
  }),
});

const Model = builder.objectRef<ProviderModel>('ProviderModel').implement({
  description: 'A model as a provider lists it.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The name to send in `model`.' }),
    name: t.exposeString('name', { description: 'The name of the model for people.' }),
    capabilities: t.field({
      type: [Capability],
      description: 'What it can do.',
      resolve: (model) => [...model.capabilities],
    }),
    contextWindow: t.exposeInt('contextWindow', { description: 'Tokens, prompt and answer.' }),
    maxOutputTokens: t.exposeInt('maxOutputTokens', { description: 'Longest answer; 0 for none.' }),
    quality: t.expose('quality', {
      type: QualityTier,
      description: 'How hard the tasks are that it is declared for.',
    }),
    russianQuality: t.expose('russianQuality', {
      type: QualityTier,
      description: 'Declared quality in Russian.',
    }),
    latency: t.expose('latency', {
      type: LatencyTier,
      description: 'How fast it answers, as its operator declares it.',
    }),
    costTier: t.field({
      type: CostTier,
      nullable: true,
      description: 'By the price in force; null without one.',
      resolve: ({ prices }) => {
        const price = priceOn(prices, moscowDay(Date.now()));
        return price ? costTier(price) : null;
      },
    }),
    jurisdiction: t.expose('jurisdiction', { type: Jurisdiction, description: 'Its data route.' }),
    operator: t.exposeString('operator', { description: 'The company that runs the route.' }),
    prices: t.field({
      type: [Price],
      description: 'All prices, oldest first.',
      resolve: (model) => [...model.prices],
    }),
  }),
});

const ProviderType = builder.objectRef<Provider>('Provider').implement({
  description: 'An upstream provider of the registry.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id of the provider.' }),
    name: t.exposeString('name', { description: 'The name of the provider for people.' }),
    operator: t.exposeString('operator', { description: 'The company behind it.' }),
    protocol: t.expose('protocol', { type: Protocol, description: 'How it is spoken to.' }),
    status: t.expose('status', { type: ProviderStatus, description: 'Whether it can be called.' }),
    statusReason: t.exposeString('statusReason', {
      description: 'What would make it callable; empty when it is.',
    }),
    simulated: t.exposeBoolean('simulated', { description: 'True when answers are made up.' }),
    models: t.field({
      type: [Model],
      description: 'The models it lists.',
      resolve: (provider) => [...provider.models],
    }),
  }),
});

builder.queryField('providers', (t) =>
  t.field({
    type: [ProviderType],
    description: 'The registry of upstream providers with models and prices.',
    resolve: (_root, _args, ctx) => [...ctx.services.registry.providers],
  }),
);
