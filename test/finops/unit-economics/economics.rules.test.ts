import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  engineeringGate,
  profitabilityMap,
  velocityOf,
} from '../../../src/finops/unit-economics/economics.rules.js';
import { leakageOf } from '../../../src/finops/unit-economics/leakage.rules.js';
import {
  CATEGORIES,
  MICRO_MAX,
  PROFITABILITIES,
} from '../../../src/finops/unit-economics/vocabulary.js';

const RUB = 1_000_000n;
const amount = fc.bigInt({ min: 0n, max: MICRO_MAX });

describe('velocity', () => {
  it('is spend by hours, and how long what remains lasts', () => {
    expect(
      velocityOf({ spentMicro: 1_200n * RUB, hours: 24, remainingMicro: 5_000n * RUB }),
    ).toEqual({
      hours: 24,
      burnPerHourMicro: 50n * RUB,
      remainingMicro: 5_000n * RUB,
      hoursToExhaustion: 100,
    });
  });

  it('tells no time where nothing is spent or nobody says what remains', () => {
    const times = [
      velocityOf({ spentMicro: 0n, hours: 1, remainingMicro: RUB }),
      velocityOf({ spentMicro: RUB, hours: 1, remainingMicro: null }),
      velocityOf({ spentMicro: RUB, hours: 1, remainingMicro: 0n }),
      velocityOf({ spentMicro: 1n, hours: 100, remainingMicro: MICRO_MAX }),
    ];
    expect(times.map(({ hoursToExhaustion }) => hoursToExhaustion)).toEqual([null, null, 0, 1e6]);
  });

  it('more spend never lasts longer', () => {
    const hours = fc.double({ min: 0.001, max: 100_000, noNaN: true });
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: MICRO_MAX }),
        amount,
        amount,
        hours,
        (spent, more, left, time) => {
          const of = (spentMicro: bigint) =>
            velocityOf({ spentMicro, hours: time, remainingMicro: left }).hoursToExhaustion ?? 0;
          expect(of(spent + more)).toBeLessThanOrEqual(of(spent));
        },
      ),
    );
  });
});

describe('the map of customers', () => {
  const one = (revenueMicro: bigint | null, costMicro: bigint | null) =>
    profitabilityMap([{ customer: 'a', revenueMicro, costMicro }]).customers[0];

  it('has its classes at these margins', () => {
    const costs = [700n, 701n, 900n, 901n, 1_000n, 1_001n];
    expect(costs.map((cost) => one(1_000n, cost)?.profitability)).toEqual([
      'HEALTHY',
      'THIN',
      'THIN',
      'FRAGILE',
      'FRAGILE',
      'LOSS',
    ]);
    expect(one(0n, 1n)?.profitability).toBe('LOSS');
    expect(PROFITABILITIES.codes).toHaveLength(5);
  });

  it('margin_not_size: a customer of a thousand times the size has the same class', () => {
    const figure = fc.bigInt({ min: 0n, max: 10n ** 12n });
    fc.assert(
      fc.property(figure, figure, fc.bigInt({ min: 1n, max: 1_000n }), (revenue, cost, times) => {
        expect(one(revenue * times, cost * times)?.profitability).toBe(
          one(revenue, cost)?.profitability,
        );
      }),
    );
  });

  it('no_ledger_no_class: without both figures a customer is CANNOT_CLASSIFY', () => {
    const customers = [one(null, 1n), one(1n, null), one(null, null), one(0n, 0n)];
    expect(customers.map((each) => each?.profitability)).toEqual(
      customers.map(() => 'CANNOT_CLASSIFY'),
    );
    expect(profitabilityMap([])).toMatchObject({ verdict: 'CANNOT_CLASSIFY', revenueMicro: null });
  });

  it('adds up those that can be classified, and counts every customer once', () => {
    const figure = fc.option(amount);
    const customers = fc.array(
      fc.record({ customer: fc.string(), revenueMicro: figure, costMicro: figure }),
    );
    fc.assert(
      fc.property(customers, (all) => {
        const map = profitabilityMap(all);
        expect(map.customers).toHaveLength(all.length);
        expect(map.classes.reduce((sum, each) => sum + each.customers, 0)).toBe(all.length);
        const margin = map.customers.reduce(
          (sum, each) =>
            each.profitability === 'CANNOT_CLASSIFY' ? sum : sum + (each.marginMicro ?? 0n),
          0n,
        );
        expect(map.marginMicro ?? 0n).toBe(margin);
      }),
    );
  });
});

describe('the gate of engineering cost', () => {
  const gate = (before: bigint, after: bigint, growth = 500) =>
    engineeringGate({
      cogsBeforeMicro: before,
      cogsAfterMicro: after,
      units: 1_000n,
      revenueMicro: 4_000n,
      growthBasisPointsMax: growth,
    });

  it('tells the delta of a unit and of a month, and passes exactly up to the tolerance', () => {
    expect(gate(2_000n, 2_100n)).toEqual({
      verdict: 'PASS',
      deltaMicro: 100n,
      deltaBasisPoints: 500,
      monthlyDeltaMicro: 100_000n,
      marginBeforeBasisPoints: 5_000,
      marginAfterBasisPoints: 4_750,
      growthBasisPointsMax: 500,
    });
    expect([gate(2_000n, 2_101n).verdict, gate(0n, 1n).verdict, gate(0n, 0n).verdict]).toEqual([
      'BLOCKED',
      'BLOCKED',
      'PASS',
    ]);
  });
});

describe('margin leakage', () => {
  const costs = fc.array(
    fc.record({ category: fc.option(fc.constantFrom(...CATEGORIES.codes)), costMicro: amount }),
  );

  it('is what was lost of what is known, and never more than it', () => {
    fc.assert(
      fc.property(costs, (all) => {
        const found = leakageOf(all, null);
        const known = all.filter(({ category }) => category !== null);
        const sum = known.reduce((total, { costMicro }) => total + costMicro, 0n);
        expect(found.verdict === 'cannot_certify').toBe(sum === 0n);
        if (sum === 0n) return;
        expect(found.knownMicro).toBe(sum);
        expect((found.leakageMicro ?? 0n) <= sum).toBe(true);
        expect(found.leakageBasisPoints).toBeLessThanOrEqual(10_000);
      }),
    );
  });

  it('takes cost of which nothing is known neither for good nor for lost', () => {
    const known = [
      { category: 'accepted', costMicro: 800n },
      { category: 'failed_delivery', costMicro: 200n },
    ] as const;
    const unknown = { category: null, costMicro: 5_000n } as const;
    const [without, withIt] = [leakageOf(known, null), leakageOf([...known, unknown], null)];
    expect([without.leakageBasisPoints, withIt.leakageBasisPoints]).toEqual([2_000, 2_000]);
    expect([without.unknownMicro, withIt.unknownMicro]).toEqual([0n, 5_000n]);
    expect(leakageOf([unknown], null)).toMatchObject({
      verdict: 'cannot_certify',
      leakageMicro: null,
    });
  });

  it('says what the margin would be without it', () => {
    const lost = [
      { category: 'accepted', costMicro: 600n },
      { category: 'wasted', costMicro: 100n },
    ] as const;
    expect(leakageOf(lost, 1_000n)).toMatchObject({
      marginMicro: 300n,
      marginWithoutLeakageMicro: 400n,
    });
  });
});
