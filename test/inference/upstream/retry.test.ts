import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  countsAgainst,
  errorOfStatus,
  nextStep,
  RetryBudget,
  repeatDelayMs,
} from '../../../src/inference/upstream/retry.js';

describe('errorOfStatus', () => {
  it.each([
    [200, null],
    [204, null],
    [301, 'invalid_answer'],
    [400, 'rejected'],
    [401, 'credentials_refused'],
    [403, 'credentials_refused'],
    [404, 'rejected'],
    [405, 'invalid_answer'],
    [408, 'server_error'],
    [413, 'rejected'],
    [422, 'rejected'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [503, 'server_error'],
    [529, 'server_error'],
  ] as const)('reads %i as %s', (status, error) => {
    expect(errorOfStatus(status)).toBe(error);
  });
});

describe('nextStep', () => {
  it('never repeats what would be refused again, and never stops for what passes', () => {
    expect(nextStep('rejected', undefined)).toBe('stop');
    expect(nextStep('credentials_refused', undefined)).toBe('move');
    expect(nextStep('rate_limited', undefined)).toBe('move');
    expect(nextStep('reset', undefined)).toBe('repeat');
  });

  it('takes a provider at its word about when to come back', () => {
    expect(nextStep('rate_limited', 500)).toBe('repeat');
    expect(nextStep('rate_limited', 60_000)).toBe('move');
    expect(nextStep('server_error', 60_000)).toBe('move');
  });

  it('holds only real failures against a deployment', () => {
    expect(countsAgainst('rejected')).toBe(false);
    expect(countsAgainst('rate_limited')).toBe(false);
    expect(countsAgainst('first_byte_timeout')).toBe(true);
  });
});

describe('repeatDelayMs', () => {
  it('is spread over zero to a doubling ceiling of at most 2 s, and honours retry-after', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(), random, fc.option(fc.nat(2_000)), (repeat, chance, asked) => {
        const delay = repeatDelayMs(repeat, asked ?? undefined, chance);
        expect(delay).toBeGreaterThanOrEqual(asked ?? 0);
        expect(delay).toBeLessThanOrEqual(Math.max(2_000, asked ?? 0));
      }),
    );
    expect(repeatDelayMs(0, undefined, 0.5)).toBe(25);
    expect(repeatDelayMs(1, undefined, 0.5)).toBe(50);
  });
});

describe('RetryBudget', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const { signal } = new AbortController();

  function taken(budget: RetryBudget): number {
    let places = 0;
    while (budget.tryTake()) places += 1;
    return places;
  }

  it('has a place for a fifth of the active requests, at least three', () => {
    const budget = new RetryBudget();
    expect(taken(budget)).toBe(3);
    for (let request = 0; request < 100; request += 1) budget.begin();
    expect(taken(budget)).toBe(17);
    for (let request = 0; request < 100; request += 1) budget.end();
    expect(taken(budget)).toBe(0);
  });

  it('lets those who wait go in their order as places come free', async () => {
    const budget = new RetryBudget();
    taken(budget);
    const order: string[] = [];
    const first = budget.take(1_000, signal).then((got) => order.push(`first ${got}`));
    const second = budget.take(1_000, signal).then((got) => order.push(`second ${got}`));
    budget.release();
    await first;
    expect(order).toEqual(['first true']);
    budget.release();
    await second;
    expect(order).toEqual(['first true', 'second true']);
  });

  it('gives up after the wait, or when the caller is gone', async () => {
    const budget = new RetryBudget();
    taken(budget);
    const late = budget.take(1_000, signal);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await late).toBe(false);
    const caller = new AbortController();
    const gone = budget.take(1_000, caller.signal);
    caller.abort();
    expect(await gone).toBe(false);
  });
});
