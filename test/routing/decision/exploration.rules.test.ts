import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRoute } from '../../../src/routing/decision/decide.rules.js';
import type { Features, KillSwitch, Terms } from '../../../src/routing/decision/tables.js';
import {
  EXPLORATION_BARS,
  EXPLORATION_BASIS_POINTS_MAX,
  type ExplorationBar,
  KILL_SWITCH_STATES,
} from '../../../src/routing/decision/vocabulary.js';
import { anyQuestion, askedOf, modelOf, openQuestion, pricedAt } from './situations.js';

const EXPLORING = { mode: 'BALANCED', explorationBasisPoints: 1_000 } as const;
const WIDE = { ...EXPLORING, explorationLossBasisPointsMax: 10_000 };

/** Two near equals, of which the second one was accepted more often. */
const [present, promising] = [
  modelOf('present', { accepted: 5, rejected: 5 }),
  modelOf('promising', { accepted: 90, rejected: 10, qualityBasisPoints: 7_900 }),
];

function exploredOf(
  seeds: number,
  own: { terms?: Partial<Terms>; features?: Partial<Features>; killSwitch?: KillSwitch },
  models = [present, promising],
): string[] {
  const explored: string[] = [];
  for (let at = 0; at < seeds; at += 1) {
    const terms = { ...WIDE, ...own.terms };
    const decision = decideRoute(askedOf(models, { ...own, terms, seed: `request-${at}` }));
    if (decision.explored) explored.push(decision.chosen?.model.model ?? '');
  }
  return explored;
}

describe('exploration_bounded: exploration', () => {
  const SEEDS = 20_000;

  it('takes at most the published share of requests, over many of them', () => {
    const explored = exploredOf(SEEDS, {});
    // The seeds are fixed, so this is one number for ever: nearly a tenth, as the other one of the
    // two draws higher almost always.
    const share = explored.length / SEEDS;
    expect(share).toBeLessThan(0.105);
    expect(share).toBeGreaterThan(0.085);
    expect(new Set(explored)).toEqual(new Set(['promising']));
    const rare = exploredOf(SEEDS, { terms: { explorationBasisPoints: 100 } }).length / SEEDS;
    expect(rare).toBeLessThan(0.0125);
    expect(rare).toBeGreaterThan(0.007);
    expect(EXPLORATION_BASIS_POINTS_MAX).toBe(1_000);
  });

  it('follows what was accepted: the better one is tried more often', () => {
    const third = modelOf('unloved', { accepted: 10, rejected: 90, qualityBasisPoints: 7_900 });
    const explored = exploredOf(SEEDS, {}, [present, promising, third]);
    const times = (id: string) => explored.filter((one) => one === id).length;
    expect(times('promising')).toBeGreaterThan(20 * times('unloved'));
  });

  const forbidden: Record<
    ExplorationBar,
    readonly { terms?: Partial<Terms>; features?: Partial<Features>; killSwitch?: KillSwitch }[]
  > = {
    DATA_CLASS: [{ features: { dataClass: 'C3' } }, { features: { dataClass: 'C4' } }],
    TOOLS: [{ features: { needs: ['text', 'tools'] } }],
    MODE: [{ terms: { mode: 'FIXED', pinnedModel: 'present' } }, { terms: { mode: 'ASSURED' } }],
    COMPLEXITY: [
      {
        features: {
          textTokens: 20_000,
          turns: 9,
          outputTokensMax: 6_000,
          images: 1,
          needs: ['vision', 'json_schema'],
        },
      },
    ],
    KILL_SWITCH: KILL_SWITCH_STATES.codes
      .filter((state) => state !== 'ACTIVE')
      .map((state) => ({ killSwitch: { state, pinnedModel: 'present' } })),
    BUDGET: [{ features: { explores: false } }],
    NO_OUTCOMES: [],
    NOT_ASKED: [{ terms: { explorationBasisPoints: 0 } }],
  };

  it.each(EXPLORATION_BARS.codes)('never happens where %s forbids it', (bar) => {
    const cases = forbidden[bar].map((own) => ({ own, models: [present, promising] }));
    if (bar === 'NO_OUTCOMES') {
      const models = [present, promising].map((one) => ({ ...one, accepted: 0, rejected: 0 }));
      cases.push({ own: {}, models });
    }
    expect(cases.length).toBeGreaterThan(0);
    for (const { own, models } of cases) {
      expect(exploredOf(400, own, models)).toEqual([]);
      const terms = { ...WIDE, ...own.terms };
      expect(decideRoute(askedOf(models, { ...own, terms })).explorationBars).toContain(bar);
    }
    expect(exploredOf(400, {}).length).toBeGreaterThan(10);
  });

  it('never passes a bar, a gate or the loss that is allowed, whatever is asked', () => {
    let explored = 0;
    fc.assert(
      fc.property(fc.oneof(anyQuestion, openQuestion), (asked) => {
        const decision = decideRoute(asked);
        if (!decision.explored) return;
        explored += 1;
        expect(decision.explorationBars).toEqual([]);
        expect(decision.verdict).toBe('ROUTED');
        const utilities = decision.candidates
          .filter(({ rejection }) => rejection === undefined || isWeighed(rejection))
          .map(({ utility }) => utility);
        const loss = Math.max(...utilities) - (decision.chosen?.utility ?? -1);
        expect(loss).toBeLessThanOrEqual(asked.situation.terms.explorationLossBasisPointsMax);
      }),
      { numRuns: 5_000 },
    );
    expect(explored).toBeGreaterThan(3);
  });

  it('stays within the loss: a model that is worse by more is never tried', () => {
    const dear = pricedAt(150, promising);
    const cheap = pricedAt(100, present);
    const utilityOf = (id: string) =>
      decideRoute(askedOf([cheap, dear], { terms: WIDE })).candidates.find(
        ({ model }) => model.model === id,
      )?.utility ?? 0;
    const loss = utilityOf('present') - utilityOf('promising');
    expect(loss).toBeGreaterThan(0);
    const within = { terms: { explorationLossBasisPointsMax: loss } };
    const beyond = { terms: { explorationLossBasisPointsMax: loss - 1 } };
    expect(exploredOf(2_000, within, [cheap, dear]).length).toBeGreaterThan(100);
    expect(exploredOf(2_000, beyond, [cheap, dear])).toEqual([]);
  });

  it('comes from the seed alone: equal ones try the same, others do not all', () => {
    const equals = ['a', 'b', 'c'].map((id) => modelOf(id, { accepted: 5, rejected: 5 }));
    const once = exploredOf(2_000, {}, equals);
    expect(exploredOf(2_000, {}, structuredClone(equals))).toEqual(once);
    expect(new Set(once)).toEqual(new Set(['b', 'c']));
  });
});

function isWeighed(rejection: string): boolean {
  return rejection === 'lower_utility' || rejection === 'passed_over';
}
