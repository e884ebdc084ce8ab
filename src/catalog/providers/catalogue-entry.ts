import type { PriceRow } from './price.js';
import type {
  Capability,
  Jurisdiction,
  LatencyTier,
  Operation,
  Protocol,
  QualityTier,
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
