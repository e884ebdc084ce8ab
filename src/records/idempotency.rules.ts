import { createHash } from 'node:crypto';

/** The longest Idempotency-Key, in characters. */
export const KEY_CHARACTERS_MAX = 255;

/** Printable ASCII, as a header can carry it. */
export function isIdempotencyKey(text: string): boolean {
  return text.length <= KEY_CHARACTERS_MAX && /^[\x21-\x7e]+$/.test(text);
}

/**
 * What makes two requests the same: method, path with query, and the bytes of the body. Each part
 * goes in with its length, so that nothing can move from one part to another.
 */
export function requestHash(method: string, path: string, body: Uint8Array): Buffer {
  const hash = createHash('sha256');
  for (const part of [Buffer.from(method), Buffer.from(path), body]) {
    hash.update(`${part.length}:`).update(part);
  }
  return hash.digest();
}

const RETRYABLE_STATUSES = new Set([408, 409, 425, 429]);

/**
 * Whether an answer settles its request. Timeouts, conflicts, limits and faults of the server do
 * not: clients retry them with the same key, and must then get a new attempt.
 */
export function isFinal(httpStatus: number): boolean {
  return httpStatus < 500 && !RETRYABLE_STATUSES.has(httpStatus);
}
