import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';
import type { USAGE_OPERATIONS } from '../../money/billing/vocabulary.js';

/** What a model can be asked for. A request that uses one needs a model that has it. */
export const CAPABILITIES = vocabulary('ModelCapability', 'What a model can be asked for.', [
  { code: 'text', description: 'Text in and out.' },
  { code: 'vision', description: 'Understands images in a request.' },
  { code: 'audio', description: 'Understands sound in a request.' },
  { code: 'embeddings', description: 'Vectors of texts.' },
  { code: 'tools', description: 'Calls of tools.' },
  { code: 'json', description: 'Answers in JSON.' },
  { code: 'json_schema', description: 'Answers by a JSON Schema.' },
  { code: 'streaming', description: 'Answers as a stream.' },
  { code: 'reasoning', description: 'Thinks before it answers.' },
  { code: 'long_context', description: 'A window of 128,000 tokens or more.' },
]);

/** One capability flag of a model. */
export type Capability = CodeOf<typeof CAPABILITIES>;

/** A window of at least this many tokens earns the flag `long_context`. */
export const LONG_CONTEXT_TOKENS_MIN = 128_000;

/**
 * What an image or a second of sound costs at most with a model that states nothing of its own.
 * Images: the preprocessor that Qwen2-VL and Qwen2.5-VL are published with scales an image to at
 * most 12,845,056 pixels, which are 16,384 tokens of 28 × 28 pixels; no model that is served under
 * the chat wire in Russia documents more. Sound: published rates reach from 10 to 32 tokens a
 * second.
 */
export const INPUT_BOUNDS = { imageTokensMax: 16_384, audioTokensPerSecondMax: 32 } as const;

/** Where a route takes the data: it stays inside Russia, or it leaves. */
export const JURISDICTIONS = vocabulary('Jurisdiction', 'Where a route takes the data.', [
  { code: 'rf', description: 'Stays inside Russia.' },
  { code: 'outside', description: 'The data leaves Russia on this route.' },
]);

/** The jurisdiction of a route. A vendor may have routes of both. */
export type Jurisdiction = CodeOf<typeof JURISDICTIONS>;

/** `configured` = the address and key are present and it is called; else known but not callable. */
export const PROVIDER_STATUSES = vocabulary(
  'ProviderStatus',
  'Whether the gateway can call a provider now.',
  [
    { code: 'configured', description: 'Address and key are there; it is called.' },
    {
      code: 'adapter_ready',
      description: 'Known, but not callable on this server; the reason is beside it.',
    },
  ],
);

/** Whether the gateway can call a provider now. */
export type ProviderStatus = CodeOf<typeof PROVIDER_STATUSES>;

/** The language a provider speaks. Native protocols are roadmap: no provider has one yet. */
export const PROTOCOLS = vocabulary('ProviderProtocol', 'The language a provider speaks.', [
  { code: 'chat_completions', description: 'The chat-completions wire.' },
  { code: 'native', description: 'Its own. Adapters are on the roadmap: no provider has one.' },
  { code: 'in_process', description: 'Built in: answers are simulated.' },
]);

/** How the gateway talks to a provider. */
export type Protocol = CodeOf<typeof PROTOCOLS>;

/** `primary` = read in the vendor's own documents, `secondary` = in a third party's copy. */
export const SOURCE_KINDS = vocabulary('PriceSource', 'Who stated a price.', [
  { code: 'primary', description: 'Read in the documents of the vendor.' },
  { code: 'secondary', description: 'Read in the copy of a third party.' },
  { code: 'operator', description: 'Stated by the operator of this server.' },
]);

/** Who stated a price: the vendor, a third party, or the operator of this server. */
export type SourceKind = CodeOf<typeof SOURCE_KINDS>;

/** Whether a vendor's price holds the value added tax. */
export const VAT_BASES = vocabulary('PriceVatBasis', 'Whether a price holds the value added tax.', [
  { code: 'included', description: 'The price contains the value added tax.' },
  { code: 'unknown', description: 'The source does not say.' },
]);

/** The tax basis of a price. */
export type VatBasis = CodeOf<typeof VAT_BASES>;

/** Quality of Russian-language answers and of answers at all: declared, not measured. */
export const QUALITY_TIERS = vocabulary('QualityTier', 'Declared quality of answers.', [
  {
    code: 'basic',
    description: 'Good enough for simple tasks, such as sorting or short replies.',
    isPremium: false,
  },
  {
    code: 'good',
    description: 'Good enough for most tasks of everyday work.',
    isPremium: false,
  },
  {
    code: 'high',
    description: 'For hard tasks, such as long reasoning or careful analysis.',
    isPremium: true,
  },
]);

/** A declared quality tier. */
export type QualityTier = CodeOf<typeof QUALITY_TIERS>;

/** Declared speed of a model. */
export const LATENCY_TIERS = vocabulary(
  'LatencyTier',
  'How fast a model answers, as its operator declares it.',
  [
    { code: 'fast', description: 'Answers faster than most models.' },
    { code: 'medium', description: 'Answers about as fast as most models.' },
    { code: 'slow', description: 'Takes longer than most models, for example to reason.' },
  ],
);

/** A declared latency tier. */
export type LatencyTier = CodeOf<typeof LATENCY_TIERS>;

/** Derived from the price of the output: see `costTier` of the pricing rules. */
export const COST_TIERS = vocabulary(
  'CostTier',
  'By the price of a million output tokens, of input for embeddings.',
  [
    { code: 'low', description: 'A million tokens cost less than 100 RUB.' },
    { code: 'medium', description: 'A million tokens cost from 100 to less than 700 RUB.' },
    { code: 'high', description: '700 RUB and more.' },
  ],
);

/** A cost tier. */
export type CostTier = CodeOf<typeof COST_TIERS>;

/** How one of the deployments of a model is picked. What fails is followed by the others. */
export const SELECTIONS = vocabulary('ModelSelection', 'How a deployment of a model is picked.', [
  { code: 'ordered', description: 'The first that can answer, in the order of preference.' },
  {
    code: 'weighted',
    description: 'By weights; the same request picks the same, and shares come to the weights.',
  },
  {
    code: 'least_loaded',
    description: 'Two are drawn by weight; the one with less in flight and less latency is taken.',
  },
]);

/** How one of the deployments of a model is picked. */
export type Selection = CodeOf<typeof SELECTIONS>;

/** Whether a deployment is called by what it does, or by what an operator says. */
export const HEALTH_OVERRIDES = vocabulary(
  'HealthOverride',
  'What an operator says of the health of a deployment.',
  [
    { code: 'auto', description: 'Its circuit breaker and its recent calls decide.' },
    { code: 'forced_down', description: 'It is not called, whatever its breaker says.' },
    { code: 'forced_up', description: 'It is called, whatever its breaker says.' },
  ],
);

/** What an operator says of the health of a deployment. */
export type HealthOverride = CodeOf<typeof HEALTH_OVERRIDES>;

/** Bounds of what is stated of the traffic of a deployment. */
export const TRAFFIC_BOUNDS = {
  weightMax: 1_000,
  requestsPerMinuteMax: 1_000_000,
  tokensPerMinuteMax: 1_000_000_000,
  concurrentMax: 100_000,
} as const;

/** The weight of a deployment that states none. */
export const WEIGHT_DEFAULT = 1;

/** One operation of the wire. */
export type Operation = CodeOf<typeof USAGE_OPERATIONS>;

/** The parts of usage. They are disjoint: a token is counted in exactly one of them. */
export const USAGE_DIMENSIONS = vocabulary(
  'UsageDimension',
  'A part of usage; a token counts in exactly one.',
  [
    { code: 'input_uncached', description: 'Prompt tokens read anew.' },
    { code: 'input_cached', description: 'Prompt tokens read from a cache.' },
    { code: 'cache_write', description: 'Prompt tokens written to a cache.' },
    { code: 'output_text', description: 'Tokens of the answer itself.' },
    { code: 'output_reasoning', description: 'Tokens of reasoning before the answer.' },
  ],
);

/** One part of usage. */
export type UsageDimension = CodeOf<typeof USAGE_DIMENSIONS>;

/** The alias that lets the gateway choose the model. */
export const AUTO_MODEL = 'gw:auto';
