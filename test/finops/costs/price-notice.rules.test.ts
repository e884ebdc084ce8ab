import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listPrice } from '../../../src/catalog/providers/price.js';
import { changesAfter, differenceOf } from '../../../src/finops/costs/price-notice.rules.js';

const row = (day: string, input: bigint, output = input) =>
  listPrice(day, { input, output }, 'operator');
const of = (...prices: ReturnType<typeof row>[]) => ({
  key: 'a:one',
  providerId: 'a',
  id: 'one',
  prices,
});
const NONE = {
  input_uncached: 0n,
  input_cached: 0n,
  cache_write: 0n,
  output_text: 0n,
  output_reasoning: 0n,
};

describe('price rows that begin later', () => {
  it('are those that change a price, each beside the row of the day before it', () => {
    const past = row('2026-01-01', 5n);
    const [same, dear, dearer] = [
      row('2026-12-01', 5n),
      row('2026-12-05', 7n),
      row('2026-12-09', 9n, 7n),
    ];
    const found = changesAfter('2026-11-26', of(past, same, dear, dearer));
    expect(found.map(({ row: later, before }) => [later, before])).toEqual([
      [dear, same],
      [dearer, dear],
    ]);
    expect(changesAfter('2026-12-05', of(past, same, dear, dearer))).toMatchObject([
      { row: dearer },
    ]);
  });

  it('are none on the first day of a deployment, and the last of several rows of a day', () => {
    expect(changesAfter('2026-11-26', of(row('2026-12-01', 5n)))).toEqual([]);
    const [first, last] = [row('2026-12-01', 50n), row('2026-12-01', 6n)];
    const found = changesAfter('2026-11-26', of(row('2026-01-01', 5n), first, last));
    expect(found).toMatchObject([{ row: last }]);
  });

  it('have another hash where either price is another one, and no other reason for it', () => {
    const hashes = (before: bigint, later: bigint, day = '2026-12-01') =>
      changesAfter('2026-11-26', of(row('2026-01-01', before), row(day, later))).map(
        ({ sha256 }) => sha256,
      );
    const all = [...hashes(5n, 6n), ...hashes(5n, 7n), ...hashes(4n, 6n)];
    expect(new Set(all).size).toBe(3);
    expect(hashes(5n, 6n, '2026-12-02')).toEqual(hashes(5n, 6n));
  });
});

describe('what a row would have made of recent usage', () => {
  it('is tokens by the difference of prices for each dimension that was used and changes', () => {
    const counts = fc.bigInt({ min: 0n, max: 10n ** 12n });
    const prices = fc.bigInt({ min: 0n, max: 10n ** 10n });
    fc.assert(
      fc.property(counts, counts, prices, prices, prices, (input, output, old, next, answer) => {
        const before = row('2026-01-01', old, answer);
        const later = row('2026-12-01', next, answer);
        const [change] = changesAfter('2026-11-26', of(before, later));
        if (!change) {
          expect(next).toBe(old);
          return;
        }
        const tokens = { ...NONE, input_uncached: input, output_text: output };
        const { dimensions, differenceMicro } = differenceOf(change, { requests: 1n, tokens });
        // Answers cost what they did, so they are in no figure.
        expect(dimensions.map(({ dimension }) => dimension)).toEqual(
          input > 0n ? ['input_uncached'] : [],
        );
        const exact = input * (next - old);
        const off = differenceMicro * 1_000_000n - exact;
        expect(off <= 500_000n && off >= -500_000n).toBe(true);
      }),
    );
  });
});
