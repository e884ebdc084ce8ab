import { snakeCase } from '../src/kernel/fields/names.js';

/** The GraphQL spelling of a wire name: `prompt_key` → `promptKey`. */
export function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The spellings under which a field is accepted: as written first, then the other case. */
export function spellings(wireName: string): readonly string[] {
  return [...new Set([wireName, snakeCase(wireName), camelCase(wireName)])];
}

/**
 * The candidate that a misspelt name was most likely meant for, or undefined when none is near.
 * Near means at most two fifths of the letters differ; case and separators do not count.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const plain = withoutSeparators(name);
  if (plain.length > NAME_LENGTH_MAX) return undefined;
  let best: string | undefined;
  let bestDistance = Math.floor(plain.length * 0.4) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(plain, withoutSeparators(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

const NAME_LENGTH_MAX = 64;

/**
 * True for a name that differs from another one by a slip of the finger: one letter in five. A hint
 * may guess; a refusal must not mistake another word, such as `region` for `reason`.
 */
export function isNear(name: string, other: string): boolean {
  const plain = withoutSeparators(name);
  if (plain.length > NAME_LENGTH_MAX) return false;
  const slips = plain.length < SLIP_LENGTH_MIN ? 0 : Math.max(1, Math.floor(plain.length / 5));
  return editDistance(plain, withoutSeparators(other)) <= slips;
}

/** In shorter names one letter makes another word. */
const SLIP_LENGTH_MIN = 4;

function withoutSeparators(name: string): string {
  return name.replace(/[_\-.]/g, '').toLowerCase();
}

/** Levenshtein's distance with transpositions of neighbours counted as one (optimal alignment). */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1];
      let cost = Math.min(
        (previous[j] ?? 0) + 1,
        (current[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
        cost = Math.min(cost, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
