import type { DeploymentLimits, OutputLimitMember, StatedHealth } from './catalogue-entry.js';
import type { ProviderConnection } from './connection.js';
import type { PriceRow } from './price.js';
import type { Secret } from './secret.js';
import type {
  Capability,
  Jurisdiction,
  LatencyTier,
  Operation,
  Protocol,
  ProviderStatus,
  QualityTier,
  Selection,
} from './vocabulary.js';

/** How long each part of an upstream call may take, in milliseconds. */
export interface Deadlines {
  /** From the start of an attempt to its first content byte. */
  readonly firstByteMs: number;
  /** Between two chunks of a stream after its first content byte. */
  readonly gapMs: number;
}

/** Facts of a model that do not depend on who serves it to whom. All declared by the catalogue. */
export interface ModelFacts {
  /** The public id, as customers write it. May hold `/` and `:`. */
  readonly id: string;
  readonly name: string;
  readonly operation: Operation;
  readonly capabilities: readonly Capability[];
  readonly contextWindow: number;
  /** Zero for embeddings. */
  readonly maxOutputTokens: number;
  /** Tokens that an image can cost at most. */
  readonly imageTokensMax: number;
  /** The same for an image that is asked for in low detail; equal where that changes nothing. */
  readonly imageTokensLowMax: number;
  /** Tokens that a second of sound can cost at most. */
  readonly audioTokensPerSecondMax: number;
  readonly quality: QualityTier;
  readonly russianQuality: QualityTier;
  readonly latency: LatencyTier;
  /** Where the route takes the data, and the company that runs it. */
  readonly jurisdiction: Jurisdiction;
  readonly operator: string;
  /** Dated rows, oldest first. None means that the model cannot be called. */
  readonly prices: readonly PriceRow[];
  /** Public ids of models that may answer instead when every deployment of this one fails. */
  readonly fallbacks: readonly string[];
}

/** A model as a provider lists it, callable or not. */
export interface ProviderModel extends ModelFacts {
  /** The name that the provider knows it by. */
  readonly upstreamName: string;
}

/** An upstream provider of the registry. */
export interface Provider {
  readonly id: string;
  readonly name: string;
  readonly operator: string;
  readonly protocol: Protocol;
  readonly status: ProviderStatus;
  /** Why it is not configured and what would change that; empty when it is. */
  readonly statusReason: string;
  /** True for the built-in provider whose answers are made up. */
  readonly simulated: boolean;
  readonly homepage: string;
  readonly models: readonly ProviderModel[];
}

/** A model at a provider that can be called: what routing chooses among and the transport calls. */
export interface Deployment extends ProviderModel {
  /** `<provider id>:<public model id>`: unique, stable, safe to show. */
  readonly key: string;
  readonly providerId: string;
  readonly providerName: string;
  readonly simulated: boolean;
  readonly protocol: Protocol;
  /** Scheme, host and port, such as `https://host:443`; empty for the sandbox. */
  readonly origin: string;
  /** The path before `/chat/completions`. */
  readonly basePath: string;
  readonly apiKey: Secret | undefined;
  /** Authorities, client certificate, headers and login; undefined where none is stated. */
  readonly connection: ProviderConnection | undefined;
  /** Whether the provider gets to see `metadata`, which names features, clients, environments. */
  readonly forwardMetadata: boolean;
  /** The one name under which it takes the limit of an answer; undefined where it takes both. */
  readonly outputLimitMember?: OutputLimitMember | undefined;
  readonly deadlines: Deadlines;
  /** How one of the deployments of its public model is picked. */
  readonly selection: Selection;
  /** Its share among them where weights decide; 0 is asked after all others. */
  readonly weight: number;
  /** Undefined where nothing is limited. */
  readonly limits: DeploymentLimits | undefined;
  /** What an operator says of its health, or of that of its provider. */
  readonly health: StatedHealth;
  /** Its sockets go to public addresses and to hosts that the operator of the server allows. */
  readonly addressJudged: boolean;
}

/** A public model: what customers name, with the deployments that serve it, preferred first. */
export interface Model extends ModelFacts {
  readonly simulated: boolean;
  readonly deployments: readonly Deployment[];
}

/** A name that stands for a choice of models. */
export interface ModelAlias {
  readonly id: string;
  readonly description: string;
}

/**
 * Everything the gateway knows about models and providers. Its contents are exchanged as a whole
 * when an operator changes something; what was taken out of it stays as it was.
 */
export interface Registry {
  /** Raised with each exchange; the number of the last change that is in force, 0 for none. */
  readonly version: number;
  /** Calls back after each exchange. */
  onExchange(callback: () => void): void;
  readonly providers: readonly Provider[];
  readonly providersById: ReadonlyMap<string, Provider>;
  /** Callable models by public id, in catalogue order. */
  readonly models: ReadonlyMap<string, Model>;
  readonly aliases: ReadonlyMap<string, ModelAlias>;
  readonly deploymentsByKey: ReadonlyMap<string, Deployment>;
  /** The deployments of a model, preferred first; empty for unknown models. */
  deployments(modelId: string): readonly Deployment[];
  /** The deployments of a model, then those of its fallback models, without repeats. */
  chain(modelId: string): readonly Deployment[];
  /** The price in force for a model's preferred deployment on a day (`YYYY-MM-DD`, Moscow). */
  priceAt(modelId: string, day: string): PriceRow | undefined;
  /** Public ids and aliases that are close to a misspelt one, best first, at most three. */
  near(modelId: string): readonly string[];
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly registry: Registry;
  }
}
