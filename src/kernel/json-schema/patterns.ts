import { RE2JS } from 're2js';

/**
 * Instructions that a compiled pattern may have: the time for one character grows with them, and a
 * few counted repetitions make tens of thousands.
 */
const PATTERN_SIZE_MAX = 10_000;

/** Why a pattern cannot be used; undefined where it can. */
export function patternRefusal(pattern: unknown, charsMax: number): string | undefined {
  if (typeof pattern !== 'string' || pattern.length > charsMax) {
    return `must be a text of at most ${charsMax} characters`;
  }
  try {
    const size = RE2JS.compile(pattern).programSize();
    return size > PATTERN_SIZE_MAX ? 'is too large when compiled' : undefined;
  } catch {
    return `is no pattern of RE2, which has no look-around and no back-reference: ${pattern}`;
  }
}

/**
 * Patterns run in linear time (RE2), whoever wrote them; one that such an engine cannot run makes
 * the schema not compile.
 */
export const LINEAR_TIME = Object.assign(
  (pattern: string) => {
    const expression = RE2JS.compile(pattern);
    // The compiler tells expressions apart by their text.
    return { test: (text: string) => expression.matcher(text).find(), toString: () => pattern };
  },
  { code: 'linearTime' },
);
