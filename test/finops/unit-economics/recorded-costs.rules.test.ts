import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attribute } from '../../../src/finops/unit-economics/attribution.rules.js';
import {
  coverageOf,
  type RecordedCost,
} from '../../../src/finops/unit-economics/coverage.rules.js';
import {
  forecastMetric,
  invoiceMetric,
  runRateForecast,
} from '../../../src/finops/unit-economics/metrics.rules.js';
import {
  monthFaults,
  monthOf,
  periodOf,
  sealKeyOf,
  windowOfMonth,
} from '../../../src/finops/unit-economics/period.rules.js';
import {
  CATEGORIES,
  CONFIDENCES,
  COST_SOURCES,
  MICRO_MAX,
} from '../../../src/finops/unit-economics/vocabulary.js';

const amount = fc.bigInt({ min: 0n, max: MICRO_MAX });

describe('attribution', () => {
  const request = { clientId: 'romashka', feature: 'f', projectId: 'p', isDelivered: true };
  const joined = fc.record({
    request: fc.option(fc.constant(request)),
    hasPoolUnits: fc.boolean(),
    clientTag: fc.option(fc.string({ minLength: 1 })),
  });

  it('server_decides_confidence: DIRECT by a request, ALLOCATED by units, else less', () => {
    fc.assert(
      fc.property(joined, (facts) => {
        const { confidence, clientId } = attribute(facts);
        const expected = facts.request
          ? 'DIRECT'
          : facts.hasPoolUnits
            ? 'ALLOCATED'
            : facts.clientTag === null
              ? 'UNALLOCATED'
              : 'ESTIMATED';
        expect(confidence).toBe(expected);
        if (confidence === 'DIRECT') expect(clientId).toBe('romashka');
      }),
    );
  });

  it('tag_at_most_estimated: a tag moves UNALLOCATED to ESTIMATED and nothing else', () => {
    fc.assert(
      fc.property(joined, (facts) => {
        const without = attribute({ ...facts, clientTag: null }).confidence;
        const withTag = attribute({ ...facts, clientTag: 'anybody' }).confidence;
        expect(withTag).toBe(without === 'UNALLOCATED' ? 'ESTIMATED' : without);
      }),
    );
  });
});

const cost = fc.record({
  source: fc.constantFrom(...COST_SOURCES.codes),
  confidence: fc.constantFrom(...CONFIDENCES.codes),
  category: fc.option(fc.constantFrom(...CATEGORIES.codes)),
  isEarly: fc.boolean(),
  events: fc.integer({ min: 1, max: 10 }),
  netMicro: amount,
});

function recorded(changes: Partial<RecordedCost>): RecordedCost {
  return {
    source: 'event',
    confidence: 'UNALLOCATED',
    category: null,
    isEarly: true,
    events: 1,
    netMicro: 100n,
    ...changes,
  };
}

describe('coverage', () => {
  it('is DIRECT of the total, and the confidences add up to the total', () => {
    fc.assert(
      fc.property(fc.array(cost), (costs) => {
        const found = coverageOf(costs);
        const { totalMicro, directMicro, allocatedMicro, estimatedMicro, unallocatedMicro } = found;
        expect(directMicro + allocatedMicro + estimatedMicro + unallocatedMicro).toBe(totalMicro);
        const expected = totalMicro === 0n ? null : Number((directMicro * 10_000n) / totalMicro);
        expect(found.coverageBasisPoints).toBe(expected);
      }),
    );
  });

  it('counted_once: what the ledger knows, and what is simulated, is in no total', () => {
    const own = recorded({ source: 'ledger', confidence: 'DIRECT' });
    const alone = coverageOf([own]);
    const aside = [recorded({ source: 'repeated' }), recorded({ source: 'simulated' })];
    const { sources: _, ...figures } = alone;
    expect(coverageOf([own, ...aside])).toMatchObject(figures);
  });

  it('empty_is_not_certified: nor is what is only simulated', () => {
    const empty = [coverageOf([]), coverageOf([recorded({ source: 'simulated' })])];
    for (const found of empty) {
      expect(found).toMatchObject({ verdict: 'cannot_certify', coverageBasisPoints: null });
    }
  });
});

describe('metrics', () => {
  const suppliers = { reportedMicro: 1_000n, invoicedMicro: 1_010n, suppliers: 2, missing: [] };

  it('an invoice variance needs the invoice of every supplier', () => {
    expect(invoiceMetric(suppliers, '2026-10', 'live_measured')).toMatchObject({
      verdict: 'certified',
      valueBasisPoints: 100,
      partMicro: 10n,
      wholeMicro: 1_000n,
    });
    const open = invoiceMetric({ ...suppliers, missing: ['hosting'] }, '2026-10', 'live_measured');
    expect(open).toMatchObject({
      verdict: 'cannot_certify',
      provenance: null,
      valueBasisPoints: null,
      needed: ['an invoice of hosting for 2026-10'],
    });
  });

  it('a forecast error is the distance to the cost, on both sides alike', () => {
    const of = (early: bigint, late: bigint) =>
      forecastMetric(
        runRateForecast([
          recorded({ netMicro: early }),
          recorded({ netMicro: late, isEarly: false }),
        ]),
        'live_measured',
      );
    expect([of(50n, 50n), of(75n, 25n), of(25n, 75n)].map((each) => each.valueBasisPoints)).toEqual(
      [0, 5_000, 5_000],
    );
    expect(of(0n, 100n)).toMatchObject({ verdict: 'cannot_certify', valueBasisPoints: null });
  });
});

describe('a period', () => {
  it('is a month of Moscow, and months join without a gap', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2019-02-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
        (at) => {
          const month = monthOf(at);
          const { from, to } = windowOfMonth(month);
          expect(from <= at && at < to).toBe(true);
          expect(windowOfMonth(monthOf(to)).from).toEqual(to);
          expect(monthFaults('period', month, at)).toEqual([]);
        },
      ),
    );
    expect(windowOfMonth('2026-12')).toEqual({
      from: new Date('2026-11-30T21:00:00Z'),
      to: new Date('2026-12-31T21:00:00Z'),
    });
  });

  it('sealed_once: under its month when it is over, before that under the day', () => {
    const now = new Date('2026-11-22T12:00:00Z');
    const [over, open] = [periodOf('2026-10', now), periodOf('2026-11', now)];
    expect([over.isFinal, sealKeyOf(over)]).toEqual([true, '2026-10']);
    expect([open.isFinal, open.to, sealKeyOf(open)]).toEqual([
      false,
      now,
      '2026-11 until 2026-11-22',
    ]);
  });

  it('that is to come, or is no month, is a fault', () => {
    const now = new Date('2026-11-22T12:00:00Z');
    const wrong = ['2026-12', '2026-13', '2026', 'November', '2018-12'];
    expect(wrong.map((month) => monthFaults('period', month, now).length)).toEqual([1, 1, 1, 1, 1]);
  });
});
