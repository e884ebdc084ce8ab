import { describe, expect, it } from 'vitest';
import { listPrice, NO_USAGE, usageWorth } from '../../../src/catalog/providers/price.js';
import type { RouteDeployment } from '../../../src/routing/decision/tables.js';
import { pricesOf, type Supposition } from '../../../src/routing/replay/what-if.rules.js';

const DAY = '2026-01-01';
/** An input at 100, from the cache at 10, an answer at 1,000. */
const ROW = listPrice(DAY, { input: 100n, inputCached: 10n, output: 1_000n }, 'operator');
const LATER = listPrice(
  '2026-12-01',
  { input: 200n, inputCached: 20n, output: 2_000n },
  'operator',
);
const USED = { ...NO_USAGE, input_uncached: 200, input_cached: 800, output_text: 10 };

const PAST = {
  ...{ answeredBy: 'a/one', deployment: 'a:a/one', usage: USED, isHit: false },
  prices: listPrice(DAY, { input: 7n }, 'operator').microRubPerMillion,
};

/** What the past request is worth with another model, whose decision has read these two prices. */
function worth(supposition: Supposition, read = { input: 100n, output: 1_000n }) {
  const deployment = {
    ...{ deployment: 'b:b/two', priceFrom: DAY },
    ...{ inputMicroPerMillion: read.input, outputMicroPerMillion: read.output },
  } as RouteDeployment;
  const prices = pricesOf(PAST, { model: 'b/two', deployments: [deployment] }, supposition);
  return prices && usageWorth(USED, { microRubPerMillion: prices });
}

describe('input from a cache in a what-if', () => {
  const listedOf = (key: string, day: string) =>
    key === 'b:b/two' && day === DAY ? ROW : undefined;

  it('costs what the row says that the decision has read, without a stated day too', () => {
    expect(worth({ listedOf })).toBe(200n * 100n + 800n * 10n + 10n * 1_000n);
  });

  it('costs what the row of a stated day says', () => {
    const stated = { listedOf, rowOf: () => LATER };
    expect(worth(stated)).toBe(200n * 200n + 800n * 20n + 10n * 2_000n);
  });

  it('is priced as input where the row is another one by now, and by a stated price', () => {
    const full = (input: bigint, output: bigint) => 1_000n * input + 10n * output;
    expect(worth({})).toBe(full(100n, 1_000n));
    expect(worth({ listedOf: () => LATER })).toBe(full(100n, 1_000n));
    const price = { inputMicroPerMillion: 5n, outputMicroPerMillion: 6n };
    expect(worth({ listedOf, prices: new Map([['b/two', price]]) })).toBe(full(5n, 6n));
  });
});
