import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WEBHOOK_FAILURES } from '../../../src/actions/webhook/failures.js';
import {
  ATTEMPTS_MAX,
  type FailedAttempt,
  retryAfterMsOf,
  waitBeforeRetryMs,
} from '../../../src/actions/webhook/retries.js';

const FAILED: FailedAttempt = {
  attempt: 1,
  failure: 'status_failed',
  status: 500,
  retryAfterMs: null,
  remainingMs: 10_000,
  chance: 0,
};

const anyFailed = fc.record<FailedAttempt>({
  attempt: fc.integer({ min: 1, max: 5 }),
  failure: fc.constantFrom(...WEBHOOK_FAILURES.map(({ code }) => code)),
  status: fc.option(fc.integer({ min: 200, max: 599 })),
  retryAfterMs: fc.option(fc.nat(20_000)),
  remainingMs: fc.nat(20_000),
  chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

describe('repetitions of a webhook', () => {
  it.each([
    ['a failed connection', { failure: 'connection_failed', status: null }, 100],
    ['a connection that timed out', { failure: 'timeout', status: null }, 100],
    ['a name without an address', { failure: 'name_unresolved', status: null }, 100],
    ['500', {}, 100],
    ['503 that asks for two seconds', { status: 503, retryAfterMs: 2_000 }, 2_000],
    ['429', { failure: 'status_refused', status: 429 }, 100],
    ['408', { failure: 'status_refused', status: 408 }, 100],
    ['425', { failure: 'status_refused', status: 425 }, 100],
    ['a second failure, spread in full', { attempt: 2, chance: 0.999 }, 400],
    ['404', { failure: 'status_refused', status: 404 }, null],
    ['a redirect', { failure: 'redirect_refused', status: 302 }, null],
    ['an address inside', { failure: 'address_refused', status: null }, null],
    ['a bad certificate', { failure: 'certificate_refused', status: null }, null],
    ['a caller who left', { failure: 'cancelled', status: null }, null],
    ['the last attempt', { attempt: ATTEMPTS_MAX }, null],
    ['a wait beyond the time of the call', { status: 503, retryAfterMs: 10_000 }, null],
  ] as const)('after %s', (_what, change, expected) => {
    expect(waitBeforeRetryMs({ ...FAILED, ...change })).toBe(expected);
  });

  it('never go beyond the attempts, the time of the call or the wish of the endpoint', () => {
    fc.assert(
      fc.property(anyFailed, (failed) => {
        const waitMs = waitBeforeRetryMs(failed);
        if (waitMs === null) return;
        expect(failed.attempt).toBeLessThan(ATTEMPTS_MAX);
        expect(waitMs).toBeLessThan(failed.remainingMs);
        expect(waitMs).toBeGreaterThanOrEqual(failed.retryAfterMs ?? 0);
      }),
    );
  });

  it('read retry-after in seconds and as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfterMsOf('3', now)).toBe(3_000);
    expect(retryAfterMsOf('Thu, 01 Jan 2026 00:00:05 GMT', now)).toBe(5_000);
    expect(retryAfterMsOf('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0);
    expect(retryAfterMsOf('soon', now)).toBeNull();
    expect(retryAfterMsOf(undefined, now)).toBeNull();
  });
});
