import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ItemResult } from '../../../src/delivery/migration/comparison-tables.js';
import { qualityOf, rounded } from '../../../src/delivery/migration/quality.rules.js';
import { wilsonInterval } from '../../../src/kernel/interval.rules.js';

const REQUEST = '01977c2a-5b1e-7009-8000-3f2b9c4d5e6f';

function results(passed: number, failed: number, refused = 0): ItemResult[] {
  const each = (count: number, result: Omit<ItemResult, 'index'>) =>
    Array.from({ length: count }, () => result);
  return [
    ...each(passed, { passed: true, requestId: REQUEST, errorCode: null, simulated: false }),
    ...each(failed, { passed: false, requestId: REQUEST, errorCode: null, simulated: false }),
    ...each(refused, {
      passed: false,
      requestId: null,
      errorCode: 'insufficient_balance',
      simulated: false,
    }),
  ].map((result, index) => ({ ...result, index }));
}

const UNKNOWN = { sourcePassed: undefined, sourceQuality: null };

describe("Wilson's interval", () => {
  it.each([
    [9, 10, 0.5958, 0.9821],
    [0, 10, 0, 0.2775],
    [10, 10, 0.7225, 1],
    [50, 100, 0.4038, 0.5962],
  ])('of %i of %i is %d to %d', (passed, count, low, high) => {
    const interval = wilsonInterval(passed, count);
    expect(rounded(interval.low, 4)).toBe(low);
    expect(rounded(interval.high, 4)).toBe(high);
  });

  it('holds the share, stays within 0 and 1, and narrows as items are added', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, part) => {
          const passed = Math.round(part * count);
          const { low, high } = wilsonInterval(passed, count);
          expect(low).toBeGreaterThanOrEqual(0);
          expect(low).toBeLessThanOrEqual(passed / count);
          expect(high).toBeGreaterThanOrEqual(passed / count);
          expect(high).toBeLessThanOrEqual(1);
          const more = wilsonInterval(passed * 4, count * 4);
          expect(more.high - more.low).toBeLessThan(high - low);
        },
      ),
    );
  });
});

describe('quality', () => {
  it('is simulated, and compared with nothing, as soon as one answer was', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.nat(39), (passed, place) => {
        const set = results(passed, 40 - passed).map((result, index) => ({
          ...result,
          simulated: index === place,
        }));
        expect(
          qualityOf({ results: set, sourcePassed: undefined, sourceQuality: 0 }),
        ).toMatchObject({
          quality: 'simulated',
          qualityDelta: 'not_measured',
          qualityDeltaPercent: null,
          qualityEvidence: { ran: 40, passed },
        });
      }),
    );
  });

  it('is measured by the share of items that passed', () => {
    expect(qualityOf({ results: results(19, 1), ...UNKNOWN })).toEqual({
      quality: 'measured',
      qualityDelta: 'cannot_compare',
      qualityDeltaPercent: null,
      qualityEvidence: {
        reason: '19 of 20 items passed',
        needed: ['source_quality, or source_output for every item'],
        items: 20,
        ran: 20,
        passed: 19,
        share: 0.95,
        intervalLow: 0.7639,
        intervalHigh: 0.9911,
        sourceShare: null,
        sourceProvenance: null,
      },
    });
  });

  it('is not conclusive on fewer items than the minimum, with the interval shown', () => {
    expect(qualityOf({ results: results(19, 0), ...UNKNOWN })).toMatchObject({
      quality: 'not_conclusive',
      qualityDelta: 'not_measured',
      qualityEvidence: {
        reason: '19 items are fewer than the 20 that a verdict needs',
        needed: ['evaluation_set with at least 20 items'],
        share: 1,
        intervalLow: expect.any(Number),
      },
    });
  });

  it('is not conclusive when an item could not be run, however many passed', () => {
    expect(qualityOf({ results: results(30, 0, 1), ...UNKNOWN })).toMatchObject({
      quality: 'not_conclusive',
      qualityEvidence: {
        reason: '1 of 31 items could not be run: insufficient_balance',
        ran: 30,
      },
    });
    expect(qualityOf({ results: results(0, 0, 25), ...UNKNOWN })).toMatchObject({
      quality: 'not_conclusive',
      qualityEvidence: { share: null, intervalLow: null },
    });
  });

  it.each([
    ['better', 20, 0, 0.5, 50],
    ['same_within_interval', 19, 1, 0.9, 5],
    ['worse', 10, 10, 0.9, -40],
  ] as const)(
    'is %s than what the source is stated to have',
    (delta, passed, failed, source, percent) => {
      const quality = qualityOf({
        results: results(passed, failed),
        sourcePassed: undefined,
        sourceQuality: source,
      });
      expect(quality).toMatchObject({
        qualityDelta: delta,
        qualityDeltaPercent: percent,
        qualityEvidence: { sourceShare: source, sourceProvenance: 'declared', needed: [] },
      });
    },
  );

  it('is compared with the outputs of the source rather than with a stated figure', () => {
    const quality = qualityOf({ results: results(20, 0), sourcePassed: 10, sourceQuality: 1 });
    expect(quality).toMatchObject({
      qualityDelta: 'better',
      qualityDeltaPercent: 50,
      qualityEvidence: { sourceShare: 0.5 },
    });
  });
});
