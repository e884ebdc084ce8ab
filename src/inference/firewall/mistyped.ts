import { LABEL, LABEL_NAMES, WORDS } from './words.js';

/** A word with the label that it gives to a number. */
interface Stem {
  readonly stem: string;
  readonly bit: number;
}

/** Stems by their first two letters, which a slip leaves alone. */
const STEMS = new Map<string, Stem[]>();
for (const label of LABEL_NAMES) {
  for (const stem of WORDS.mistyped[label] ?? []) {
    const head = stem.slice(0, 2);
    STEMS.set(head, [...(STEMS.get(head) ?? []), { stem, bit: LABEL[label] }]);
  }
}

/** Fewer letters behind a slip do not tell a word from another one that begins the same. */
const FEWEST_BEHIND = 2;

/** True where a word at `place` is a stem with one letter more, less, another or turned. */
export function isSlipOf(stem: string, text: string, place: number): boolean {
  let same = 0;
  while (same < stem.length && stem.charAt(same) === text.charAt(place + same)) same += 1;
  const at = place + same;
  const rest = stem.slice(same);
  if (same < 2 || rest.length < 2) return false;
  const isTurned =
    text.charAt(at) === rest.charAt(1) &&
    text.charAt(at + 1) === rest.charAt(0) &&
    text.startsWith(rest.slice(2), at + 2);
  if (isTurned || text.startsWith(rest, at + 1)) return true;
  const behind = rest.slice(1);
  if (behind.length < FEWEST_BEHIND) return false;
  return text.startsWith(behind, at) || text.startsWith(behind, at + 1);
}

/** The label of a word in lower case that begins at `place` with one slip of the finger. */
export function labelOfMistyped(text: string, place: number): number {
  for (const { stem, bit } of STEMS.get(text.slice(place, place + 2)) ?? []) {
    if (isSlipOf(stem, text, place)) return bit;
  }
  return 0;
}
