import type { ConnectionEntry } from './connection-entry.js';
import type { PriceRow } from './price.js';
import type {
  Capability,
  HealthOverride,
  Jurisdiction,
  LatencyTier,
  Operation,
  Protocol,
  QualityTier,
  Selection,
} from './vocabulary.js';

/** What the provider lets one deployment take; what is absent is not limited. */
export interface DeploymentLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  /** Requests under way at once, answers that are still streamed included. */
  readonly concurrentRequests?: number;
}

/** What an operator says of the health of a provider or a deployment, and why. */
export interface StatedHealth {
  readonly override: HealthOverride;
  readonly reason: string;
}

/** The names that the limit of an answer's tokens has on the wire. */
export const OUTPUT_LIMIT_MEMBERS = ['max_completion_tokens', 'max_tokens'] as const;
export type OutputLimitMember = (typeof OUTPUT_LIMIT_MEMBERS)[number];

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
  /** Where the model takes the limit of an answer under one name only. */
  readonly outputLimitMember?: OutputLimitMember;
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
  /** How a deployment of the public model is picked; all that state it say the same. */
  readonly selection?: Selection;
  /** The share of this deployment among those of its public model. */
  readonly weight?: number;
  readonly limits?: DeploymentLimits;
  readonly health?: StatedHealth;
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
  /** How it is connected to, where address and key do not say it all. */
  readonly connection?: ConnectionEntry;
  /** Tells the provider `metadata`; by default it is the gateway's alone. */
  readonly forwardMetadata?: boolean;
  readonly models: readonly CatalogueModel[];
  readonly health?: StatedHealth;
  /** Added while the process runs: its sockets go to public addresses and allowed hosts alone. */
  readonly addedAtRuntime?: boolean;
}
