import type { MigrationDraft, RollbackPlan, RollbackWish } from './tables.js';
import { SOURCE_PROVIDERS } from './vocabulary.js';

type RollbackSource = Pick<
  MigrationDraft,
  'sourceProvider' | 'sourceBaseUrl' | 'sourceModel' | 'useCases'
> & { readonly wish: RollbackWish };

const NAMES = ['baseUrl', 'model', 'keyName', 'scope'] as const;
type Parts = Pick<RollbackPlan, (typeof NAMES)[number]>;
type Origins = RollbackPlan['provenance'];

/** A plan with what a caller adds to it or changes of it. */
export function completedPlan(plan: RollbackPlan, wish: RollbackWish): RollbackPlan {
  const stated = NAMES.filter((name) => wish[name] != null);
  const { baseUrl, model, keyName, scope } = plan;
  const parts = Object.fromEntries(stated.map((name) => [name, wish[name]])) as Partial<Parts>;
  const origins = Object.fromEntries(stated.map((name) => [name, 'declared'])) as Partial<Origins>;
  return planFrom({ baseUrl, model, keyName, scope, ...parts }, { ...plan.provenance, ...origins });
}

/** The plan of a migration. There always is one; what it cannot know stands in `fillIn`. */
export function rollbackPlanOf(source: RollbackSource): RollbackPlan {
  const { sourceProvider, sourceBaseUrl, sourceModel, wish, useCases } = source;
  const baseUrl = SOURCE_PROVIDERS.find(sourceProvider)?.address ?? null;
  const keyName = `${sourceProvider.toUpperCase()}_API_KEY`;
  const all = useCases.length === 0;
  const scope = all ? 'all clients of the migration' : `use cases: ${useCases.join(', ')}`;
  const origins = {
    baseUrl: baseUrl === null ? 'unknown' : 'default',
    model: 'unknown',
    keyName: 'default',
    scope: 'default',
  } as const;
  const byDefault = planFrom({ baseUrl, model: null, keyName, scope }, origins);
  const stated = { baseUrl: sourceBaseUrl, model: sourceModel };
  return completedPlan(completedPlan(byDefault, stated), wish);
}

function planFrom(parts: Parts, provenance: Origins): RollbackPlan {
  const { baseUrl, model, keyName, scope } = parts;
  return {
    ...parts,
    provenance,
    fillIn: [
      ...(baseUrl === null ? ['base_url: the base address that your clients had'] : []),
      ...(model === null ? ['model: the model name that your clients sent'] : []),
    ],
    steps: [
      `Set the base address of the clients back to ${baseUrl ?? 'the old one'}.`,
      `Set their model back to ${model ?? 'the old one'}.`,
      `Let them read the old key from ${keyName}.`,
      `Restart the clients (${scope}).`,
      'Revoke the keys of the gateway that only these clients used (DELETE /api-keys/{id}).',
    ],
  };
}
