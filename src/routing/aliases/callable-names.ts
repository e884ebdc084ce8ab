import type { CallableNames } from '../../access/keys/limits.rules.js';
import type { Registry } from '../../catalog/providers/model.js';
import { modelsInRussia } from '../../catalog/providers/near-models.js';
import { aliasFor } from './alias.rules.js';
import type { AliasesInForce } from './alias-cache.js';

/** The names that requests of an organization may carry in `model`. */
export function callableNames(registry: Registry, aliases: AliasesInForce): CallableNames {
  const inForce = [...aliases.keys()].filter((name) => aliasFor(aliases, name, () => false));
  return {
    models: new Set(registry.models.keys()),
    inRussia: modelsInRussia(registry),
    automatic: new Set(registry.aliases.keys()),
    aliases: new Set(inForce),
  };
}
