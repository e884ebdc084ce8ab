import { describe, expect, it } from 'vitest';
import {
  type CountedOutcomes,
  portfolioOf,
} from '../../../src/routing/adaptive/portfolio.rules.js';

function counted(own: Partial<CountedOutcomes>): CountedOutcomes {
  return {
    value: 'accepted',
    entries: 1,
    isEvidence: true,
    isRecorded: true,
    costMicro: 0n,
    costs: 0,
    latencyMs: 0n,
    latencies: 0,
    ...own,
  };
}

describe('the acceptance of a window', () => {
  it('has the Wilson interval of its outcomes, and nothing that is no evidence', () => {
    const totals = [
      counted({ entries: 80, explored: false }),
      counted({ value: 'corrected', entries: 5, explored: false }),
      counted({ value: 'rejected', entries: 15, explored: true }),
      counted({ entries: 900, isEvidence: false }),
    ];
    expect(portfolioOf({ totals, ofModels: [] })).toMatchObject({
      verdict: 'certified',
      outcomes: 100,
      accepted: 80,
      corrected: 5,
      rejected: 15,
      acceptanceBasisPoints: 8_000,
      // Wilson 1927 for 80 of 100: 0.7112 to 0.8666, rounded outwards.
      acceptanceLowBasisPoints: 7_111,
      acceptanceHighBasisPoints: 8_667,
      explored: { outcomes: 15, accepted: 0, acceptanceLowBasisPoints: 0 },
      notExplored: { outcomes: 85, accepted: 80 },
      aside: { outcomes: 900 },
    });
    const aside = portfolioOf({ totals: [counted({ isEvidence: false })], ofModels: [] });
    expect([aside.verdict, aside.outcomes, aside.acceptanceBasisPoints]).toEqual([
      'cannot_certify',
      0,
      null,
    ]);
  });

  it('rounds means half up, and keeps stated figures out of recorded ones', () => {
    const totals = [
      counted({ costMicro: 3n, costs: 2, latencyMs: 5n, latencies: 2 }),
      counted({ isRecorded: false, costMicro: 100n, costs: 3, latencyMs: 7n, latencies: 1 }),
    ];
    expect(portfolioOf({ totals, ofModels: [] })).toMatchObject({
      meanCostMicro: 2n,
      meanLatencyMs: 3,
      declaredMeanCostMicro: 33n,
      declaredMeanLatencyMs: 7,
    });
    const unknown = portfolioOf({ totals: [counted({})], ofModels: [] });
    expect([unknown.meanCostMicro, unknown.declaredMeanLatencyMs]).toEqual([null, null]);
  });

  it('puts the use case and the model with most outcomes first', () => {
    const of = (useCase: string, model: string, entries: number, more = {}) =>
      counted({ useCase, model, entries, ...more });
    const ofModels = [
      of('few', 'a', 2),
      of('many', 'a', 1),
      of('many', 'b', 3),
      of('many', 'b', 4, { value: 'rejected' }),
      of('many', 'c', 50, { isEvidence: false }),
    ];
    const shown = portfolioOf({ totals: [], ofModels }).useCases.map((each) => [
      each.useCase,
      each.outcomes,
      each.models.map(({ model, outcomes, accepted }) => [model, outcomes, accepted]),
    ]);
    expect(shown).toEqual([
      [
        'many',
        8,
        [
          ['b', 7, 3],
          ['a', 1, 1],
        ],
      ],
      ['few', 2, [['a', 2, 2]]],
    ]);
  });
});
