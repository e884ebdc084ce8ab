import type {
  CatalogueModel,
  CatalogueProvider,
  StatedHealth,
} from '../providers/catalogue-entry.js';
import type { PriceRow } from '../providers/price.js';
import {
  type FileFault,
  readLimits,
  readPrice,
  readProvider,
} from '../providers/providers-file.js';
import type { HealthOverride, Selection } from '../providers/vocabulary.js';
import type { ChangeDraft } from './change.js';

type Entries = readonly CatalogueProvider[];

/**
 * The providers with a list of changes in force, whatever their order: declarations first, so that
 * what was said of a deployment outlives another declaration of its provider.
 */
export function applied(entries: Entries, changes: readonly ChangeDraft[]): Entries {
  const declared = changes.filter(({ kind }) => kind === 'provider_declared');
  const others = changes.filter(({ kind }) => kind !== 'provider_declared');
  return [...declared, ...others].reduce(applyOne, entries);
}

/** Whether the subject of a change is there, for one that needs it. */
export function hasSubject(entries: Entries, { kind, subject }: ChangeDraft): boolean {
  switch (kind) {
    case 'provider_declared':
    case 'provider_withdrawn':
      return true;
    case 'provider_health_set':
      return entries.some(({ id }) => id === subject);
    case 'selection_set':
      return entries.some(({ models }) => models.some(({ id }) => id === subject));
    default:
      return entries.some((entry) => entry.models.some((model) => keyOf(entry, model) === subject));
  }
}

function applyOne(entries: Entries, change: ChangeDraft): Entries {
  const { kind, subject, body } = change;
  switch (kind) {
    case 'provider_declared':
      return withProvider(entries, asRead(readProvider(body)));
    case 'provider_withdrawn':
      return entries;
    case 'provider_health_set': {
      const health = healthOf(change);
      return entries.map((entry) => (entry.id === subject ? { ...entry, health } : entry));
    }
    case 'deployment_health_set':
      return withDeployment(entries, subject, { health: healthOf(change) });
    case 'selection_set': {
      const { selection } = body as { readonly selection: Selection };
      return withModels(entries, (_, model) => model.id === subject, { selection });
    }
    case 'weight_set': {
      const { weight } = body as { readonly weight: number };
      return withDeployment(entries, subject, { weight });
    }
    case 'limits_set':
      return withDeployment(entries, subject, { limits: asRead(readLimits(body)) });
    case 'price_added':
      return withPrice(entries, subject, asRead(readPrice(body)));
  }
}

/** One that was declared takes the place of its namesake; a new one is preferred last. */
function withProvider(entries: Entries, provider: CatalogueProvider): Entries {
  const added = { ...provider, addedAtRuntime: true };
  if (!entries.some(({ id }) => id === added.id)) return [...entries, added];
  return entries.map((entry) => (entry.id === added.id ? added : entry));
}

function withDeployment(entries: Entries, key: string, part: Partial<CatalogueModel>): Entries {
  return withModels(entries, (entry, model) => keyOf(entry, model) === key, part);
}

function withModels(
  entries: Entries,
  isMeant: (entry: CatalogueProvider, model: CatalogueModel) => boolean,
  part: Partial<CatalogueModel>,
): Entries {
  return entries.map((entry) => {
    if (!entry.models.some((model) => isMeant(entry, model))) return entry;
    const models = entry.models.map((model) =>
      isMeant(entry, model) ? { ...model, ...part } : model,
    );
    return { ...entry, models };
  });
}

/** Puts a price after those that begin before it or on the same day, which it supersedes. */
function withPrice(entries: Entries, key: string, price: PriceRow): Entries {
  const found = entries.flatMap((entry) =>
    entry.models.filter((model) => keyOf(entry, model) === key),
  )[0];
  if (!found) return entries;
  const earlier = found.prices.filter((row) => row.effectiveFrom <= price.effectiveFrom);
  const later = found.prices.filter((row) => row.effectiveFrom > price.effectiveFrom);
  const prices = [...earlier, { ...price, supersedes: true as const }, ...later];
  return withDeployment(entries, key, { prices });
}

function healthOf({ body, reason }: ChangeDraft): StatedHealth {
  return { override: (body as { readonly override: HealthOverride }).override, reason };
}

/** What a stored body holds. @throws TypeError for one that nobody could have written */
function asRead<T extends object>(read: T | readonly FileFault[]): T {
  if (!Array.isArray(read)) return read as T;
  const faults = read as readonly FileFault[];
  throw new TypeError(faults.map(({ path, message }) => `${path}: ${message}`).join('; '));
}

/** The key of a deployment: its provider and its public model. */
function keyOf({ id }: CatalogueProvider, model: Pick<CatalogueModel, 'id'>): string {
  return `${id}:${model.id}`;
}
