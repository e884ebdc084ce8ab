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
