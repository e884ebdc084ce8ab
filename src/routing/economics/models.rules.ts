import type { Registry } from '../../catalog/providers/model.js';
import { nearestModels } from '../../catalog/providers/near-models.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';

/** A model that the catalogue lists, callable on this server or not. */
export function knownModelFaults(registry: Registry, path: string, model: string): Fault[] {
  const isListed = ({ models }: Registry['providers'][number]) =>
    models.some(({ id }) => id === model);
  if (registry.models.has(model) || registry.providers.some(isListed)) return [];
  const listed = registry.providers.flatMap(({ models }) => models.map(({ id }) => id));
  return unknown(path, model, nearestModels(model, registry, listed));
}

/** A model that this server can call. */
export function callableModelFaults(registry: Registry, path: string, model: string): Fault[] {
  if (registry.models.has(model)) return [];
  const faults = knownModelFaults(registry, path, model);
  const what = `names ${model}, whose provider is not set up on this server`;
  return faults.length > 0 ? faults : [fault(path, 'unknown_value', what)];
}

function unknown(path: string, model: string, near: readonly string[]): Fault[] {
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'see GET /v1/models';
  const what = `names ${model.slice(0, 100)}, which no model is called; ${hint}`;
  return [fault(path, 'unknown_value', what)];
}
