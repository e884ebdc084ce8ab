import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offsetAfter } from '../../../src/platform/database/clock-offset.rules.js';

/** A reading of a database that is ahead by so much, whose answer was on its way for so long. */
const reading = (aheadMs: number, askedMs: number, thereMs: number, backMs: number) => ({
  saidMs: askedMs + thereMs + aheadMs,
  askedMs,
  answeredMs: askedMs + thereMs + backMs,
});

const AHEAD = fc.double({ min: -1e9, max: 2e12, noNaN: true });
const WAY = fc.double({ min: 0, max: 2_000, noNaN: true });
const HOUR_MS = 3_600_000;

describe('the offset of the database clock', () => {
  it('is never wrong by more than it says, however long the answers are on their way', () => {
    fc.assert(
      fc.property(AHEAD, fc.array(fc.tuple(WAY, WAY), { minLength: 1 }), (aheadMs, ways) => {
        const found = ways.reduce<ReturnType<typeof offsetAfter> | undefined>(
          (known, [thereMs, backMs], index) =>
            offsetAfter(known, reading(aheadMs, index * 5_000, thereMs, backMs)),
          undefined,
        );
        expect(Math.abs((found?.aheadMs ?? 0) - aheadMs)).toBeLessThanOrEqual(
          (found?.errorMs ?? 0) + 0.01,
        );
        expect(found?.errorMs).toBeLessThanOrEqual(
          Math.min(...ways.map(([thereMs, backMs]) => (thereMs + backMs) / 2)) + ways.length + 0.01,
        );
      }),
    );
  });

  it('follows a clock that was set by the next reading, to within half of its round trip', () => {
    fc.assert(
      fc.property(AHEAD, fc.constantFrom(-HOUR_MS, HOUR_MS), WAY, WAY, (aheadMs, setMs, a, b) => {
        const before = offsetAfter(undefined, reading(aheadMs, 0, 0.2, 0.2));
        const after = offsetAfter(before, reading(aheadMs + setMs, 5_000, a, b));
        expect(Math.abs(after.aheadMs - aheadMs - setMs)).toBeLessThanOrEqual((a + b) / 2 + 0.01);
      }),
    );
  });

  it('is not moved by a slow reading that agrees with it', () => {
    const before = offsetAfter(undefined, reading(1_000, 0, 0.2, 0.2));
    expect(offsetAfter(before, reading(1_000, 5_000, 1_900, 3)).aheadMs).toBe(before.aheadMs);
  });
});
