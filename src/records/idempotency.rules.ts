/** The longest Idempotency-Key, in characters. */
export const KEY_CHARACTERS_MAX = 255;

/** Printable ASCII, as a header can carry it. */
export function isIdempotencyKey(text: string): boolean {
  return text.length <= KEY_CHARACTERS_MAX && /^[\x21-\x7e]+$/.test(text);
}

const RETRYABLE_STATUSES = new Set([408, 409, 425, 429]);

/**
 * Whether an answer settles its request. Timeouts, conflicts, limits and faults of the server do
 * not: clients retry them with the same key, and must then get a new attempt.
 */
export function isFinal(httpStatus: number): boolean {
  return httpStatus < 500 && !RETRYABLE_STATUSES.has(httpStatus);
}

/**
 * What is known of the effect of a request when an attempt at it is over. `answered`: it stands,
 * and so does its answer. `unknown`: it may stand. `nothing_done`: this attempt did not begin;
 * an earlier one may have. `nothing_stands`: neither this attempt nor an earlier one has changed
 * anything.
 */
export type Evidence = 'answered' | 'unknown' | 'nothing_done' | 'nothing_stands';

/**
 * What becomes of a key. `done`: its answer is given again. `open`: the same request runs again,
 * under the same effect id. `free`: the key stands for nothing any more.
 */
export type KeyState = 'done' | 'open' | 'free';

/**
 * The state of a key after an attempt.
 * @param repeated true when an earlier attempt may have run
 */
export function stateAfter(evidence: Evidence, repeated: boolean): KeyState {
  if (evidence === 'answered') return 'done';
  if (evidence === 'nothing_stands') return 'free';
  return evidence === 'nothing_done' && !repeated ? 'free' : 'open';
}

/** What is known of a request that has several effects, by what is known of each that ran. */
export function evidenceOfAll(parts: readonly Evidence[]): Evidence {
  const [first] = parts;
  if (first === undefined) return 'nothing_done';
  return parts.every((part) => part === first) ? first : 'unknown';
}
