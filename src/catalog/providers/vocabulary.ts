/** What a model can be asked for. A request that uses one needs a model that has it. */
export const CAPABILITIES = [
  'text',
  'vision',
  'audio',
  'embeddings',
  'tools',
  'json',
  'json_schema',
  'streaming',
  'reasoning',
  'long_context',
] as const;

/** One capability flag of a model. */
export type Capability = (typeof CAPABILITIES)[number];

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
export const JURISDICTIONS = ['rf', 'outside'] as const;

/** The jurisdiction of a route. A vendor may have routes of both. */
export type Jurisdiction = (typeof JURISDICTIONS)[number];

/** `configured` = the address and key are present and it is called; else known but not callable. */
export const PROVIDER_STATUSES = ['configured', 'adapter_ready'] as const;

/** Whether the gateway can call a provider now. */
export type ProviderStatus = (typeof PROVIDER_STATUSES)[number];

/** The language a provider speaks. A native protocol is roadmap and keeps `adapter_ready`. */
export const PROTOCOLS = ['chat_completions', 'native', 'in_process'] as const;

/** How the gateway talks to a provider. */
export type Protocol = (typeof PROTOCOLS)[number];

/** `primary` = read in the vendor's own documents, `secondary` = in a third party's copy. */
export const SOURCE_KINDS = ['primary', 'secondary', 'operator'] as const;

/** Who stated a price: the vendor, a third party, or the operator of this server. */
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** Whether a vendor's price holds the value added tax. */
export const VAT_BASES = ['included', 'unknown'] as const;

/** The tax basis of a price. */
export type VatBasis = (typeof VAT_BASES)[number];

/** Quality of Russian-language answers and of answers at all: declared, not measured. */
export const QUALITY_TIERS = ['basic', 'good', 'high'] as const;

/** A declared quality tier. */
export type QualityTier = (typeof QUALITY_TIERS)[number];

/** Declared speed of a model. */
export const LATENCY_TIERS = ['fast', 'medium', 'slow'] as const;

/** A declared latency tier. */
export type LatencyTier = (typeof LATENCY_TIERS)[number];

/** Derived from the price of the output: see `costTier` of the pricing rules. */
export const COST_TIERS = ['low', 'medium', 'high'] as const;

/** A cost tier. */
export type CostTier = (typeof COST_TIERS)[number];

/** What can be called on a model. */
export const OPERATIONS = ['chat', 'embeddings'] as const;

/** One operation of the wire. */
export type Operation = (typeof OPERATIONS)[number];

/** The parts of usage. They are disjoint: a token is counted in exactly one of them. */
export const USAGE_DIMENSIONS = [
  'input_uncached',
  'input_cached',
  'cache_write',
  'output_text',
  'output_reasoning',
] as const;

/** One part of usage. */
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];

/** The alias that lets the gateway choose the model. */
export const AUTO_MODEL = 'gw:auto';
