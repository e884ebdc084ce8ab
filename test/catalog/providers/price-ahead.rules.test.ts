import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Deployment } from '../../../src/catalog/providers/model.js';
import { listPrice, NO_USAGE, type PriceRow } from '../../../src/catalog/providers/price.js';
import {
  type DeploymentUsage,
  recordedParts,
  worthOf,
} from '../../../src/catalog/providers/price-ahead.js';
import { type PricedPart, priceAhead } from '../../../src/catalog/providers/price-ahead.rules.js';
import { allocate } from '../../../src/kernel/money.js';

/** Six hours before midnight in Moscow. */
const FROM = new Date('2026-11-25T15:00:00Z');
const TODAY = '2026-11-25';
const TOMORROW = '2026-11-26';
const HOUR_MS = 3_600_000;

const span = (hours: number) => ({ from: FROM, until: new Date(FROM.getTime() + hours * HOUR_MS) });
const row = (day: string, input: bigint, output = input) =>
  listPrice(day, { input, output }, 'operator');

const USED = { ...NO_USAGE, input_uncached: 1_000, output_text: 500 };

/** A part whose usage costs `weight` at its first row. */
function part(rows: readonly PriceRow[], weight: bigint, deployment = 'a:one'): PricedPart {
  return { deployment, rows, weight, ...worthOf(USED, { times: 1n, by: 1n }) };
}

const amounts = fc.bigInt({ min: 0n, max: 10n ** 15n });
const prices = fc.bigInt({ min: 1n, max: 10n ** 10n });
const hours = fc.integer({ min: 1, max: 2_000 });

describe('prices of days to come', () => {
  it('change nothing where no row begins within the span, and name the row of each part', () => {
    fc.assert(
      fc.property(amounts, prices, hours, (amount, price, length) => {
        const rows = [row('2026-01-01', price * 3n), row(TODAY, price), row('2027-12-01', 1n)];
        const ahead = priceAhead(amount, [part(rows, 1n), part([], 5n, 'gone:two')], span(length));
        expect(ahead.changeMicro).toBe(0n);
        expect(ahead.rows).toEqual([
          {
            deployment: 'a:one',
            effectiveFrom: TODAY,
            fromDay: TODAY,
            untilDay: expect.stringMatching(/^202\d-\d\d-\d\d$/),
            changeMicro: 0n,
            repricedMicro: 0n,
            unpriced: [],
          },
        ]);
      }),
    );
  });

  it('double the part from tomorrow on exactly where tomorrow doubles the price', () => {
    fc.assert(
      fc.property(amounts, prices, fc.integer({ min: 7, max: 2_000 }), (amount, price, length) => {
        const rows = [row('2026-01-01', price), row(TOMORROW, price * 2n)];
        const [today = 0n, later = 0n] = allocate(amount, [6n, BigInt(length - 6)]);
        const ahead = priceAhead(amount, [part(rows, 1n)], span(length));
        expect(amount + (ahead.changeMicro ?? 0n)).toBe(today + 2n * later);
        expect(ahead.rows).toMatchObject([
          { effectiveFrom: '2026-01-01', fromDay: TODAY, untilDay: TODAY, changeMicro: 0n },
          { effectiveFrom: TOMORROW, fromDay: TOMORROW, changeMicro: later },
        ]);
      }),
    );
  });

  it('add up exactly, above the exact figure by less than a micro-ruble for each row', () => {
    const days = fc.uniqueArray(fc.integer({ min: 1, max: 28 }), { maxLength: 5 });
    const part2 = fc.record({ days, weight: fc.bigInt({ min: 1n, max: 10n ** 9n }) });
    const parts = fc.array(part2, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(amounts, parts, fc.infiniteStream(prices), (amount, asked, stream) => {
        const next = () => stream.next().value as bigint;
        const made = asked.map(({ days: begins, weight }) => {
          const dated = [...begins].sort((one, other) => one - other);
          const later = dated.map((day) => row(`2026-12-${String(day).padStart(2, '0')}`, next()));
          return part([row('2026-01-01', next()), ...later], weight);
        });
        const ahead = priceAhead(amount, made, span(30 * 24));
        const sum = ahead.rows.reduce((all, { changeMicro }) => all + (changeMicro ?? 0n), 0n);
        expect(ahead.changeMicro).toBe(sum);
        const exact = exactFigure(amount, made, 30 * 24);
        const figure = amount + (ahead.changeMicro ?? 0n);
        expect(figure >= exact.floor).toBe(true);
        expect(figure <= exact.floor + 1n + BigInt(ahead.rows.length)).toBe(true);
      }),
    );
  });

  it('price what is free today by the row that ends this, for its time', () => {
    const rows = [row('2026-01-01', 0n), row(TOMORROW, 2_000_000n)];
    const ahead = priceAhead(0n, [part(rows, 0n)], span(12));
    // 1,500 tokens at 2 micro-rubles each, for half of the span.
    expect(ahead.changeMicro).toBe(1_500n);
  });

  it('take the last of several rows of one day', () => {
    const rows = [row('2026-01-01', 5n), row(TOMORROW, 500n), row(TOMORROW, 10n)];
    const ahead = priceAhead(1_200n, [part(rows, 1n)], span(12));
    expect(ahead.changeMicro).toBe(600n);
  });
});

/** A million tokens that were recorded at a cost, and the rows of their deployment. */
function recorded(
  rows: readonly PriceRow[],
  costMicro: bigint,
  more: {
    readonly vat?: number;
    readonly tokens?: Partial<DeploymentUsage>;
    readonly times?: bigint;
  } = {},
) {
  const used = {
    deployment: 'a:one',
    requests: 1_000n,
    costMicro,
    amountMicro: costMicro,
    inputUncached: 1_000_000n * 10_000n,
    inputCached: 0n,
    cacheWrite: 0n,
    outputText: 0n,
    outputReasoning: 0n,
    ...more.tokens,
  };
  const deployments = new Map([['a:one', { prices: rows } as Deployment]]);
  return recordedParts([used], deployments, { times: more.times ?? 1n, by: 1n }, more.vat);
}

describe('usage that was recorded at other prices', () => {
  it('is priced by the rows of the days to come, whatever the rows were since', () => {
    const rows = [row('2026-01-01', 100n), row('2026-11-24', 200n), row('2026-12-06', 100n)];
    const from = new Date('2026-11-25T21:00:00Z');
    const until = new Date(from.getTime() + 30 * 24 * HOUR_MS);
    const scaled = rows.map((each) => ({
      ...each,
      microRubPerMillion: { input_uncached: (each.microRubPerMillion.input_uncached ?? 0n) * 30n },
    }));
    const parts = recorded(scaled, 3_000n, { tokens: { requests: 1n } });
    const { changeMicro, rows: told } = priceAhead(3_000n, parts, { from, until });
    expect(changeMicro).toBe(1_000n);
    expect(told).toMatchObject([
      { effectiveFrom: '2026-11-24', changeMicro: 1_000n, repricedMicro: 1_000n },
      { effectiveFrom: '2026-12-06', changeMicro: 0n, repricedMicro: 2_000n },
    ]);
  });

  it('costs what its tokens cost at the row in force, of any recorded price', () => {
    const price = fc.bigInt({ min: 10_000n, max: 10n ** 10n });
    fc.assert(
      fc.property(price, price, (before, now) => {
        const rows = [row('2026-01-01', before), row('2026-11-20', now)];
        const { changeMicro } = priceAhead(before, recorded(rows, before), span(24));
        const off = before + (changeMicro ?? 0n) - now;
        // A thousand requests, each rounded to a micro-ruble.
        expect(off >= -1_000n && off <= 1_000n).toBe(true);
      }),
    );
  });

  it('has no change without tokens, or within the rounding of its requests', () => {
    const rows = [row('2026-01-01', 5_000n)];
    const none = recorded(rows, 9_000n, { tokens: { inputUncached: 0n } });
    expect(priceAhead(9_000n, none, span(24))).toEqual({ changeMicro: 0n, rows: [] });
    expect(priceAhead(5_400n, recorded(rows, 5_400n), span(24)).changeMicro).toBe(0n);
  });

  it.each(['included', 'unknown'] as const)(
    'replaces the recorded amount where it was free, net of VAT where the amount is: %s',
    (basis) => {
      const later = listPrice(TOMORROW, { input: 1_220_000n, output: 1n }, 'operator', basis);
      const rows = [row('2026-01-01', 0n), later];
      const free = (vat?: number) =>
        recorded(rows, 0n, { ...(vat !== undefined && { vat }), tokens: { amountMicro: 40n } });
      // Half of the span, and half of the amount, are before midnight.
      expect(priceAhead(40n, free(), span(12)).changeMicro).toBe(610_000n - 20n);
      expect(priceAhead(40n, free(2_200), span(12)).changeMicro).toBe(500_000n - 20n);
    },
  );

  it('of a part of a month is that of a month, whether it was free or not', () => {
    const rows = (price: bigint) => [row('2026-01-01', price), row(TOMORROW, 1_220_000n)];
    const tokens = { amountMicro: 40n };
    const free = recorded(rows(0n), 0n, { times: 3n, tokens });
    expect(priceAhead(120n, free, span(12)).changeMicro).toBe(3n * 610_000n - 60n);
    const paid = recorded(rows(610_000n), 610_000n, { times: 3n, tokens });
    expect(priceAhead(3n * 610_000n, paid, span(12)).changeMicro).toBe(3n * 305_000n);
  });

  it('has no certain change where a row has no price for what is used', () => {
    const bare = listPrice(TOMORROW, { input: 5n }, 'operator');
    const parts = recorded([row('2026-01-01', 5_000n), bare], 5_000n, {
      tokens: { outputText: 1n },
    });
    const ahead = priceAhead(5_000n, parts, span(12));
    expect(ahead.changeMicro).toBeNull();
    expect(ahead.rows).toMatchObject([
      { changeMicro: 0n, unpriced: [] },
      { changeMicro: null, unpriced: ['output_text'] },
    ]);
  });
});

/** The figure as whole micro-rubles below it, computed by hours and in fractions. */
function exactFigure(amount: bigint, parts: readonly PricedPart[], length: number) {
  const weights = parts.map(({ weight }) => weight);
  const shares = allocate(amount, weights);
  let floor = 0n;
  for (const [index, { rows, worthAt }] of parts.entries()) {
    const first = rows.findLast(({ effectiveFrom }) => effectiveFrom <= TODAY);
    const before = first && worthAt(first);
    if (!before) throw new Error('the first row has a price');
    const runs = new Map<string, { hours: bigint; worth: bigint }>();
    for (let hour = 0; hour < length; hour += 1) {
      const day = new Date(FROM.getTime() + (hour + 3) * HOUR_MS).toISOString().slice(0, 10);
      const now = rows.findLast(({ effectiveFrom }) => effectiveFrom <= day);
      const run = runs.get(now?.effectiveFrom ?? '') ?? {
        hours: 0n,
        worth: (now && worthAt(now)) ?? 0n,
      };
      runs.set(now?.effectiveFrom ?? '', { ...run, hours: run.hours + 1n });
    }
    const all = [...runs.values()];
    const split = allocate(
      shares[index] ?? 0n,
      all.map((run) => run.hours),
    );
    for (const [at, { worth }] of all.entries()) floor += ((split[at] ?? 0n) * worth) / before;
  }
  return { floor };
}
