import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ItemResult } from '../../../src/delivery/migration/comparison-tables.js';
import { evidenceGaps, evidenceOf } from '../../../src/delivery/migration/evidence.rules.js';
import { qualityOf, rounded } from '../../../src/delivery/migration/quality.rules.js';
import { wilsonInterval } from '../../../src/kernel/interval.rules.js';

const REQUEST = '01977c2a-5b1e-7009-8000-3f2b9c4d5e6f';

const UNJUDGED = { useCase: null, echo: false, provesNothing: false, sourcePassed: null };

function results(passed: number, failed: number, refused = 0): ItemResult[] {
  const each = (count: number, result: Omit<ItemResult, 'index'>) =>
    Array.from({ length: count }, () => result);
  return [
    ...each(passed, {
      passed: true,
      requestId: REQUEST,
      errorCode: null,
      simulated: false,
      ...UNJUDGED,
    }),
    ...each(failed, {
      passed: false,
      requestId: REQUEST,
      errorCode: null,
      simulated: false,
      ...UNJUDGED,
    }),
    ...each(refused, {
      passed: false,
      requestId: null,
      errorCode: 'insufficient_balance',
      simulated: false,
      ...UNJUDGED,
    }),
  ].map((result, index) => ({ ...result, index }));
}

const UNKNOWN = { sourceQuality: null };

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
        expect(qualityOf({ results: set, sourceQuality: 0 })).toMatchObject({
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
        echoItems: 0,
        provesNothingItems: 0,
        sourcePassed: null,
        differenceLow: null,
        differenceHigh: null,
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
        sourceQuality: source,
      });
      expect(quality).toMatchObject({
        qualityDelta: delta,
        qualityDeltaPercent: percent,
        qualityEvidence: { sourceShare: source, sourceProvenance: 'declared', needed: [] },
      });
    },
  );

  /** The outcomes of a set of which each side passes some. */
  function sides(passed: number, sourcePassed: number, items = 20) {
    return results(passed, items - passed).map((result, index) => ({
      ...result,
      sourcePassed: index < sourcePassed,
    }));
  }

  it('is compared by the outcomes of both sides, and not by a stated figure', () => {
    expect(qualityOf({ results: sides(20, 10), sourceQuality: 1 })).toMatchObject({
      qualityDelta: 'better',
      qualityDeltaPercent: 50,
      qualityEvidence: {
        sourceShare: 0.5,
        sourcePassed: 10,
        differenceLow: 0.2426,
        differenceHigh: 0.7007,
      },
    });
    const likely = { results: sides(18, 20), sourceQuality: null };
    expect(qualityOf(likely).qualityDelta).toBe('same_within_interval');
    expect(qualityOf({ results: sides(10, 20), sourceQuality: 0 }).qualityDelta).toBe('worse');
  });

  it('names a side better exactly where the interval of the difference says so', () => {
    const set = fc
      .integer({ min: 20, max: 50 })
      .chain((items) => fc.tuple(fc.constant(items), fc.nat(items), fc.nat(items)));
    fc.assert(
      fc.property(set, ([items, one, other]) => {
        const there = qualityOf({ results: sides(one, other, items), sourceQuality: null });
        const back = qualityOf({ results: sides(other, one, items), sourceQuality: null });
        const { differenceLow: low, differenceHigh: high } = there.qualityEvidence;
        expect(low).toBeLessThanOrEqual((one - other) / items + 1e-4);
        expect(high).toBeGreaterThanOrEqual((one - other) / items - 1e-4);
        expect(back.qualityEvidence.differenceLow).toBeCloseTo(-(high ?? 0), 4);
        expect(there.qualityDelta === 'better').toBe(back.qualityDelta === 'worse');
        if (one === other) expect(there.qualityDelta).toBe('same_within_interval');
      }),
    );
  });

  it('is not shown by items that an echo of their question would pass', () => {
    const echoes = results(20, 0).map((result) => ({ ...result, echo: true }));
    expect(qualityOf({ results: [...echoes, ...results(3, 0)], ...UNKNOWN })).toMatchObject({
      quality: 'not_conclusive',
      qualityEvidence: {
        reason: '3 items are fewer than the 20 that a verdict needs; an echo would pass 20 more',
        items: 23,
        echoItems: 20,
        passed: 3,
      },
    });
  });
});

describe('items whose expectation does not tell answers apart', () => {
  const indifferent = results(20, 0).map((result) => ({
    ...result,
    provesNothing: true,
    sourcePassed: true,
  }));

  it('show no quality, and the reason counts them beside echoes', () => {
    const echo = results(1, 0).map((result) => ({ ...result, echo: true, provesNothing: true }));
    expect(qualityOf({ results: [...indifferent, ...echo], ...UNKNOWN })).toMatchObject({
      quality: 'not_conclusive',
      qualityEvidence: {
        reason:
          '0 items are fewer than the 20 that a verdict needs; an echo would pass 1 more; ' +
          'other answers would pass 20 more',
        items: 21,
        echoItems: 1,
        provesNothingItems: 20,
        passed: 0,
      },
    });
  });

  it('are no evidence, and outputs of the source are a declaration', () => {
    const found = evidenceOf([{ useCase: null, liveRequests: 20 }], indifferent);
    expect(found.map(({ minimum, found, provenance }) => [minimum, found, provenance])).toEqual([
      ['live_requests', 20, null],
      ['evaluation_items', 0, null],
      ['source_outputs', 0, 'declared'],
    ]);
  });
});

describe('evidence', () => {
  const items = (useCase: string, count: number) =>
    results(count, 0).map((result) => ({ ...result, useCase, sourcePassed: true }));

  it('is counted for each use case, and names every number that is missing', () => {
    const counts = [
      { useCase: 'support', liveRequests: 20 },
      { useCase: 'search', liveRequests: 1 },
    ];
    const echo = items('support', 1).map((item) => ({ ...item, echo: true }));
    const simulated = items('search', 20).map((item) => ({ ...item, simulated: true }));
    const all = [...items('support', 20), ...echo, ...simulated, ...items('search', 2)];
    const evidence = evidenceOf(counts, all);
    expect(evidence.map(({ useCase, minimum, found }) => [useCase, minimum, found])).toEqual([
      ['support', 'live_requests', 20],
      ['support', 'evaluation_items', 20],
      ['support', 'source_outputs', 20],
      ['search', 'live_requests', 1],
      ['search', 'evaluation_items', 2],
      ['search', 'source_outputs', 2],
    ]);
    expect(evidenceGaps(evidence)).toEqual([
      'search has 1 of 20 live_requests',
      'search has 2 of 20 evaluation_items',
      'search has 2 of 20 source_outputs',
    ]);
  });

  it('of a migration without use cases is that of the whole project', () => {
    const evidence = evidenceOf([{ useCase: null, liveRequests: 0 }], results(20, 0));
    expect(evidenceGaps(evidence)).toEqual([
      'the project has 0 of 20 live_requests',
      'the project has 0 of 20 source_outputs',
    ]);
  });
});
