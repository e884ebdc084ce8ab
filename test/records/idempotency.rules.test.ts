import { describe, expect, it } from 'vitest';
import { isFinal, isIdempotencyKey } from '../../src/records/idempotency.rules.js';

describe('an answer', () => {
  it('settles its request unless a retry can end otherwise', () => {
    const final = [200, 201, 204, 400, 401, 402, 403, 404, 413, 422];
    const open = [408, 409, 425, 429, 500, 501, 502, 503, 504];
    expect(final.filter(isFinal)).toEqual(final);
    expect(open.filter(isFinal)).toEqual([]);
  });
});

describe('an idempotency key', () => {
  it('is 1 to 255 characters that a header can carry', () => {
    expect(['a', '0197-uuid', '~!"#', 'k'.repeat(255)].every(isIdempotencyKey)).toBe(true);
    expect(['', ' ', 'a b', 'ключ', 'a\n', '\0', 'k'.repeat(256)].some(isIdempotencyKey)).toBe(
      false,
    );
  });
});
