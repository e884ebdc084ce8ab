import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tokenizer } from '../catalog/providers/tokenizer.js';

/** So much is counted without letting others have their turn; shorter texts are counted whole. */
const SLICE_CHARS = 32_768;
/** A slice ends at white space among its last characters, where there is some. */
const LOOK_BACK_CHARS = 256;

/**
 * What a rule counts of the tokens of texts, in turns with everything else that the process does.
 * The rule is asked twice: which texts it counts, and what comes of their tokens. A text that is
 * cut may have one token more where it is.
 */
export async function countInTurns(
  tokenizer: Tokenizer,
  rule: (tokenizer: Tokenizer) => number,
): Promise<number> {
  const counts = new Map<string, number>();
  rule({ ...tokenizer, count: (text) => counts.set(text, 0).size });
  let sinceTurn = 0;
  for (const text of counts.keys()) {
    let tokens = 0;
    for (let from = 0; from < text.length; ) {
      const to = sliceEnd(text, from);
      tokens += tokenizer.count(text.slice(from, to));
      sinceTurn += to - from;
      from = to;
      if (sinceTurn < SLICE_CHARS) continue;
      sinceTurn = 0;
      await nextTurn();
    }
    counts.set(text, tokens);
  }
  return rule({ ...tokenizer, count: (text) => counts.get(text) ?? 0 });
}

/**
 * Tokens of a text, counted no further than until they are more than enough: whoever asks whether
 * a text passes a bound need not wait for the rest of it.
 */
export function countUntil(
  tokenizer: Pick<Tokenizer, 'count'>,
  text: string,
  enough: number,
): number {
  let tokens = 0;
  for (let from = 0; from < text.length && tokens <= enough; ) {
    const to = sliceEnd(text, from);
    // Where a text is cut it may have one token more.
    tokens += tokenizer.count(text.slice(from, to)) - (to < text.length ? 1 : 0);
    from = to;
  }
  return tokens;
}

function sliceEnd(text: string, from: number): number {
  const most = from + SLICE_CHARS;
  if (most >= text.length) return text.length;
  for (let at = most; at > most - LOOK_BACK_CHARS; at -= 1) {
    if (/\s/.test(text.charAt(at))) return at;
  }
  // Never between the halves of one character.
  return /[\uDC00-\uDFFF]/.test(text.charAt(most)) ? most - 1 : most;
}
