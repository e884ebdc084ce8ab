import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { asObject } from '../../kernel/json.js';
import { PROMPT_BOUNDS } from './vocabulary.js';

/** What was read from a part of the input, with every fault of it. */
export interface Reading<T> {
  readonly value: T;
  readonly faults: readonly Fault[];
}

/** The faults of a value that must be a JSON object. */
export function objectFaults(path: string, value: unknown): Fault[] {
  if (!asObject(value)) return [fault(path, 'wrong_type', 'must be an object')];
  return jsonFaults(path, value);
}

/** Levels that a JSON part may have, so that it can be sealed together with the rest. */
const LEVELS_MAX = 24;

/** The faults of a JSON value: what cannot be sealed exactly, or is too large or too deep. */
export function jsonFaults(path: string, value: unknown): Fault[] {
  const max = PROMPT_BOUNDS.jsonChars;
  try {
    const chars = canonicalJson(value as Sealable).length;
    if (chars > max) return [fault(path, 'out_of_range', `has at most ${max} characters`)];
    return levelsOf(value) > LEVELS_MAX
      ? [fault(path, 'out_of_range', `has at most ${LEVELS_MAX} levels`)]
      : [];
  } catch (thrown) {
    return [fault(path, 'invalid', `cannot be kept exactly: ${(thrown as Error).message}`)];
  }
}

function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}
