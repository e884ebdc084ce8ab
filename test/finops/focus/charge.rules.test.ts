import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { USAGE_DIMENSIONS } from '../../../src/catalog/providers/vocabulary.js';
import {
  type ChargeFrame,
  type ChargeGroup,
  type ChargeUse,
  chargesOf,
} from '../../../src/finops/focus/charge.rules.js';
import type { FocusCharge } from '../../../src/finops/focus/tables.js';
import {
  billingPeriodOf,
  exportWindow,
  periodBegin,
} from '../../../src/finops/focus/window.rules.js';
import { taxInside } from '../../../src/kernel/money.js';
import { violations, wireRow } from './published-rules.js';

const METERS = USAGE_DIMENSIONS.codes;
const FRAME: ChargeFrame = {
  window: { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-02-10T10:30:00Z') },
  granularity: 'day',
  accountId: '0192f0c1-7a3b-7008-8000-3f2b9c4d5e6f',
  accountName: 'A customer',
  operatorName: 'An operator',
  publisherName: 'A vendor',
  resourceName: 'A model',
};
const USE: ChargeUse = {
  projectId: '0192f0c1-7a3b-7002-8000-3f2b9c4d5e6f',
  projectName: 'A project',
  keyId: null,
  userId: null,
  operation: 'chat',
  model: 'live/model',
  provider: 'live',
  route: 'rf',
  simulated: false,
  cachedAnswer: false,
  feature: null,
  environment: null,
  clientId: null,
  priceEffectiveFrom: '2026-01-01',
  prices: byMeter(() => 0n),
  tokens: byMeter(() => 0n),
};

function byMeter(of: (index: number) => bigint): ChargeUse['tokens'] {
  return Object.fromEntries(
    METERS.map((meter, index) => [meter, of(index)]),
  ) as ChargeUse['tokens'];
}

const five = (most: bigint) =>
  fc
    .array(fc.bigInt({ min: 0n, max: most }), { minLength: 5, maxLength: 5 })
    .map((values) => byMeter((index) => values[index] ?? 0n));
const word = fc.option(fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''));
const use = fc
  .record({
    tokens: five(3_000_000n),
    prices: five(5_000_000_000n),
    operation: fc.constantFrom('chat' as const, 'embeddings' as const),
    route: fc.constantFrom('rf', 'outside', 'elsewhere'),
    cachedAnswer: fc.boolean(),
    feature: word,
    clientId: word,
  })
  .map((more): ChargeUse => ({ ...USE, ...more }));
const period = fc
  .date({ min: FRAME.window.from, max: FRAME.window.to, noInvalidDate: true })
  .map((at) => periodBegin(at, 'day'));
const rate = fc.constantFrom(0, 1_000, 2_000, 2_200);
const grossMax = 10n ** 15n;

/** Any group that the books can hold: what is given back is less than nothing. */
const group = fc
  .record({
    use,
    period,
    rate,
    gross: fc.bigInt({ min: 0n, max: grossMax }),
    kind: fc.constantFrom<ChargeGroup['kind']>(
      'usage',
      'refund',
      'unnamed_refund',
      'credit',
      'adjustment',
    ),
    isEarlier: fc.boolean(),
    requests: fc.bigInt({ min: 1n, max: 1_000n }),
    isCharge: fc.boolean(),
    description: word,
  })
  .map(({ kind, use: of, rate: percent, gross, ...given }): ChargeGroup => {
    const isTaxed = kind !== 'credit' && kind !== 'adjustment';
    const isGiven = kind !== 'usage' && !(kind === 'adjustment' && given.isCharge);
    const { net, vat } = isTaxed ? taxInside(gross, percent) : { net: gross, vat: 0n };
    const sign = isGiven ? -1n : 1n;
    return {
      kind,
      correction: kind === 'refund' && given.isEarlier,
      period: given.period,
      vatRateBasisPoints: isTaxed ? percent : null,
      netMicro: net * sign,
      vatMicro: vat * sign,
      requests: given.requests,
      description: given.description,
      use:
        kind === 'usage' || kind === 'refund'
          ? {
              ...of,
              tokens: byMeter((index) => of.tokens[METERS[index] ?? 'input_uncached'] * sign),
            }
          : null,
    };
  });

const total = (rows: readonly FocusCharge[], column: 'billedCostMicro' | 'effectiveCostMicro') =>
  rows.reduce((sum, row) => sum + row[column], 0n);

describe('the rows of a group', () => {
  it('keep every published rule, whatever the group', () => {
    fc.assert(
      fc.property(group, (each) => {
        expect(violations(chargesOf(each, FRAME).map(wireRow))).toEqual([]);
      }),
    );
  });

  it('add up to its net and its tax, which stand apart', () => {
    fc.assert(
      fc.property(group, (each) => {
        const rows = chargesOf(each, FRAME);
        const taxes = rows.filter((row) => row.chargeCategory === 'Tax');
        const others = rows.filter((row) => row.chargeCategory !== 'Tax');
        expect(total(others, 'billedCostMicro')).toBe(each.netMicro);
        expect(total(taxes, 'billedCostMicro')).toBe(each.vatMicro);
        expect(taxes.length).toBe(each.vatMicro === 0n ? 0 : 1);
        expect(total(rows, 'effectiveCostMicro')).toBe(each.netMicro + each.vatMicro);
      }),
    );
  });

  it('count every token and every request once, and refunds no request', () => {
    fc.assert(
      fc.property(group, (each) => {
        const rows = chargesOf(each, FRAME);
        for (const meter of METERS) {
          const counted = rows.filter((row) => row.tokenMeter === meter);
          const tokens = each.use?.tokens[meter] ?? 0n;
          expect(counted.reduce((sum, row) => sum + (row.consumedQuantity ?? 0n), 0n)).toBe(tokens);
          expect(counted.length).toBeLessThanOrEqual(1);
        }
        const isUsed = each.kind === 'usage' && rows.some((row) => row.tokenMeter !== null);
        const requests = rows.reduce((sum, row) => sum + (row.requestCount ?? 0n), 0n);
        expect(requests).toBe(isUsed ? each.requests : 0n);
      }),
    );
  });

  it('give each meter its share within one micro-ruble, the remainder to the largest', () => {
    fc.assert(
      fc.property(group, (each) => {
        const { use: of } = each;
        if (!of) return;
        const weights = METERS.map((meter) => Number(of.tokens[meter]) * Number(of.prices[meter]));
        const whole = weights.reduce((sum, weight) => sum + weight, 0);
        if (whole === 0) return;
        const rows = chargesOf(each, FRAME);
        METERS.forEach((meter, index) => {
          const billed = rows.find((row) => row.tokenMeter === meter)?.billedCostMicro ?? 0n;
          const share = (Number(each.netMicro) * (weights[index] ?? 0)) / whole;
          expect(Math.abs(Number(billed) - share)).toBeLessThan(1.5);
        });
      }),
    );
  });

  it('take back with a refund of the whole exactly what the charge has said', () => {
    fc.assert(
      fc.property(
        use,
        period,
        rate,
        fc.bigInt({ min: 1n, max: grossMax }),
        (of, at, percent, gross) => {
          const { net, vat } = taxInside(gross, percent);
          const charge: ChargeGroup = {
            ...{ kind: 'usage', correction: false, period: at, vatRateBasisPoints: percent },
            ...{ netMicro: net, vatMicro: vat, requests: 1n, description: null, use: of },
          };
          const tokens = byMeter((index) => -of.tokens[METERS[index] ?? 'input_uncached']);
          const refund: ChargeGroup = {
            ...charge,
            ...{ kind: 'refund', netMicro: -net, vatMicro: -vat, use: { ...of, tokens } },
          };
          const figures = (rows: readonly FocusCharge[], sign: bigint) =>
            rows.map((row) => [
              row.chargeCategory,
              row.skuPriceId,
              row.billedCostMicro * sign,
              row.consumedQuantity === null ? null : row.consumedQuantity * sign,
            ]);
          expect(figures(chargesOf(refund, FRAME), -1n)).toEqual(
            figures(chargesOf(charge, FRAME), 1n),
          );
        },
      ),
    );
  });
});

describe('a row of each kind', () => {
  const charge: ChargeGroup = {
    kind: 'usage',
    correction: false,
    period: new Date('2026-01-31T21:00:00Z'),
    vatRateBasisPoints: 2_200,
    netMicro: 100n,
    vatMicro: 22n,
    requests: 2n,
    description: null,
    use: {
      ...USE,
      tokens: { ...USE.tokens, input_uncached: 1_000n, output_text: 1_000n },
      prices: { ...USE.prices, input_uncached: 61_000n, output_text: 122_000n },
      feature: 'search',
    },
  };
  const told = (rows: readonly FocusCharge[]) =>
    rows.map(({ chargeCategory, chargeClass, chargeDescription, billedCostMicro }) => [
      chargeCategory,
      chargeClass,
      chargeDescription,
      billedCostMicro,
    ]);

  it('of usage: net by meter with the price without tax, and the tax', () => {
    const rows = chargesOf(charge, FRAME);
    const of = 'of live/model, Chat Completions, at';
    expect(told(rows)).toEqual([
      ['Usage', null, `Input Tokens ${of} 0.05 RUB per 1000000 Tokens without VAT`, 33n],
      ['Usage', null, `Output Tokens ${of} 0.10 RUB per 1000000 Tokens without VAT`, 67n],
      ['Tax', null, 'VAT 22 % on Chat Completions of live/model', 22n],
    ]);
    expect(rows[1]).toMatchObject({
      listUnitPriceMicro: 100_000n,
      contractedCostMicro: 100n,
      consumedQuantity: 1_000n,
      pricingQuantity: 0.001,
      skuId: 'live:live/model/output_text',
      tags: '{"feature":"search"}',
      billingPeriodStart: '2026-01-31T21:00:00Z',
      billingPeriodEnd: '2026-02-28T21:00:00Z',
      chargePeriodStart: '2026-01-31T21:00:00Z',
      chargePeriodEnd: '2026-02-01T21:00:00Z',
    });
  });

  it('of refunds, credits and adjustments', () => {
    const posting = { ...charge, use: null, requests: 1n, description: 'For the outage' };
    const untaxed = { ...posting, vatMicro: 0n, vatRateBasisPoints: null };
    const rows = [
      ...chargesOf({ ...posting, kind: 'unnamed_refund', netMicro: -100n, vatMicro: -22n }, FRAME),
      ...chargesOf({ ...untaxed, kind: 'credit', netMicro: -50n }, FRAME),
      ...chargesOf({ ...untaxed, kind: 'adjustment', netMicro: 7n, description: null }, FRAME),
    ];
    expect(told(rows)).toEqual([
      ['Adjustment', null, 'Refund: For the outage', -100n],
      ['Tax', null, 'Refund: VAT 22 % on Gateway Account', -22n],
      ['Credit', null, 'Credit: For the outage', -50n],
      ['Adjustment', null, 'Adjustment', 7n],
    ]);
  });

  it('ends with the window that cuts its period', () => {
    const at = { ...charge, period: new Date('2026-02-09T21:00:00Z') };
    const [row] = chargesOf(at, FRAME);
    expect([row?.chargePeriodStart, row?.chargePeriodEnd]).toEqual([
      '2026-02-09T21:00:00Z',
      '2026-02-10T10:30:00Z',
    ]);
  });
});

describe('the window of an export', () => {
  const now = new Date('2026-03-15T10:20:30.400Z');
  const open = { from: null, to: null, granularity: 'day' } as const;

  it('is the billing period up to the end of this second, unless it is stated', () => {
    expect(exportWindow(open, now)).toEqual({
      from: new Date('2026-02-28T21:00:00Z'),
      to: new Date('2026-03-15T10:20:31Z'),
      faults: [],
    });
    const to = new Date('2026-01-31T21:00:00Z');
    expect(exportWindow({ ...open, to }, now).from).toEqual(new Date('2025-12-31T21:00:00Z'));
  });

  it('names every fault of what is stated', () => {
    const from = new Date('2026-03-01T00:00:00.001Z');
    const to = new Date('2026-03-01T00:00:00.002Z');
    const codes = (given: Parameters<typeof exportWindow>[0]) =>
      exportWindow(given, now).faults.map(({ path, code }) => `${path} ${code}`);
    expect(codes({ ...open, from, to })).toEqual(['from invalid', 'to invalid']);
    expect(codes({ ...open, from: now, to: new Date('2026-03-01T00:00:00Z') })).toEqual([
      'from invalid',
      'from out_of_range',
    ]);
    const year = new Date('2025-03-01T00:00:00Z');
    expect(codes({ ...open, from: year })).toEqual(['from out_of_range']);
    const month = { from: new Date('2026-02-01T00:00:00Z'), to: new Date('2026-03-04T00:00:00Z') };
    expect(codes({ ...month, granularity: 'hour' })).toEqual([]);
    const longer = { ...month, to: new Date('2026-03-04T00:00:01Z') };
    expect(codes({ ...longer, granularity: 'hour' })).toEqual(['from out_of_range']);
    expect(codes({ ...longer, granularity: 'day' })).toEqual([]);
  });

  it('lies in billing periods that are months of Moscow, and charge periods in them', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2015-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
        fc.constantFrom('day' as const, 'hour' as const),
        (at, granularity) => {
          const begin = periodBegin(at, granularity);
          const month = billingPeriodOf(begin);
          expect(begin <= at && month.from <= begin && begin < month.to).toBe(true);
          expect(billingPeriodOf(new Date(month.to.getTime() - 1))).toEqual(month);
          expect(billingPeriodOf(month.to).from).toEqual(month.to);
          expect(month.from.toISOString().slice(11)).toBe('21:00:00.000Z');
        },
      ),
    );
  });
});
