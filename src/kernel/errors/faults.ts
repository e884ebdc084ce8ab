import { nearestNames } from '../near-names.js';
import type { Fault } from './fail.js';

/**
 * The rules of input, one line each. Paths are those of the arguments (`input.steps.2.costRub`); a
 * REST row renames them for its wire.
 */

/** A fault whose message begins with its path. */
export function fault(path: string, code: Fault['code'], what: string): Fault {
  const end = what.endsWith('?') ? '' : '.';
  return { path, code, message: `${path} ${what}${end}` };
}

/** A value must hold what `what` says; null and absent values have no fault. */
export function fits(path: string, isFit: boolean, what: string): Fault[] {
  return isFit ? [] : [fault(path, 'invalid', what)];
}

/** A figure within inclusive bounds; null and absent ones have no fault. */
export function range<N extends number | bigint>(
  path: string,
  value: N | null | undefined,
  { min, max }: { readonly min?: N; readonly max?: N },
  shown: (bound: N) => string = String,
): Fault[] {
  if (value === null || value === undefined) return [];
  if (Number.isNaN(value)) return [fault(path, 'invalid', 'must be a number')];
  const isInside = (min === undefined || value >= min) && (max === undefined || value <= max);
  if (isInside) return [];
  if (max === undefined)
    return [fault(path, 'out_of_range', `must be at least ${shown(min as N)}`)];
  if (min === undefined) return [fault(path, 'out_of_range', `must be at most ${shown(max)}`)];
  return [fault(path, 'out_of_range', `must be from ${shown(min)} to ${shown(max)}`)];
}

/** A text of so many characters, spaces around it not counted; absent ones have no fault. */
export function length(
  path: string,
  text: string | null | undefined,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): Fault[] {
  if (text === null || text === undefined) return [];
  const isInside = text.trim().length >= min && text.length <= max;
  const what = min > 0 ? `must have ${min} to ${max} characters` : `has at most ${max} characters`;
  return isInside ? [] : [fault(path, 'out_of_range', what)];
}

/** A list of so many items; an absent one has no fault. */
export function count(
  path: string,
  items: readonly unknown[] | null | undefined,
  { min = 0, max }: { readonly min?: number; readonly max: number },
  noun = 'items',
): Fault[] {
  if (!items || (items.length >= min && items.length <= max)) return [];
  const what = min > 0 ? `must have ${min} to ${max} ${noun}` : `has at most ${max} ${noun}`;
  return [fault(path, 'out_of_range', what)];
}

/** A value of a list, with what may have been meant; an absent one has no fault. */
export function oneOf(
  path: string,
  value: string | null | undefined,
  known: readonly string[],
): Fault[] {
  if (value === null || value === undefined || known.includes(value)) return [];
  const [near] = nearestNames(value, known);
  const meant = near === undefined ? '' : `; did you mean ${near}?`;
  return [fault(path, 'unknown_value', `must be one of ${known.join(', ')}${meant}`)];
}

/** Text that UTF-8 can carry; an absent one has no fault. */
export function wellFormed(path: string, text: string | null | undefined): Fault[] {
  return fits(path, !text || !/\p{Surrogate}/u.test(text), 'holds half a surrogate pair');
}

/** A value that must be there. */
export function present(path: string, value: unknown, why = 'is needed'): Fault[] {
  return value === null || value === undefined ? [fault(path, 'missing', why)] : [];
}
