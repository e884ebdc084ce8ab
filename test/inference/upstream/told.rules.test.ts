import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOLD_MS_MAX, toldBy } from '../../../src/inference/upstream/told.rules.js';

const raw = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers)
    .flat()
    .map((text) => Buffer.from(text, 'latin1'));

describe('what a provider says of its limits', () => {
  it('is nothing where no header is about it', () => {
    expect(toldBy([])).toBeUndefined();
    expect(
      toldBy(raw({ 'content-type': 'application/json', 'x-request-id': 'x'.repeat(40) })),
    ).toBeUndefined();
  });

  it('is read whatever the letters of the names are', () => {
    expect(
      toldBy(
        raw({
          'X-RateLimit-Remaining-Requests': '12',
          'x-ratelimit-remaining-tokens': '0',
          'x-ratelimit-limit-tokens': '9000',
          'x-ratelimit-reset-requests': '120ms',
          'X-RATELIMIT-RESET-TOKENS': '6m0s',
        }),
      ),
    ).toEqual({
      requestsLeft: 12,
      tokensLeft: 0,
      tokensLimit: 9_000,
      requestsResetMs: 120,
      tokensResetMs: TOLD_MS_MAX,
    });
  });

  it.each([
    ['1s', 1_000],
    ['1.5s', 1_500],
    ['2m', TOLD_MS_MAX],
    ['0', 0],
    ['3', 3_000],
    ['59.5', 59_500],
    ['99999h', undefined],
    ['999h0m0s', TOLD_MS_MAX],
    ['', undefined],
    ['soon', undefined],
    ['-5s', undefined],
    ['1e9', undefined],
    ['99999999999999999999s', undefined],
  ])('reads %s as a time of %s ms', (value, expected) => {
    expect(toldBy(raw({ 'x-ratelimit-reset-requests': value }))?.requestsResetMs).toBe(expected);
  });

  it.each(['-1', '1.5', 'NaN', 'Infinity', '9999999999', '0x10', ''])(
    'leaves out the figure %s',
    (value) => {
      expect(toldBy(raw({ 'x-ratelimit-remaining-requests': value }))).toBeUndefined();
    },
  );

  it('never names a time beyond a minute, or below none, whatever is sent', () => {
    const names = ['x-ratelimit-reset-requests', 'x-ratelimit-remaining-tokens', 'x'];
    const headers = fc.array(fc.tuple(fc.constantFrom(...names), fc.string()), { maxLength: 6 });
    fc.assert(
      fc.property(headers, (rows) => {
        const told = toldBy(rows.flat().map((text) => Buffer.from(text, 'latin1')));
        const resetMs = told?.requestsResetMs ?? 0;
        expect(resetMs >= 0 && resetMs <= TOLD_MS_MAX).toBe(true);
        expect(Number.isSafeInteger(told?.tokensLeft ?? 0)).toBe(true);
      }),
    );
  });
});
