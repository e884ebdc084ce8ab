import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Limit } from '../../../src/platform/counters/counters.js';
import { MemoryCounters } from '../../../src/platform/counters/memory.js';
import {
  type Bench,
  describeBuckets,
  describeSlots,
  describeTaking,
  describeWindows,
  rate,
  slotOf,
  windowOf,
} from './contract.js';

let nowMs: number;
let bench: Bench;

beforeEach(() => {
  nowMs = 1_000;
  let keys = 0;
  bench = {
    counters: new MemoryCounters(() => nowMs),
    async pass(ms) {
      nowMs += ms;
    },
    key: () => `key-${keys++}`,
  };
});

describe('limits in memory', () => describeTaking(() => bench));
describe('buckets in memory', () => describeBuckets(() => bench));
describe('slots in memory', () => describeSlots(() => bench));
describe('windows in memory', () => describeWindows(() => bench));

describe('a window over time', () => {
  const steps = fc.array(
    fc.record({
      waitMs: fc.integer({ min: 0, max: 9_000 }),
      points: fc.integer({ min: 1, max: 4 }),
    }),
    { maxLength: 80 },
  );

  it('holds in no sixty seconds more than its figure', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 12 }), steps, (limit, rows) => {
        let clock = 0;
        const counters = new MemoryCounters(() => clock);
        const admitted: { at: number; points: number }[] = [];
        for (const { waitMs, points } of rows) {
          clock += waitMs;
          const { refused } = counters.take([windowOf('a', limit, points)]);
          if (refused === undefined) admitted.push({ at: clock, points });
        }
        for (const { at } of admitted) {
          const within = admitted.filter((one) => one.at >= at && one.at < at + 60_000);
          expect(within.reduce((sum, one) => sum + one.points, 0)).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it('admits after the time that the refusal named, and not a millisecond before', async () => {
    const { counters } = bench;
    await counters.take([windowOf('a', 3, 1)]);
    nowMs += 10_500;
    await counters.take([windowOf('a', 3, 2)]);
    const { retryAfterMs } = await counters.take([windowOf('a', 3, 2)]);
    expect(retryAfterMs).toBe(61_000 + 11_000 - 11_500);
    nowMs += retryAfterMs - 1;
    expect((await counters.take([windowOf('a', 3, 2)])).refused).toBe(0);
    nowMs += 1;
    expect((await counters.take([windowOf('a', 3, 2)])).refused).toBeUndefined();
  });

  it('takes the share of a node that counts for itself', async () => {
    const { counters } = bench;
    const shared = { ...windowOf('a', 4), alone: 1 } as const;
    const none = { ...windowOf('b', 4), alone: 0 } as const;
    const slotAs = (slot: string) => ({ ...slotOf('c', 4, slot), alone: 1 }) as Limit;
    expect((await counters.take([shared])).refused).toBeUndefined();
    expect((await counters.take([shared])).refused).toBe(0);
    expect(await counters.take([none])).toMatchObject({ refused: 0, retryAfterMs: 61_000 });
    expect((await counters.take([slotAs('x')])).refused).toBeUndefined();
    expect((await counters.take([slotAs('y')])).refused).toBe(0);
  });
});

describe('a bucket over time', () => {
  it('is refilled evenly and is full after a minute, never fuller', async () => {
    const { counters } = bench;
    const remaining = async () => (await counters.take([rate('a', 60, 0)])).states[0];
    await counters.take([rate('a', 60, 60)]);
    const seen = [await remaining()];
    for (const ms of [999, 1, 29_000, 30_000, 600_000]) {
      nowMs += ms;
      seen.push(await remaining());
    }
    expect(seen).toEqual([
      { limit: 60, remaining: 0, resetMs: 60_000 },
      { limit: 60, remaining: 0, resetMs: 59_001 },
      { limit: 60, remaining: 1, resetMs: 59_000 },
      { limit: 60, remaining: 30, resetMs: 30_000 },
      { limit: 60, remaining: 60, resetMs: 0 },
      { limit: 60, remaining: 60, resetMs: 0 },
    ]);
  });

  const steps = fc.array(
    fc.record({
      waitMs: fc.integer({ min: 0, max: 20_000 }),
      share: fc.integer({ min: 1, max: 100 }),
    }),
    { maxLength: 60 },
  );
  const sizes = fc.integer({ min: 1, max: 1_000_000 });
  let clock = 0;
  /** Each run has a key of its own; to make the counters costs more than a run. */
  const counters = new MemoryCounters(() => clock);
  let runs = 0;

  it('never gives more than its size and what has flowed in since', () => {
    fc.assert(
      fc.property(sizes, steps, (perMinute, rows) => {
        const key = `run-${runs++}`;
        const begunMs = clock;
        let taken = 0;
        for (const { waitMs, share } of rows) {
          clock += waitMs;
          const points = Math.ceil((perMinute * share) / 100);
          const { refused } = counters.take([rate(key, perMinute, points)]);
          if (refused === undefined) taken += points;
          const flowed = ((clock - begunMs) * perMinute) / 60_000;
          expect(taken).toBeLessThanOrEqual((perMinute + flowed) * (1 + 1e-9) + 1e-5 * rows.length);
        }
      }),
    );
  });

  it('admits after the time that it named, and not two milliseconds earlier', () => {
    fc.assert(
      fc.property(sizes, steps, (perMinute, rows) => {
        const key = `run-${runs++}`;
        for (const { waitMs, share } of rows) {
          clock += waitMs;
          const limit = rate(key, perMinute, Math.ceil((perMinute * share) / 100));
          const { refused, retryAfterMs } = counters.take([limit]);
          if (refused === undefined) continue;
          clock += Math.max(0, retryAfterMs - 2);
          if (retryAfterMs > 2) expect(counters.take([limit]).refused).toBe(0);
          clock += 2;
          expect(counters.take([limit]).refused).toBeUndefined();
        }
      }),
    );
  });
});
