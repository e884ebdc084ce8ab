import type { CodeOf } from '../../kernel/vocabulary.js';
import type { MigrationDraft, RollbackPlan, RollbackWish } from './tables.js';
import { type ORIGINS, SOURCE_PROVIDERS } from './vocabulary.js';

/** What a plan is made from. */
export type RollbackSource = Pick<
  MigrationDraft,
  'sourceProvider' | 'sourceBaseUrl' | 'sourceModel' | 'useCases'
> & { readonly wish: RollbackWish };

/** A plan with what a caller adds to it or changes of it. */
export function completedPlan(plan: RollbackPlan, wish: RollbackWish): RollbackPlan {
  const { provenance } = plan;
  return planFrom({
    baseUrl: stated(wish.baseUrl, plan.baseUrl, provenance.baseUrl),
    model: stated(wish.model, plan.model, provenance.model),
    keyName: stated(wish.keyName, plan.keyName, provenance.keyName),
    scope: stated(wish.scope, plan.scope, provenance.scope),
  });
}

/** The plan of a migration. There always is one; what it cannot know stands in `fillIn`. */
export function rollbackPlanOf(source: RollbackSource): RollbackPlan {
  const { sourceProvider, wish, useCases } = source;
  const all = useCases.length === 0;
  const scope = all ? 'all clients of the migration' : `use cases: ${useCases.join(', ')}`;
  const address = SOURCE_PROVIDERS.find(sourceProvider)?.address ?? null;
  return planFrom({
    baseUrl: stated(wish.baseUrl ?? source.sourceBaseUrl, address, 'default'),
    model: stated(wish.model ?? source.sourceModel, null, 'default'),
    keyName: stated(wish.keyName, `${sourceProvider.toUpperCase()}_API_KEY`, 'default'),
    scope: stated(wish.scope, scope, 'default'),
  });
}

type Origin = CodeOf<typeof ORIGINS>;

interface Part<V> {
  readonly value: V;
  readonly origin: Origin;
}

interface Parts {
  readonly baseUrl: Part<string | null>;
  readonly model: Part<string | null>;
  readonly keyName: Part<string>;
  readonly scope: Part<string>;
}

function planFrom({ baseUrl, model, keyName, scope }: Parts): RollbackPlan {
  return {
    baseUrl: baseUrl.value,
    model: model.value,
    keyName: keyName.value,
    scope: scope.value,
    provenance: {
      baseUrl: baseUrl.origin,
      model: model.origin,
      keyName: keyName.origin,
      scope: scope.origin,
    },
    fillIn: [
      ...(baseUrl.value === null ? ['base_url: the base address that your clients had'] : []),
      ...(model.value === null ? ['model: the model name that your clients sent'] : []),
    ],
    steps: [
      `Set the base address of the clients back to ${baseUrl.value ?? 'the old one'}.`,
      `Set their model back to ${model.value ?? 'the old one'}.`,
      `Let them read the old key from ${keyName.value}.`,
      `Restart the clients (${scope.value}).`,
      'Revoke the keys of the gateway that only these clients used (DELETE /api-keys/{id}).',
    ],
  };
}

function stated<D extends string | null>(
  wish: string | null | undefined,
  otherwise: D,
  origin: Origin,
): Part<string | D> {
  if (wish != null) return { value: wish, origin: 'declared' };
  return { value: otherwise, origin: otherwise === null ? 'unknown' : origin };
}
