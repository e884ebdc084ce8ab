import { SOURCE_PROVIDERS, type SourceProvider } from './vocabulary.js';

/** What the caller says about the way back. */
export interface RollbackWish {
  readonly baseUrl?: string | null;
  readonly model?: string | null;
  readonly keyName?: string | null;
  readonly scope?: string | null;
}

/** The way back: what clients used before. The old key itself is never taken. */
export interface RollbackPlan {
  /** The old base address; null where it is not known. */
  readonly base_url: string | null;
  readonly model: string | null;
  /** The name of the variable that holds the old key. */
  readonly key_name: string;
  /** Which clients go back. */
  readonly scope: string;
  /** What was stated, and what was taken from the source or from defaults. */
  readonly provenance: Readonly<Record<'base_url' | 'model' | 'key_name' | 'scope', Origin>>;
  /** What only you know; empty when the plan is complete. */
  readonly fill_in: readonly string[];
  readonly steps: readonly string[];
}

type Origin = 'declared' | 'default' | 'unknown';

/** What a plan is made from. */
export interface RollbackSource {
  readonly sourceProvider: SourceProvider;
  readonly sourceBaseUrl: string | null;
  readonly sourceModel: string | null;
  readonly useCases: readonly string[];
  readonly wish: RollbackWish;
}

/** A plan with what a caller adds to it or changes of it. */
export function completedPlan(plan: RollbackPlan, wish: RollbackWish): RollbackPlan {
  const values = {
    base_url: stated(wish.baseUrl, plan.base_url, plan.provenance.base_url),
    model: stated(wish.model, plan.model, plan.provenance.model),
    key_name: stated(wish.keyName, plan.key_name, plan.provenance.key_name),
    scope: stated(wish.scope, plan.scope, plan.provenance.scope),
  };
  return planOf(values);
}

/** The plan of a migration. There always is one; what it cannot know stands in `fill_in`. */
export function rollbackPlanOf(source: RollbackSource): RollbackPlan {
  const { wish, useCases } = source;
  const address = SOURCE_PROVIDERS.find(({ code }) => code === source.sourceProvider)?.address;
  const all = useCases.length === 0;
  const byDefault = {
    scope: all ? 'all clients of the migration' : `use cases: ${useCases.join(', ')}`,
    keyName: `${source.sourceProvider.toUpperCase()}_API_KEY`,
    baseUrl: address ?? null,
  };
  return planOf({
    base_url: stated(wish.baseUrl ?? source.sourceBaseUrl, byDefault.baseUrl, 'default'),
    model: stated(wish.model ?? source.sourceModel, null, 'default'),
    key_name: stated(wish.keyName, byDefault.keyName, 'default'),
    scope: stated(wish.scope, byDefault.scope, 'default'),
  });
}

interface Part<V> {
  readonly value: V;
  readonly origin: Origin;
}

interface Parts {
  readonly base_url: Part<string | null>;
  readonly model: Part<string | null>;
  readonly key_name: Part<string>;
  readonly scope: Part<string>;
}

function planOf({ base_url, model, key_name, scope }: Parts): RollbackPlan {
  return {
    base_url: base_url.value,
    model: model.value,
    key_name: key_name.value,
    scope: scope.value,
    provenance: {
      base_url: base_url.origin,
      model: model.origin,
      key_name: key_name.origin,
      scope: scope.origin,
    },
    fill_in: [
      ...(base_url.value === null ? ['base_url: the base address that your clients had'] : []),
      ...(model.value === null ? ['model: the model name that your clients sent'] : []),
    ],
    steps: [
      `Set the base address of the clients back to ${base_url.value ?? 'the old one'}.`,
      `Set their model back to ${model.value ?? 'the old one'}.`,
      `Let them read the old key from ${key_name.value}.`,
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
