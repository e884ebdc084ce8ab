import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  recordedUnit,
  recordedVariation,
  unitOfAny,
} from '../../../src/finops/costs/forecast.rules.js';
import {
  RECORDED_ENOUGH,
  STUDENT_95,
  VARIATION_DEFAULT,
  VARIATION_MAX,
} from '../../../src/finops/costs/vocabulary.js';

const meanMicro = 1_000_000;
const unit = (requests: number, share: number) => ({
  requests,
  meanMicro,
  deviationMicro: share * meanMicro,
});

describe('the interval of recorded requests', () => {
  it('is never narrower for fewer of them, and from 30 on it is what was recorded', () => {
    const counts = fc.integer({ min: 1, max: RECORDED_ENOUGH - 1 });
    const shares = fc.double({ min: 0, max: VARIATION_MAX, noNaN: true });
    fc.assert(
      fc.property(counts, shares, (count, share) => {
        const [few, more] = [count, count + 1].map((each) => recordedVariation(unit(each, share)));
        expect(few).toBeGreaterThanOrEqual(more ?? 0);
        expect(few).toBeGreaterThanOrEqual(
          Math.min(VARIATION_MAX, Math.max(share, VARIATION_DEFAULT)),
        );
        expect(few).toBeLessThanOrEqual(VARIATION_MAX);
        expect(recordedVariation(unit(RECORDED_ENOUGH, share))).toBeCloseTo(share, 12);
      }),
    );
    expect(STUDENT_95).toHaveLength(RECORDED_ENOUGH - 2);
  });

  it('is none where nothing was recorded', () => {
    expect(recordedUnit([])).toBeUndefined();
    expect(recordedUnit([unit(0, 0)])).toBeUndefined();
    expect(recordedUnit([unit(1, 0)])?.requests).toBe(1);
  });
});

describe('the cost of a unit of an unknown model', () => {
  it('is the mean of all, never below the cheapest, and wider than that of one', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 1n, max: 10n ** 12n }), { minLength: 1 }), (prices) => {
        const { micro, variation } = unitOfAny(prices) ?? { micro: -1n, variation: -1 };
        expect(prices.some((price) => price <= micro)).toBe(true);
        expect(prices.some((price) => price >= micro - 1n)).toBe(true);
        expect(variation).toBeGreaterThanOrEqual(VARIATION_DEFAULT - 1e-9);
        expect(variation).toBeLessThanOrEqual(VARIATION_MAX);
      }),
    );
    expect(unitOfAny([])).toBeUndefined();
    expect(unitOfAny([5n])).toEqual({ micro: 5n, variation: VARIATION_DEFAULT });
  });
});
