import type { MicroRub } from '../../kernel/money.js';
import type { PriceRow } from './price.js';
import type {
  Capability,
  Jurisdiction,
  LatencyTier,
  Operation,
  Protocol,
  QualityTier,
  SourceKind,
  VatBasis,
} from './vocabulary.js';

/** A model as the catalogue and the providers file write it. */
export interface CatalogueModel {
  readonly id: string;
  readonly name: string;
  /** May hold `{NAME}` places, filled from the environment. */
  readonly upstreamName: string;
  readonly operation: Operation;
  readonly capabilities: readonly Capability[];
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** Where the vendor publishes a bound of its own; else those of `INPUT_BOUNDS` hold. */
  readonly imageTokensMax?: number;
  readonly imageTokensLowMax?: number;
  readonly audioTokensPerSecondMax?: number;
  /** Where this model differs from its provider. */
  readonly forwardMetadata?: boolean;
  readonly quality: QualityTier;
  readonly russianQuality: QualityTier;
  readonly latency: LatencyTier;
  /** Where this route differs from its provider, as one vendor may have routes of both kinds. */
  readonly jurisdiction?: Jurisdiction;
  readonly operator?: string;
  readonly prices: readonly PriceRow[];
  readonly fallbacks?: readonly string[];
  readonly firstByteMs?: number;
  readonly gapMs?: number;
}

/** A provider as the catalogue and the providers file write it. */
export interface CatalogueProvider {
  readonly id: string;
  readonly name: string;
  readonly operator: string;
  readonly protocol: Protocol;
  readonly jurisdiction: Jurisdiction;
  readonly homepage: string;
  readonly baseUrl?: string;
  /** Environment variable that replaces `baseUrl`. */
  readonly baseUrlEnv?: string;
  /** Environment variable of the key; absent where the provider needs none. */
  readonly apiKeyEnv?: string;
  /** Further variables that must be set, such as a folder that model names hold. */
  readonly requiredEnv?: readonly string[];
  /** Tells the provider `metadata`; by default it is the gateway's alone. */
  readonly forwardMetadata?: boolean;
  /** Why a provider stays `adapter_ready` whatever is set. */
  readonly roadmap?: string;
  readonly models: readonly CatalogueModel[];
}

/** Prices in kopeks for a million tokens, so that the data file holds whole numbers only. */
export interface KopekPrices {
  readonly input: number;
  readonly output?: number;
}

const MICRO_PER_KOPEK = 10_000n;

/**
 * A dated row of a vendor that states one input and one output price: cached and written-to-cache
 * tokens cost as input, reasoning tokens as output, which is how such vendors bill them.
 */
export function listPrice(
  effectiveFrom: string,
  prices: KopekPrices,
  sourceKind: SourceKind,
  vatBasis: VatBasis = 'included',
): PriceRow {
  const input: MicroRub = BigInt(prices.input) * MICRO_PER_KOPEK;
  const output = prices.output === undefined ? undefined : BigInt(prices.output) * MICRO_PER_KOPEK;
  return {
    effectiveFrom,
    microRubPerMillion: {
      input_uncached: input,
      input_cached: input,
      cache_write: input,
      ...(output === undefined ? {} : { output_text: output, output_reasoning: output }),
    },
    sourceKind,
    vatBasis,
  };
}
