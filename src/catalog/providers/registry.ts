import { type Config, ConfigError } from '../../platform/config.js';
import { CATALOGUE, SANDBOX_PROVIDER } from './catalogue.js';
import type { CatalogueModel, CatalogueProvider, StatedHealth } from './catalogue-entry.js';
import { catalogueFaults } from './catalogue-faults.js';
import { connectionOf, variablesOf, withContents } from './connection.js';
import type { Deployment, Model, ModelAlias, Provider, ProviderModel, Registry } from './model.js';
import { nearestModels } from './near-models.js';
import { priceOn } from './price.js';
import { readProvidersFile } from './providers-file.js';
import { Secret } from './secret.js';
import { AUTO_MODEL, INPUT_BOUNDS, type Selection, WEIGHT_DEFAULT } from './vocabulary.js';

/** The settings that the registry is built from. */
export type RegistryConfig = Pick<
  Config,
  'GW_SANDBOX' | 'GW_PROVIDERS_FILE' | 'GW_FIRST_BYTE_TIMEOUT_MS' | 'GW_CHUNK_GAP_TIMEOUT_MS'
>;

/** A reasoning model may think this many times longer before its first byte. */
const REASONING_PATIENCE = 4;

const ALIASES: readonly ModelAlias[] = [
  {
    id: AUTO_MODEL,
    description:
      'The gateway chooses: allowed by policy, able to do what the request uses, healthy, and by ' +
      'default the cheapest that passes the quality floor for the request.',
  },
];

/**
 * The registry that a process starts with: the built-in catalogue, the sandbox, and the operator's
 * file.
 * @throws ConfigError that lists every fault at once
 */
export function loadRegistry(
  config: RegistryConfig,
  environment: NodeJS.ProcessEnv = process.env,
): Registry {
  return buildRegistry(readEntries(config, environment), config, environment);
}

/**
 * The providers that a process starts with. An entry of the file replaces the built-in one of the
 * same id.
 * @throws ConfigError that lists every fault of the file at once
 */
export function readEntries(
  config: RegistryConfig,
  environment: NodeJS.ProcessEnv,
): CatalogueProvider[] {
  const file = config.GW_PROVIDERS_FILE;
  const own = file ? readProvidersFile(file, environment) : [];
  const replaced = new Set(own.map((provider) => provider.id));
  const offered = config.GW_SANDBOX ? [...CATALOGUE, SANDBOX_PROVIDER] : CATALOGUE;
  const kept = offered.filter((provider) => !replaced.has(provider.id));
  const builtIn = withContents(kept, process.cwd(), environment);
  return [...own, ...builtIn.map((entry) => withoutLostFallbacks(entry, own, builtIn))];
}

/** A built-in fallback may lead to a provider that the operator replaced; that is no fault. */
function withoutLostFallbacks(
  entry: CatalogueProvider,
  ...lists: readonly (readonly CatalogueProvider[])[]
): CatalogueProvider {
  const known = new Set(lists.flat().flatMap(({ models }) => models.map((model) => model.id)));
  const models = entry.models.map((model) => ({
    ...model,
    fallbacks: model.fallbacks?.filter((fallback) => known.has(fallback)),
  }));
  return { ...entry, models };
}

/**
 * Builds a registry from entries in order of preference: the first to offer a public model id is
 * its preferred deployment. A pure function of its arguments.
 * @throws ConfigError that lists every fault at once
 */
export function buildRegistry(
  entries: readonly CatalogueProvider[],
  config: RegistryConfig,
  environment: NodeJS.ProcessEnv,
  version = 0,
): Registry {
  const faults = catalogueFaults(entries, environment);
  if (faults.length > 0) {
    throw new ConfigError(`The provider catalogue has faults:\n  ${faults.join('\n  ')}`);
  }
  const deployments: Deployment[] = [];
  const selections = selectionsOf(entries);
  const providers = entries.map((entry) => {
    const provider = toProvider(entry, environment);
    if (provider.status === 'configured') {
      const connection = connectionOf(entry.connection, environment);
      for (const model of provider.models) {
        const source = entry.models.find((candidate) => candidate.id === model.id);
        const selection = selections.get(model.id) ?? 'ordered';
        const made = toDeployment(entry, provider, model, source, config, environment);
        deployments.push(Object.freeze({ ...made, selection, connection }));
      }
    }
    return provider;
  });
  return assemble(providers, deployments, version);
}

function selectionsOf(entries: readonly CatalogueProvider[]): ReadonlyMap<string, Selection> {
  const stated = entries.flatMap(({ models }) =>
    models.flatMap(({ id, selection }) => (selection ? [[id, selection] as const] : [])),
  );
  return new Map(stated);
}

/** Fallbacks in their declared order, those that process data in Russia before the others. */
export function russiaFirst(deployments: readonly Deployment[]): Deployment[] {
  const inside = deployments.filter(({ jurisdiction }) => jurisdiction === 'rf');
  return [...inside, ...deployments.filter(({ jurisdiction }) => jurisdiction !== 'rf')];
}

function assemble(
  providers: readonly Provider[],
  deployments: readonly Deployment[],
  version: number,
): Registry {
  const byModel = new Map<string, Deployment[]>();
  for (const deployment of deployments) {
    const same = byModel.get(deployment.id);
    if (same) same.push(deployment);
    else byModel.set(deployment.id, [deployment]);
  }
  const models = new Map<string, Model>();
  const chains = new Map<string, readonly Deployment[]>();
  for (const [id, own] of byModel) {
    const [first] = own;
    if (!first) continue;
    const spare = first.fallbacks.flatMap((fallback) => byModel.get(fallback) ?? []);
    // Whoever looks at the deployments of a model looks at them in the order of their calls.
    const called = [first, ...russiaFirst(own.slice(1))];
    models.set(id, toModel(first, Object.freeze(called)));
    chains.set(id, Object.freeze([...new Set([...called, ...russiaFirst(spare)])]));
  }
  const aliases = new Map(ALIASES.map((alias) => [alias.id, alias]));
  const none: readonly Deployment[] = Object.freeze([]);
  return Object.freeze({
    version,
    onExchange: () => undefined,
    providers: Object.freeze(providers),
    providersById: new Map(providers.map((provider) => [provider.id, provider])),
    models,
    aliases,
    deploymentsByKey: new Map(deployments.map((deployment) => [deployment.key, deployment])),
    deployments: (modelId: string) => models.get(modelId)?.deployments ?? none,
    chain: (modelId: string) => chains.get(modelId) ?? none,
    priceAt: (modelId: string, day: string) => {
      const model = models.get(modelId);
      return model && priceOn(model.prices, day);
    },
    near: (modelId: string) => nearestModels(modelId, { models }, aliases.keys()),
  });
}

function toProvider(entry: CatalogueProvider, environment: NodeJS.ProcessEnv): Provider {
  const statusReason = whyNotConfigured(entry, environment);
  return Object.freeze({
    id: entry.id,
    name: entry.name,
    operator: entry.operator,
    protocol: entry.protocol,
    status: statusReason === '' ? ('configured' as const) : ('adapter_ready' as const),
    statusReason,
    simulated: entry.protocol === 'in_process',
    homepage: entry.homepage,
    models: Object.freeze(entry.models.map((model) => toProviderModel(entry, model, environment))),
  });
}

/** Empty when everything that a call needs is there; else what is missing, by variable name. */
function whyNotConfigured(entry: CatalogueProvider, environment: NodeJS.ProcessEnv): string {
  if (entry.models.length === 0) return 'Declare its models and prices in GW_PROVIDERS_FILE.';
  if (entry.protocol === 'in_process') return '';
  const needed = entry.connection === undefined ? [] : variablesOf(entry.connection);
  const missing = [entry.apiKeyEnv, ...(entry.requiredEnv ?? []), ...needed].filter(
    (name): name is string => name !== undefined && !environment[name],
  );
  if (addressOf(entry, environment) === undefined) missing.push(entry.baseUrlEnv ?? 'base_url');
  return missing.length === 0 ? '' : `Set ${missing.join(', ')}.`;
}

function addressOf(entry: CatalogueProvider, environment: NodeJS.ProcessEnv): string | undefined {
  return (entry.baseUrlEnv && environment[entry.baseUrlEnv]) || entry.baseUrl;
}

function toProviderModel(
  entry: CatalogueProvider,
  model: CatalogueModel,
  environment: NodeJS.ProcessEnv,
): ProviderModel {
  return Object.freeze({
    id: model.id,
    name: model.name,
    upstreamName: model.upstreamName.replace(
      /\{([A-Z0-9_]+)\}/g,
      (place, name: string) => environment[name] ?? place,
    ),
    operation: model.operation,
    capabilities: Object.freeze([...model.capabilities]),
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    ...inputBounds(model),
    quality: model.quality,
    russianQuality: model.russianQuality,
    latency: model.latency,
    jurisdiction: model.jurisdiction ?? entry.jurisdiction,
    operator: model.operator ?? entry.operator,
    prices: Object.freeze([...model.prices]),
    fallbacks: Object.freeze([...(model.fallbacks ?? [])]),
  });
}

function inputBounds(model: CatalogueModel) {
  const imageTokensMax = model.imageTokensMax ?? INPUT_BOUNDS.imageTokensMax;
  return {
    imageTokensMax,
    imageTokensLowMax: Math.min(model.imageTokensLowMax ?? imageTokensMax, imageTokensMax),
    audioTokensPerSecondMax: model.audioTokensPerSecondMax ?? INPUT_BOUNDS.audioTokensPerSecondMax,
  };
}

function toDeployment(
  entry: CatalogueProvider,
  provider: Provider,
  model: ProviderModel,
  source: CatalogueModel | undefined,
  config: RegistryConfig,
  environment: NodeJS.ProcessEnv,
): Omit<Deployment, 'selection' | 'connection'> {
  const address = addressOf(entry, environment);
  const url = address === undefined ? undefined : new URL(address);
  const key = entry.apiKeyEnv === undefined ? undefined : environment[entry.apiKeyEnv];
  const limits = source?.limits;
  const patience = model.capabilities.includes('reasoning') ? REASONING_PATIENCE : 1;
  return {
    ...model,
    key: `${provider.id}:${model.id}`,
    providerId: provider.id,
    providerName: provider.name,
    simulated: provider.simulated,
    protocol: provider.protocol,
    origin: url?.origin ?? '',
    basePath: url?.pathname.replace(/\/+$/, '') ?? '',
    apiKey: key === undefined ? undefined : new Secret(key),
    outputLimitMember: source?.outputLimitMember,
    forwardMetadata: source?.forwardMetadata ?? entry.forwardMetadata ?? false,
    deadlines: Object.freeze({
      firstByteMs: source?.firstByteMs ?? config.GW_FIRST_BYTE_TIMEOUT_MS * patience,
      gapMs: source?.gapMs ?? config.GW_CHUNK_GAP_TIMEOUT_MS,
    }),
    weight: source?.weight ?? WEIGHT_DEFAULT,
    limits: limits && Object.keys(limits).length > 0 ? Object.freeze({ ...limits }) : undefined,
    health: healthOf(entry.health, source?.health),
    addressJudged: entry.addedAtRuntime ?? false,
  };
}

const UNSTATED: StatedHealth = Object.freeze({ override: 'auto', reason: '' });

/** Down where the provider or the deployment is said to be; else up where one of them is. */
function healthOf(...stated: readonly (StatedHealth | undefined)[]): StatedHealth {
  const said = (override: StatedHealth['override']) =>
    stated.find((each) => each?.override === override);
  return said('forced_down') ?? said('forced_up') ?? UNSTATED;
}

function toModel(first: Deployment, deployments: readonly Deployment[]): Model {
  return Object.freeze({
    id: first.id,
    name: first.name,
    operation: first.operation,
    capabilities: first.capabilities,
    contextWindow: first.contextWindow,
    maxOutputTokens: first.maxOutputTokens,
    imageTokensMax: first.imageTokensMax,
    imageTokensLowMax: first.imageTokensLowMax,
    audioTokensPerSecondMax: first.audioTokensPerSecondMax,
    quality: first.quality,
    russianQuality: first.russianQuality,
    latency: first.latency,
    jurisdiction: first.jurisdiction,
    operator: first.operator,
    prices: first.prices,
    fallbacks: first.fallbacks,
    simulated: first.simulated,
    deployments,
  });
}
