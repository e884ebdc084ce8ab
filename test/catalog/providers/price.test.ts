import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  costTier,
  listPrice,
  NO_USAGE,
  type PriceRow,
  priceOn,
  type UsageVector,
  upperEstimate,
  usageCost,
} from '../../../src/catalog/providers/price.js';
import { USAGE_DIMENSIONS } from '../../../src/catalog/providers/vocabulary.js';

const PRICE: PriceRow = {
  effectiveFrom: '2026-01-01',
  microRubPerMillion: {
    input_uncached: 500_000_000n,
    input_cached: 125_000_000n,
    cache_write: 600_000_000n,
    output_text: 1_200_000_000n,
    output_reasoning: 900_000_000n,
  },
  sourceKind: 'primary',
  vatBasis: 'included',
};

const tokens = fc.nat({ max: 2_000_000 });
const vectors: fc.Arbitrary<UsageVector> = fc.record({
  input_uncached: tokens,
  input_cached: tokens,
  cache_write: tokens,
  output_text: tokens,
  output_reasoning: tokens,
});
const price = fc.bigInt({ min: 0n, max: 5_000_000_000n });
const rows: fc.Arbitrary<PriceRow> = fc
  .record({
    input_uncached: price,
    input_cached: price,
    cache_write: price,
    output_text: price,
    output_reasoning: price,
  })
  .map((microRubPerMillion) => ({ ...PRICE, microRubPerMillion }));

describe('usageCost', () => {
  it('prices a token of P RUB per million at exactly P micro-rubles', () => {
    const usage = { ...NO_USAGE, input_uncached: 3, input_cached: 8, output_text: 2 };
    expect(usageCost(usage, PRICE, 'half_even')).toBe(3n * 500n + 8n * 125n + 2n * 1_200n);
  });

  it('rounds once for the request and not once for each dimension', () => {
    const row = listPrice('2026-01-01', { input: 400_000n, output: 400_000n }, 'operator');
    const usage = { ...NO_USAGE, input_uncached: 1, output_text: 1 };
    expect(usageCost(usage, row, 'ceil')).toBe(1n);
    expect(usageCost(usage, row, 'floor')).toBe(0n);
  });

  it('refuses tokens of a dimension without a price and never takes them as free', () => {
    const { output_reasoning: _, ...rest } = PRICE.microRubPerMillion;
    const row = { ...PRICE, microRubPerMillion: rest };
    expect(usageCost({ ...NO_USAGE, output_reasoning: 1 }, row, 'half_even')).toBeUndefined();
    expect(usageCost({ ...NO_USAGE, output_text: 1 }, row, 'half_even')).toBe(1_200n);
  });

  it('adds up: the cost of two usages together is that of their sum, to the rounding', () => {
    fc.assert(
      fc.property(vectors, vectors, rows, (one, other, row) => {
        const sum = { ...NO_USAGE };
        for (const name of USAGE_DIMENSIONS.codes) sum[name] = one[name] + other[name];
        const whole = usageCost(sum, row, 'floor') ?? -1n;
        const parts = (usageCost(one, row, 'floor') ?? 0n) + (usageCost(other, row, 'floor') ?? 0n);
        expect(whole - parts === 0n || whole - parts === 1n).toBe(true);
      }),
    );
  });
});

describe('upperEstimate', () => {
  it('is never below the cost, however the tokens split over the dimensions', () => {
    fc.assert(
      fc.property(vectors, rows, (usage, row) => {
        const input = usage.input_uncached + usage.input_cached + usage.cache_write;
        const output = usage.output_text + usage.output_reasoning;
        const cost = usageCost(usage, row, 'half_even') ?? -1n;
        expect(upperEstimate(input, output, row) ?? -1n).toBeGreaterThanOrEqual(cost);
      }),
    );
  });

  it('refuses a row without an output price only where output is possible', () => {
    const row = listPrice('2026-01-01', { input: 14_000_000n }, 'secondary');
    expect(upperEstimate(10, 0, row)).toBe(140n);
    expect(upperEstimate(10, 1, row)).toBeUndefined();
  });
});

describe('priceOn', () => {
  const history = ['2025-01-01', '2026-01-01', '2026-09-28'].map((effectiveFrom, index) => ({
    ...listPrice(effectiveFrom, { input: BigInt(index + 1), output: 1n }, 'primary'),
  }));

  it('takes the latest row that has begun on the day', () => {
    expect(priceOn(history, '2024-12-31')).toBeUndefined();
    expect(priceOn(history, '2025-01-01')).toBe(history[0]);
    expect(priceOn(history, '2026-09-27')).toBe(history[1]);
    expect(priceOn(history, '2030-01-01')).toBe(history[2]);
  });

  it('names the tier by the price of the output', () => {
    expect(
      costTier(listPrice('2026-01-01', { input: 15_860_000n, output: 61_000_000n }, 'secondary')),
    ).toBe('low');
    expect(
      costTier(listPrice('2026-01-01', { input: 10_000n, output: 500_000_000n }, 'primary')),
    ).toBe('medium');
    expect(costTier(PRICE)).toBe('high');
  });
});
