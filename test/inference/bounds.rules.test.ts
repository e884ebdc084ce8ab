import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PriceRow, upperEstimate, usageCost } from '../../src/catalog/providers/price.js';
import { withinBounds } from '../../src/inference/bounds.rules.js';

const tokens = fc.oneof(
  fc.integer({ min: 0, max: 2_000 }),
  fc.constantFrom(0, 1e15, Number.MAX_SAFE_INTEGER),
);
const usage = fc.record({
  input_uncached: tokens,
  input_cached: tokens,
  cache_write: tokens,
  output_text: tokens,
  output_reasoning: tokens,
});
const bounds = fc.record({
  inputTokensMax: fc.integer({ min: 0, max: 5_000 }),
  outputTokensMax: fc.integer({ min: 0, max: 5_000 }),
});
const micro = fc.bigInt({ min: 0n, max: 10n ** 10n });
const price = fc
  .record({
    input_uncached: micro,
    input_cached: micro,
    cache_write: micro,
    output_text: micro,
    output_reasoning: micro,
  })
  .map(
    (microRubPerMillion): PriceRow => ({
      effectiveFrom: '2026-01-01',
      microRubPerMillion,
      sourceKind: 'operator',
      vatBasis: 'included',
    }),
  );

describe('usage within bounds', () => {
  it('never costs more than the hold that was computed from the same bounds', () => {
    fc.assert(
      fc.property(usage, bounds, price, (stated, given, row) => {
        const bounded = withinBounds(stated, given).usage;
        const cost = usageCost(bounded, row, 'half_even') ?? 0n;
        const hold = upperEstimate(given.inputTokensMax, given.outputTokensMax, row) ?? -1n;
        expect(cost).toBeLessThanOrEqual(hold);
      }),
    );
  });

  it('is what was stated where that fits, and else fills the bound exactly', () => {
    fc.assert(
      fc.property(usage, bounds, (stated, given) => {
        const { usage: cut, isBeyond } = withinBounds(stated, given);
        const input = cut.input_uncached + cut.input_cached + cut.cache_write;
        const output = cut.output_text + cut.output_reasoning;
        const fits = (parts: readonly number[], max: number) =>
          parts.reduce((sum, part) => sum + BigInt(part), 0n) <= BigInt(max);
        const inputParts = [stated.input_uncached, stated.input_cached, stated.cache_write];
        const inputFits = fits(inputParts, given.inputTokensMax);
        const outputParts = [stated.output_text, stated.output_reasoning];
        const outputFits = fits(outputParts, given.outputTokensMax);
        expect(isBeyond).toBe(!inputFits || !outputFits);
        if (!isBeyond) expect(cut).toBe(stated);
        if (!inputFits) expect(input).toBe(given.inputTokensMax);
        if (!outputFits) expect(output).toBe(given.outputTokensMax);
      }),
    );
  });
});
