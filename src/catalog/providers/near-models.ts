import { nearestNames } from '../../kernel/near-names.js';
import type { Registry } from './model.js';

/** The models that a deployment in Russia serves. */
export function modelsInRussia({ models }: Pick<Registry, 'models'>): ReadonlySet<string> {
  const inside = [...models.values()].filter(({ deployments }) =>
    deployments.some(({ jurisdiction }) => jurisdiction === 'rf'),
  );
  return new Set(inside.map(({ id }) => id));
}

/**
 * The names that a misspelt model may have meant, best first, at most three. Of names that are
 * equally near, those that are served in Russia come first: a suggestion is often taken unread.
 * @param others further names, such as aliases or models that cannot be called here
 */
export function nearestModels(
  name: string,
  registry: Pick<Registry, 'models'>,
  others: Iterable<string> = [],
): string[] {
  const inside = modelsInRussia(registry);
  const known = new Set([...registry.models.keys(), ...others]);
  return nearestNames(name, known, (id) => inside.has(id));
}
