import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  categoryOf,
  isLoss,
  missingFacts,
} from '../../../src/finops/unit-economics/categories.rules.js';
import { ladderStanding, shareOf } from '../../../src/finops/unit-economics/ladder.rules.js';
import {
  consumerFaults,
  hasUnits,
  sharesOf,
} from '../../../src/finops/unit-economics/pools.rules.js';
import { reconcile } from '../../../src/finops/unit-economics/reconcile.rules.js';
import { vatFaults, vatOf } from '../../../src/finops/unit-economics/vat.rules.js';
import {
  CATEGORIES,
  DELIVERIES,
  LADDER,
  MICRO_MAX,
  USES,
} from '../../../src/finops/unit-economics/vocabulary.js';

const RUB = 1_000_000n;
const amount = fc.bigInt({ min: 0n, max: MICRO_MAX });
const TODAY = '2026-11-22';

describe('VAT', () => {
  const vat = (asked: object) =>
    vatOf(
      { netMicro: null, grossMicro: null, supplyDay: null, statedVatMicro: null, ...asked },
      TODAY,
    );

  it('vat_by_supply_day: 20 % from 2019, 22 % from 2026, before as published', () => {
    const rates = ['2004-01-01', '2018-12-31', '2019-01-01', '2025-12-31', '2026-01-01', TODAY];
    const found = rates.map((supplyDay) => {
      const { vatRateBasisPoints, rateEffectiveFrom } = vat({ netMicro: RUB, supplyDay });
      return [supplyDay, vatRateBasisPoints, rateEffectiveFrom];
    });
    expect(found).toEqual([
      ['2004-01-01', 1_800, '2004-01-01'],
      ['2018-12-31', 1_800, '2004-01-01'],
      ['2019-01-01', 2_000, '2019-01-01'],
      ['2025-12-31', 2_000, '2019-01-01'],
      ['2026-01-01', 2_200, '2026-01-01'],
      [TODAY, 2_200, '2026-01-01'],
    ]);
  });

  it('vat_apart: net + VAT is gross exactly, from either side and at every rate', () => {
    const day = fc.constantFrom('2010-05-05', '2019-01-01', '2025-12-31', '2026-01-01');
    fc.assert(
      fc.property(amount, day, fc.boolean(), (money, supplyDay, isNet) => {
        const found = vat({ [isNet ? 'netMicro' : 'grossMicro']: money, supplyDay });
        expect(found.netMicro + found.vatMicro).toBe(found.grossMicro);
        expect(isNet ? found.netMicro : found.grossMicro).toBe(money);
        // Half up: the tax is within half a micro-ruble of the exact one.
        const rate = BigInt(found.vatRateBasisPoints);
        const [dividend, divisor] = isNet
          ? [money * rate, 10_000n]
          : [money * rate, 10_000n + rate];
        const off = 2n * (found.vatMicro * divisor - dividend);
        expect(off > -divisor && off <= divisor).toBe(true);
      }),
    );
  });

  it('of a stated document is compared and not believed', () => {
    expect(vat({ grossMicro: 122n * RUB, statedVatMicro: 21n * RUB })).toEqual({
      netMicro: 100n * RUB,
      vatMicro: 22n * RUB,
      grossMicro: 122n * RUB,
      supplyDay: TODAY,
      vatRateBasisPoints: 2_200,
      rateEffectiveFrom: '2026-01-01',
      vatDifferenceMicro: -RUB,
    });
  });

  it('is refused without an amount, before the first rate, and of sides that disagree', () => {
    const faults = (asked: object) =>
      vatFaults(
        { netMicro: null, grossMicro: null, supplyDay: null, statedVatMicro: null, ...asked },
        TODAY,
      ).map(({ path, code }) => [path, code]);
    expect(faults({})).toEqual([['input.grossRub', 'missing']]);
    expect(faults({ netMicro: 1n, supplyDay: '2003-12-31' })).toEqual([
      ['input.supplyDay', 'out_of_range'],
    ]);
    expect(faults({ netMicro: 100n, grossMicro: 120n })).toEqual([['input.grossRub', 'invalid']]);
    expect(faults({ netMicro: 100n, grossMicro: 122n })).toEqual([]);
  });
});

describe('the category of a cost', () => {
  const facts = fc.record({
    delivery: fc.option(fc.constantFrom(...DELIVERIES.codes)),
    attempt: fc.integer({ min: 1, max: 5 }),
    use: fc.option(fc.constantFrom(...USES.codes)),
  });

  it('follows from how the work ended and whether it was used', () => {
    const of = (
      delivery: 'complete' | 'partial' | 'failed' | null,
      attempt = 1,
      use: 'used' | 'not_used' | null = null,
    ) => categoryOf({ delivery, attempt, use }).category;
    expect([
      of('complete', 1, 'used'),
      of('complete', 2, 'used'),
      of('failed'),
      of('partial'),
      of('failed', 2),
      of('complete', 1, 'not_used'),
      of('complete'),
      of(null),
    ]).toEqual([
      'accepted',
      'accepted',
      'failed_delivery',
      'failed_delivery',
      'retry',
      'wasted',
      null,
      null,
    ]);
  });

  it('is never favourable without evidence: accepted is only what was used', () => {
    fc.assert(
      fc.property(facts, (known) => {
        if (categoryOf(known).category === 'accepted') expect(known.use).toBe('used');
      }),
    );
  });

  it('failed_work_has_a_cost: without a cost nothing is classified, failed work neither', () => {
    fc.assert(
      fc.property(facts, (known) => {
        expect(missingFacts({ ...known, costMicro: null })).toContain('cost_rub');
      }),
    );
    expect(CATEGORIES.codes.filter(isLoss)).toEqual(['failed_delivery', 'retry', 'wasted']);
  });
});

describe('a shared pool', () => {
  const consumers = fc.uniqueArray(
    fc.record({
      consumer: fc.string({ minLength: 1 }),
      units: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    }),
    { selector: ({ consumer }) => consumer, minLength: 1, maxLength: 30 },
  );

  it('shares_add_up: to the micro-ruble, and each is within one of its exact share', () => {
    fc.assert(
      fc.property(amount, consumers, (pool, all) => {
        fc.pre(hasUnits(all));
        const shares = sharesOf(pool, all);
        const total = all.reduce((sum, { units }) => sum + units, 0n);
        expect(shares.reduce((sum, { shareMicro }) => sum + shareMicro, 0n)).toBe(pool);
        for (const { units, shareMicro } of shares) {
          const off = shareMicro * total - pool * units;
          expect(off > -total && off < total).toBe(true);
        }
      }),
    );
  });

  it('whoever has more units never bears less', () => {
    fc.assert(
      fc.property(amount, consumers, (pool, all) => {
        fc.pre(hasUnits(all));
        const shares = sharesOf(pool, all).toSorted((a, b) => (a.units < b.units ? -1 : 1));
        for (const [at, { units, shareMicro }] of shares.entries()) {
          const before = shares[at - 1];
          if (before && before.units < units) expect(shareMicro >= before.shareMicro).toBe(true);
        }
      }),
    );
  });

  it('no_units_no_allocation: there is nothing to split by', () => {
    expect([hasUnits([]), hasUnits([{ consumer: 'a', units: 0n }])]).toEqual([false, false]);
  });

  it('names a consumer that stands twice', () => {
    const twice = [
      { consumer: 'a', units: 1n },
      { consumer: 'b', units: 1n },
      { consumer: 'a', units: 1n },
    ];
    expect(consumerFaults(twice).map(({ path }) => path)).toEqual(['input.consumers.2.consumer']);
  });
});

describe('reconciling', () => {
  const figures = (estimated: bigint | null, reported: bigint | null, invoiced: bigint | null) =>
    reconcile({
      estimatedMicro: estimated,
      reportedMicro: reported,
      invoicedMicro: invoiced,
      toleranceBasisPoints: 100,
    });

  it('goes from estimated to reported to invoiced', () => {
    const states = [
      figures(null, null, null),
      figures(1n, null, null),
      figures(1n, 1n, null),
      figures(1n, 1n, 1n),
    ];
    expect(states.map(({ state }) => state)).toEqual([null, 'estimated', 'reported', 'invoiced']);
  });

  it('no_invoice_no_certificate: nor is an invoice compared with nothing', () => {
    const open = [figures(1n, 1n, null), figures(1n, null, 1n)];
    expect(
      open.map(({ verdict, varianceMicro, needed }) => [verdict, varianceMicro, needed]),
    ).toEqual([
      ['cannot_certify', null, ['invoiced_rub']],
      ['cannot_certify', null, ['reported_rub']],
    ]);
  });

  it('is within the tolerance exactly up to it, on both sides', () => {
    const verdicts = [9_899n, 9_900n, 10_000n, 10_100n, 10_101n].map(
      (invoiced) => figures(null, 10_000n, invoiced).verdict,
    );
    expect(verdicts).toEqual(['variance', 'reconciled', 'reconciled', 'reconciled', 'variance']);
    expect(figures(null, 0n, 1n)).toMatchObject({ verdict: 'variance', varianceBasisPoints: null });
  });
});

describe('the budget ladder', () => {
  it('has exactly these six steps, in this order', () => {
    expect(LADDER.codes).toEqual([
      'alert',
      'restrict_premium',
      'disable_exploration',
      'force_batch',
      'read_only',
      'hard_stop',
    ]);
    const thresholds = LADDER.rows.map(({ fromBasisPoints }) => fromBasisPoints);
    expect(thresholds).toEqual(thresholds.toSorted((a, b) => a - b));
    expect([new Set(thresholds).size, thresholds.at(-1)]).toEqual([6, 10_000]);
  });

  it('ladder_in_order: steps hold together, and more spend never takes one back', () => {
    fc.assert(
      fc.property(amount, amount, amount, (spent, more, budget) => {
        const { steps, step, nextStep } = ladderStanding(spent, budget);
        expect(steps).toEqual(LADDER.codes.slice(0, steps.length));
        expect([step, nextStep]).toEqual([
          steps.at(-1) ?? null,
          LADDER.codes[steps.length] ?? null,
        ]);
        expect(ladderStanding(spent + more, budget).steps.length >= steps.length).toBe(true);
        expect(ladderStanding(spent, budget + more).steps.length <= steps.length).toBe(true);
      }),
    );
  });

  it('says the first spend at which the next step begins', () => {
    fc.assert(
      fc.property(amount, fc.bigInt({ min: 1n, max: MICRO_MAX }), (spent, budget) => {
        const { nextAtMicro, nextStep } = ladderStanding(spent, budget);
        if (nextAtMicro === null) return;
        expect(ladderStanding(nextAtMicro, budget).steps).toContain(nextStep);
        expect(ladderStanding(nextAtMicro - 1n, budget).steps).not.toContain(nextStep);
      }),
    );
  });

  it('a budget of nothing stands on the last step, and a share stays within its bound', () => {
    expect(ladderStanding(0n, 0n)).toMatchObject({ step: 'hard_stop', usedBasisPoints: null });
    expect(shareOf(MICRO_MAX, 1n, 'floor')).toBe(2_000_000_000);
    expect(shareOf(-MICRO_MAX, 1n, 'floor')).toBe(-2_000_000_000);
  });
});
