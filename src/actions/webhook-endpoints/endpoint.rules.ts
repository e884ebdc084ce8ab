import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import { EVENT_TYPES } from './event-types.js';

/** Every fault of the types that an endpoint asks for, beside those of the single codes. */
export function eventTypeFaults(path: string, types: readonly string[]): Fault[] {
  if (types.length === 0) return [fault(path, 'out_of_range', 'must name at least one type')];
  return fits(path, new Set(types).size === types.length, 'must name each type once');
}

/** The first right that somebody lacks who asks to be told of these types. */
export function missingRight(
  types: readonly string[],
  permissions: ReadonlySet<string>,
): string | undefined {
  const needed = types.flatMap((type) => EVENT_TYPES.find(type)?.permission ?? []);
  return needed.find((permission) => !permissions.has(permission));
}

/**
 * Until when the secret before signs too, after a rotation now; null without an overlap. A secret
 * that was rotated away within an overlap ends with the next rotation.
 */
export function overlapEnd(now: Date, overlapHours: number): Date | null {
  return overlapHours === 0 ? null : new Date(now.getTime() + overlapHours * 3_600_000);
}
