import type { Ctx, KeyedEffect } from '../graph/ctx.js';
import { derivedId, type IdKind, newId } from '../kernel/ids.js';

type MaybeKeyed = Pick<Ctx, 'keyed'>;

/**
 * The id of a thing that a request makes: under a key the same in every attempt, so that an
 * attempt finds what an earlier one has made; without a key a new one.
 */
export function idUnderKey({ keyed }: MaybeKeyed, kind: IdKind): string {
  return keyed ? derivedId(kind, keyed.effectId, kind) : newId(kind);
}

/** What a part of a keyed request stands for, such as one of the models that it asks. */
export function keyedPart({ keyed }: MaybeKeyed, label: string): KeyedEffect | undefined {
  if (!keyed) return undefined;
  const { effectId, repeated, rootId = effectId } = keyed;
  return { effectId: derivedId('Request', effectId, label), repeated, rootId };
}
