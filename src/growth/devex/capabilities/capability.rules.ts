import type {
  Model,
  ModelFacts,
  Provider,
  ProviderModel,
  Registry,
} from '../../../catalog/providers/model.js';
import { costTier, priceOn } from '../../../catalog/providers/price.js';
import { CAPABILITIES, type Capability } from '../../../catalog/providers/vocabulary.js';
import { flagName, type ModelCapability } from './tables.js';

/** What a registry says of capabilities. */
type Catalogue = Pick<Registry, 'providers' | 'models' | 'aliases'>;

/** Every route that the catalogue knows, callable or not, with what it can do. */
export function capabilityMatrix({ providers }: Catalogue, day: string): ModelCapability[] {
  return providers.flatMap((provider) =>
    provider.models.map((model) => routeCapability(provider, model, day)),
  );
}

/** What a route, a model or an alias can do; undefined for an id that is none of these. */
export function capabilityOf(
  catalogue: Catalogue,
  id: string,
  day: string,
): ModelCapability | undefined {
  const matrix = capabilityMatrix(catalogue, day);
  const route = matrix.find((row) => row.id === id);
  if (route) return route;
  const model = catalogue.models.get(id);
  if (model) return modelCapability(model, matrix, day);
  const listed = matrix.filter((row) => row.model === id);
  const [first] = listed;
  if (first) return { ...first, id, subject: 'model', routes: listed.map((row) => row.id) };
  const alias = catalogue.aliases.get(id);
  return alias && aliasCapability(alias, [...catalogue.models.values()], matrix);
}

function routeCapability(provider: Provider, model: ProviderModel, day: string): ModelCapability {
  const id = `${provider.id}:${model.id}`;
  return {
    id,
    subject: 'route',
    model: model.id,
    name: model.name,
    provider: provider.id,
    operation: model.operation,
    status: provider.status,
    statusReason: provider.statusReason || null,
    simulated: provider.simulated,
    ...factsOf(model, day),
    routes: [id],
  };
}

/** A model is what its callable routes can do together: one that lacks something is passed over. */
function modelCapability(
  model: Model,
  matrix: readonly ModelCapability[],
  day: string,
): ModelCapability {
  const capabilities = unionOf(model.deployments);
  return {
    id: model.id,
    subject: 'model',
    model: model.id,
    name: model.name,
    provider: model.deployments[0]?.providerId ?? null,
    operation: model.operation,
    status: 'configured',
    statusReason: null,
    simulated: model.simulated,
    ...factsOf({ ...model, capabilities, ...widestOf(model.deployments) }, day),
    routes: matrix.filter((row) => row.model === model.id).map((row) => row.id),
  };
}

/** The gateway chooses among chat models, so an alias can do what any of them can. */
function aliasCapability(
  { id, description }: { readonly id: string; readonly description: string },
  models: readonly Model[],
  matrix: readonly ModelCapability[],
): ModelCapability {
  const chat = models.filter((model) => model.operation === 'chat');
  const deployments = chat.flatMap((model) => model.deployments);
  const names = new Set(chat.map((model) => model.id));
  return {
    id,
    subject: 'alias',
    model: id,
    name: description,
    provider: null,
    operation: 'chat',
    status: chat.length > 0 ? 'configured' : 'adapter_ready',
    statusReason: chat.length > 0 ? null : 'No chat model can be called on this server.',
    simulated: chat.length > 0 && chat.every((model) => model.simulated),
    ...flagsOf(unionOf(deployments)),
    ...widestOf(deployments),
    quality: null,
    russianQuality: null,
    latency: null,
    costTier: null,
    jurisdiction: null,
    routes: matrix
      .filter((row) => names.has(row.model) && row.status === 'configured')
      .map((row) => row.id),
    provenance: 'declared',
  };
}

function factsOf(model: ModelFacts, day: string) {
  const price = priceOn(model.prices, day);
  const { contextWindow, maxOutputTokens, quality, russianQuality, latency, jurisdiction } = model;
  return {
    ...flagsOf(model.capabilities),
    contextWindow,
    maxOutputTokens,
    quality,
    russianQuality,
    latency,
    costTier: price ? costTier(price) : null,
    jurisdiction,
    provenance: 'declared' as const,
  };
}

function flagsOf(capabilities: readonly Capability[]) {
  const entries = CAPABILITIES.codes.map((code) => [flagName(code), capabilities.includes(code)]);
  return Object.fromEntries(entries) as Record<ReturnType<typeof flagName>, boolean>;
}

function unionOf(routes: readonly ModelFacts[]): Capability[] {
  const all = new Set(routes.flatMap(({ capabilities }) => capabilities));
  return CAPABILITIES.codes.filter((code) => all.has(code));
}

function widestOf(routes: readonly ModelFacts[]) {
  return {
    contextWindow: Math.max(0, ...routes.map((route) => route.contextWindow)),
    maxOutputTokens: Math.max(0, ...routes.map((route) => route.maxOutputTokens)),
  };
}
