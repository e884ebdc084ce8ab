import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Context,
  compile,
  lackingRoom,
  roomOf,
  worthOf,
} from '../../../src/routing/workloads/compile.rules.js';
import { COMPONENTS, PRIORITIES } from '../../../src/routing/workloads/vocabulary.js';

type Item = Context['items'][number];

const anItem = fc.record({
  component: fc.constantFrom(...COMPONENTS.codes),
  tokens: fc.integer({ min: 0, max: 40 }),
  priority: fc.constantFrom(...PRIORITIES.codes),
  value: fc.option(fc.integer({ min: 1, max: 10 })),
});
const aContext: fc.Arbitrary<Context> = fc.record({
  windowTokens: fc.integer({ min: 1, max: 160 }),
  outputTokens: fc.integer({ min: 0, max: 20 }),
  safetyTokens: fc.integer({ min: 0, max: 10 }),
  budgets: fc.uniqueArray(
    fc.record({
      component: fc.constantFrom(...COMPONENTS.codes),
      tokensMax: fc.integer({ min: 0, max: 80 }),
    }),
    { selector: ({ component }) => component, maxLength: 3 },
  ),
  items: fc
    .array(anItem, { maxLength: 10 })
    .map((items) => items.map((item, at) => ({ ...item, itemId: `i${at}` }))),
});

function fits(context: Context, items: readonly Item[]): boolean {
  const tokens = (some: readonly Item[]) => some.reduce((sum, item) => sum + item.tokens, 0);
  const ofComponent = (wanted: string) => items.filter(({ component }) => component === wanted);
  return (
    tokens(items) <= roomOf(context) &&
    context.budgets.every((each) => tokens(ofComponent(each.component)) <= each.tokensMax)
  );
}

/** The most that any choice with every MUST item is worth; undefined where none fits. */
function bruteForce(context: Context): number | undefined {
  const must = context.items.filter(({ priority }) => priority === 'MUST');
  const others = context.items.filter(({ priority }) => priority !== 'MUST');
  let best: number | undefined;
  for (let choice = 0; choice < 2 ** others.length; choice += 1) {
    const kept = [...must, ...others.filter((_item, at) => (choice >> at) % 2 === 1)];
    const worth = kept.reduce((sum, item) => sum + worthOf(item), 0);
    if (fits(context, kept) && worth > (best ?? -1)) best = worth;
  }
  return best;
}

describe('a compiled context', () => {
  it('window_is_never_exceeded, must_is_never_dropped, and no other choice is worth more', () => {
    fc.assert(
      fc.property(aContext, (context) => {
        const optimum = bruteForce(context);
        expect(lackingRoom(context).length === 0).toBe(optimum !== undefined);
        if (optimum === undefined) return;
        const { kept, cut, value, usedTokens } = compile(context);
        const items = context.items.filter(({ itemId }) => kept.includes(itemId));
        expect(fits(context, items)).toBe(true);
        expect(value).toBe(optimum);
        expect(items.reduce((sum, item) => sum + item.tokens, 0)).toBe(usedTokens);
        const cutIds = cut.map(({ itemId }) => itemId);
        expect([...kept, ...cutIds].sort()).toEqual(context.items.map((i) => i.itemId).sort());
        const lost = context.items.filter(({ itemId }) => cutIds.includes(itemId));
        expect(lost.filter(({ priority }) => priority === 'MUST')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('says of each piece why it was cut', () => {
    const item = (itemId: string, tokens: number, value: number | null = null): Item => ({
      itemId,
      component: itemId === 'budget' ? 'HISTORY' : 'RETRIEVAL',
      tokens,
      priority: 'COULD',
      value,
    });
    const { cut } = compile({
      windowTokens: 100,
      outputTokens: 20,
      safetyTokens: 0,
      budgets: [{ component: 'HISTORY', tokensMax: 10 }],
      items: [item('window', 81), item('budget', 11), item('worth less', 50), item('best', 60, 9)],
    });
    expect(cut.map(({ itemId, reason }) => [itemId, reason])).toEqual([
      ['window', 'WINDOW'],
      ['budget', 'COMPONENT_BUDGET'],
      ['worth less', 'WORTH_LESS'],
    ]);
  });

  it('of two hundred pieces is found exactly', () => {
    const items = Array.from({ length: 200 }, (_none, at) => ({
      itemId: String(at),
      component: COMPONENTS.codes[at % COMPONENTS.codes.length] ?? ('USER' as const),
      tokens: 1 + ((at * 7919) % 997),
      priority: 'SHOULD' as const,
      value: 1 + (at % 10),
    }));
    const shape = { outputTokens: 0, safetyTokens: 0, budgets: [] };
    const { value, usedTokens } = compile({ windowTokens: 30_000, ...shape, items });
    // A bound from above: as if the last piece could be cut through.
    const dense = items.toSorted((a, b) => b.value / b.tokens - a.value / a.tokens);
    let [left, bound] = [30_000, 0];
    for (const item of dense) {
      bound += item.value * Math.min(1, left / item.tokens);
      left -= Math.min(left, item.tokens);
    }
    expect(usedTokens).toBeLessThanOrEqual(30_000);
    expect(value).toBeLessThanOrEqual(bound);
    expect(value).toBeGreaterThan(bound - 1);
  });
});
