import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  evenly,
  inTurn,
  isBetter,
  type Selectable,
} from '../../../src/inference/upstream/selection.rules.js';

const IDLE = { inFlight: 0, latencyMs: undefined };
const idle = () => IDLE;

function pool(
  selection: Selectable['selection'],
  weights: Readonly<Record<string, number>>,
  id = 'model',
): Selectable[] {
  return Object.entries(weights).map(([name, weight]) => ({
    id,
    key: `${name}:${id}`,
    jurisdiction: 'rf',
    selection,
    weight,
  }));
}

const keysOf = (chain: readonly Selectable[]) => chain.map(({ key }) => key);

/** How often each is first over many requests. */
function firsts(chain: readonly Selectable[], requests: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let index = 0; index < requests; index += 1) {
    const [first] = inTurn(chain, `019abc00-0000-7000-8000-${index}`, idle);
    counts[first?.key ?? ''] = (counts[first?.key ?? ''] ?? 0) + 1;
  }
  return counts;
}

const SELECTIONS = ['ordered', 'weighted', 'least_loaded'] as const;
const chains = fc
  .array(
    fc.record({
      id: fc.constantFrom('m', 'n'),
      jurisdiction: fc.constantFrom('rf', 'outside'),
      weight: fc.integer({ min: 0, max: 9 }),
    }),
    { maxLength: 8 },
  )
  .chain((rows) =>
    fc.constantFrom(...SELECTIONS).map((selection) => {
      const sorted = [...rows].sort((one, other) => (one.id < other.id ? -1 : 1));
      return sorted.map((row, index) => ({ ...row, selection, key: `p${index}:${row.id}` }));
    }),
  );

describe('the order in which deployments are asked', () => {
  it('is the very chain where there is nothing to pick', () => {
    const one = pool('weighted', { a: 1 });
    const ordered = pool('ordered', { a: 1, b: 5 });
    expect(inTurn(one, 'r', idle)).toBe(one);
    expect(inTurn(ordered, 'r', idle)).toBe(ordered);
  });

  it('has every deployment once, models in their order, and is the same for a request', () => {
    fc.assert(
      fc.property(chains, fc.string(), (chain, requestId) => {
        const turn = inTurn(chain, requestId, idle);
        expect([...keysOf(turn)].sort()).toEqual([...keysOf(chain)].sort());
        expect(turn.map(({ id }) => id)).toEqual(chain.map(({ id }) => id));
        expect(keysOf(inTurn([...chain], requestId, idle))).toEqual(keysOf(turn));
      }),
    );
  });

  it.each([
    ['of one model', ['one rf a', 'one rf b', 'one outside d', 'one outside e']],
    ['of two', ['one rf a', 'one rf b', 'two rf c', 'one outside d', 'one outside e']],
  ])('asks no fallback abroad before one in Russia, whatever their weights: %s', (_, fallbacks) => {
    const chosen = ['chosen outside first', 'chosen rf second'];
    const chain = [...chosen, ...fallbacks].map((row) => {
      const [id, jurisdiction, key] = row.split(' ');
      const weight = jurisdiction === 'rf' ? 1 : 1_000;
      return { id, jurisdiction, key, selection: 'weighted', weight } as Selectable;
    });
    const orders = new Set<string>();
    for (let index = 0; index < 9_000; index += 1) {
      orders.add(keysOf(inTurn(chain, `request-${index}`, idle)).join(' '));
    }
    const other = fallbacks.includes('two rf c') ? 'c ' : '';
    // Of the chosen model any deployment may be first, as its weights say.
    const expected = ['first second', 'second first'].flatMap((own) =>
      ['a b', 'b a'].flatMap((inside) =>
        ['d e', 'e d'].map((outside) => `${own} ${inside} ${other}${outside}`),
      ),
    );
    expect([...orders].filter((order) => !expected.includes(order))).toEqual([]);
    expect(new Set([...orders].map((order) => order.slice('first second '.length))).size).toBe(4);
  });

  it('comes to the weights over many requests', () => {
    const counts = firsts(pool('weighted', { a: 1, b: 2, c: 5, none: 0 }), 8_000);
    expect(Object.keys(counts).sort()).toEqual(['a:model', 'b:model', 'c:model']);
    for (const [key, share] of [
      ['a:model', 1_000],
      ['b:model', 2_000],
      ['c:model', 5_000],
    ] as const) {
      expect(Math.abs((counts[key] ?? 0) - share)).toBeLessThan(150);
    }
  });

  it('moves no request between two deployments when a third one goes', () => {
    const all = pool('weighted', { a: 1, b: 2, c: 3 });
    const rest = all.filter(({ key }) => key !== 'c:model');
    fc.assert(
      fc.property(fc.uuid(), (requestId) => {
        const [first] = inTurn(all, requestId, idle);
        if (first?.key !== 'c:model') expect(inTurn(rest, requestId, idle)[0]).toBe(first);
      }),
    );
  });

  it('asks weight 0 last, and where nothing else is there', () => {
    for (const selection of ['weighted', 'least_loaded'] as const) {
      const turn = inTurn(pool(selection, { none: 0, a: 1 }), 'r', (one) =>
        one.key === 'a:model' ? { inFlight: 99, latencyMs: 9 } : { inFlight: 0, latencyMs: 1 },
      );
      expect(keysOf(turn)).toEqual(['a:model', 'none:model']);
      expect(keysOf(inTurn(pool(selection, { none: 0 }), 'r', idle))).toEqual(['none:model']);
    }
  });

  it('puts a loaded deployment behind any other that is drawn with it', () => {
    const chain = pool('least_loaded', { a: 1, b: 1, c: 1, slow: 1 });
    const loads = (one: Selectable) => ({
      inFlight: 2,
      latencyMs: one.key === 'slow:model' ? 5_000 : 100,
    });
    fc.assert(
      fc.property(fc.uuid(), (requestId) => {
        expect(inTurn(chain, requestId, loads)[0]?.key).not.toBe('slow:model');
      }),
    );
  });
});

describe('the better of two', () => {
  it.each([
    ['fewer under way at the same pace', [1, 100], [2, 100], true],
    ['a faster one with the same under way', [1, 90], [1, 100], true],
    ['as good is not better', [1, 100], [1, 100], false],
    ['much faster, though busier', [3, 10], [0, 100], true],
    ['unknown pace: what is under way decides', [0, undefined], [1, 1], true],
    ['unknown pace of the other one', [1, 1], [0, undefined], false],
  ] as const)('%s', (_, one, other, expected) => {
    const load = ([inFlight, latencyMs]: readonly [number, number | undefined]) => ({
      inFlight,
      latencyMs,
    });
    expect(isBetter(load(one), load(other))).toBe(expected);
  });

  it('is never both', () => {
    const loads = fc.record({
      inFlight: fc.nat(1_000),
      latencyMs: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
    });
    fc.assert(
      fc.property(loads, loads, (one, other) => {
        expect(isBetter(one, other) && isBetter(other, one)).toBe(false);
      }),
    );
  });
});

describe('the number of two texts', () => {
  it('lies between 0 and 1, both excluded', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const at = evenly(one, other);
        expect(at > 0 && at < 1 && at === evenly(one, other)).toBe(true);
      }),
    );
  });
});
