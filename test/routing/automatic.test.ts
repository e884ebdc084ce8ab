import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Automatic, keptOf, standInsOf } from '../../src/routing/automatic.js';
import { type DecisionInputs, decideRoute } from '../../src/routing/decision/decide.rules.js';
import { anyQuestion, askedOf, modelOf, pricedAt } from './decision/situations.js';

/** What the router knows of a request that it has decided about. */
function decided(inputs: DecisionInputs): Automatic {
  const { situation, incumbent } = inputs;
  const stored = { sha256: '', isStored: true, stored: Promise.resolve() };
  const known = { situation, incumbent, ...stored };
  return { useCase: 'default', known, inputs, decision: decideRoute(inputs) };
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `model-${at}`);

describe('what a request keeps of its decision', () => {
  const prices = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 11, maxLength: 40 });

  it('is the chosen model, then the nine of the highest utility in order, and a count', () => {
    fc.assert(
      fc.property(prices, (rubles) => {
        const models = rubles.map((rub, at) => pricedAt(rub, modelOf(`model-${at}`)));
        const automatic = decided(askedOf(models));
        const { chosen, candidates } = automatic.decision;
        const others = candidates.filter((one) => one !== chosen);
        const sorted = others.sort((left, right) => right.utility - left.utility);
        const { shown, candidatesTotal } = keptOf(automatic).decision;
        expect(shown).toEqual([chosen, ...sorted.slice(0, 9)]);
        expect(candidatesTotal).toBe(models.length);
      }),
    );
  });

  it('is all of them, in their own order, where there are ten or fewer', () => {
    const models = names(10).map((name, at) => pricedAt(10 - at, modelOf(name)));
    const { decision } = keptOf(decided(askedOf(models)));
    expect(decision.shown.map(({ model }) => model.model)).toEqual(names(10));
  });
});

describe('who stands in for a chosen model that fails', () => {
  it('is the best of those that pass, wherever it stands', () => {
    const models = [3, 4, 1, 2, 5].map((rub) => pricedAt(rub, modelOf(`for-${rub}`)));
    const automatic = decided(askedOf(models));
    expect(automatic.decision.chosen?.model.model).toBe('for-1');
    expect(standInsOf(automatic).first).toBe('for-2');
  });

  it('is never the chosen one, and nobody who fails a gate that is no limit', () => {
    fc.assert(
      fc.property(anyQuestion, (inputs) => {
        const automatic = decided(inputs);
        const { chosen, candidates } = automatic.decision;
        const standIns = standInsOf(automatic);
        const allowed = candidates.filter(({ model }) => standIns.has(model.model));
        expect(allowed).not.toContain(chosen);
        for (const one of allowed) expect(one.deployment).toBeDefined();
        if (standIns.first !== undefined) expect(standIns.has(standIns.first)).toBe(true);
        else expect(allowed).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a pinned model', () => {
  it.each([
    ['by its terms', { terms: { mode: 'FIXED', pinnedModel: 'poor' } as const }],
    ['by the kill switch', { killSwitch: { state: 'PINNED', pinnedModel: 'poor' } as const }],
  ])('is routed to beyond the limits of quality, cost and latency: %s', (_, { ...own }) => {
    const models = [modelOf('poor', { qualityBasisPoints: 100 }), modelOf('good')];
    const limits = { qualityFloorBasisPoints: 9_000, costMicroMax: 0n, latencyMsMax: 1 };
    const terms = { ...limits, ...('terms' in own ? own.terms : {}) };
    const { verdict, chosen } = decideRoute(askedOf(models, { ...own, terms }));
    expect([verdict, chosen?.model.model]).toEqual(['ROUTED', 'poor']);
  });
});
