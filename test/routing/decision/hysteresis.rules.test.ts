import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRoute } from '../../../src/routing/decision/decide.rules.js';
import { explainRoute } from '../../../src/routing/decision/explain.rules.js';
import { anyQuestion, askedOf, modelOf, openQuestion, pricedAt } from './situations.js';

const DEMANDED = 400;
const TERMS = { mode: 'QUALITY_FIRST', hysteresisBasisPoints: DEMANDED } as const;

/** Two models of these qualities; the first one is present. */
function between(present: number, other: number, incumbent = 'present') {
  const models = [
    modelOf('present', { qualityBasisPoints: present }),
    modelOf('other', { qualityBasisPoints: other }),
  ];
  return explainRoute(askedOf(models, { terms: TERMS, incumbent }));
}

describe('hysteresis', () => {
  it('stays below the demanded difference and switches at it', () => {
    const stays = between(8_000, 8_399);
    expect([stays.model, stays.keptIncumbent]).toEqual(['present', true]);
    expect(stays.candidates[1]).toMatchObject({
      rejection: 'passed_over',
      reason: 'its utility is 83.99 %, yet present stays',
    });
    const goes = between(8_000, 8_400);
    expect([goes.model, goes.keptIncumbent]).toEqual(['other', false]);
    expect(goes.candidates[0]).toMatchObject({
      rejection: 'lower_utility',
      reason: 'its utility is 80 %, that of other is 84 %',
    });
    expect(between(8_000, 7_000).keptIncumbent).toBe(false);
  });

  it('does not flap on noise below it, and switches once where one gets better', () => {
    const noise = fc.integer({ min: -(DEMANDED / 2 - 1), max: DEMANDED / 2 - 1 });
    const readings = fc.array(fc.tuple(noise, noise), { minLength: 20, maxLength: 60 });
    fc.assert(
      fc.property(readings, (steps) => {
        let incumbent = between(8_000, 8_000).model ?? '';
        const first = incumbent;
        for (const [one, two] of steps) {
          incumbent = between(8_000 + one, 8_000 + two, incumbent).model ?? '';
          expect(incumbent).toBe(first);
        }
        for (const [one] of steps) {
          incumbent = between(8_000 + one, 9_000 + one, incumbent).model ?? '';
          expect(incumbent).toBe('other');
        }
      }),
      { numRuns: 50 },
    );
  });

  it('without it the same noise flaps, so that the property above says something', () => {
    const readings = [8_010, 7_990, 8_020, 7_980];
    const without = readings.map((quality) => {
      const models = [modelOf('present'), modelOf('other', { qualityBasisPoints: quality })];
      const terms = { ...TERMS, hysteresisBasisPoints: 0 };
      return explainRoute(askedOf(models, { terms, incumbent: 'present' })).model;
    });
    expect(without).toEqual(['other', 'present', 'other', 'present']);
  });

  it('keeps nobody who passes no longer, and nobody that is worse by what is demanded', () => {
    let kept = 0;
    fc.assert(
      fc.property(fc.oneof(anyQuestion, openQuestion), (asked) => {
        const { keptIncumbent, chosen, candidates, verdict } = decideRoute(asked);
        if (!keptIncumbent || !chosen) return;
        kept += 1;
        const { terms, killSwitch } = asked.situation;
        expect([verdict, chosen.model.model]).toEqual(['ROUTED', asked.incumbent]);
        const best = Math.max(
          ...candidates
            .filter(({ rejection }) => rejection !== 'margin_below_floor')
            .map(({ utility }) => utility),
        );
        if (killSwitch.state !== 'FROZEN') {
          expect(best - chosen.utility).toBeLessThan(terms.hysteresisBasisPoints);
        }
      }),
      { numRuns: 3_000 },
    );
    expect(kept).toBeGreaterThan(5);
  });
});

describe('the kill switch', () => {
  const cheap = pricedAt(100, modelOf('cheap', { accepted: 90, rejected: 10 }));
  const dear = pricedAt(120, modelOf('dear', { accepted: 95, rejected: 5 }));
  const terms = {
    mode: 'COST_CONTROLLED',
    explorationBasisPoints: 1_000,
    explorationLossBasisPointsMax: 5_000,
  } as const;
  const SEEDS = Array.from({ length: 300 }, (_, at) => `request-${at}`);
  const answersOf = (state: Parameters<typeof askedOf>[1] & object) =>
    new Set(
      SEEDS.map((seed) => explainRoute(askedOf([cheap, dear], { terms, ...state, seed })).model),
    );

  it('ACTIVE: works by its terms, and explores', () => {
    expect(answersOf({})).toEqual(new Set(['cheap', 'dear']));
  });

  it('EXPLORATION_OFF: works by its terms, and explores nothing', () => {
    const killSwitch = { state: 'EXPLORATION_OFF', pinnedModel: null } as const;
    expect(answersOf({ killSwitch })).toEqual(new Set(['cheap']));
  });

  it('PINNED: one model answers beyond every limit, and none where it fails a gate', () => {
    const killSwitch = { state: 'PINNED', pinnedModel: 'dear' } as const;
    const strict = { ...terms, costMicroMax: 1n, qualityFloorBasisPoints: 10_000 };
    expect(answersOf({ killSwitch, terms: strict })).toEqual(new Set(['dear']));
    const elsewhere = { ...strict, modelsAllowed: ['cheap'] };
    expect(answersOf({ killSwitch, terms: elsewhere })).toEqual(new Set([null]));
    const nobody = { state: 'PINNED', pinnedModel: null } as const;
    expect(answersOf({ killSwitch: nobody })).toEqual(new Set([null]));
  });

  it('PINNED holds over the pin of the mode FIXED', () => {
    const killSwitch = { state: 'PINNED', pinnedModel: 'dear' } as const;
    const fixed = { mode: 'FIXED', pinnedModel: 'cheap' } as const;
    expect(answersOf({ killSwitch, terms: fixed })).toEqual(new Set(['dear']));
    expect(answersOf({ terms: fixed })).toEqual(new Set(['cheap']));
  });

  it('FROZEN: the present model stays whatever is cheaper, as long as it passes', () => {
    const killSwitch = { state: 'FROZEN', pinnedModel: null } as const;
    expect(answersOf({ killSwitch, incumbent: 'dear' })).toEqual(new Set(['dear']));
    expect(answersOf({ killSwitch })).toEqual(new Set(['cheap']));
    const limited = { ...terms, costMicroMax: 110_000n };
    expect(answersOf({ killSwitch, incumbent: 'dear', terms: limited })).toEqual(
      new Set(['cheap']),
    );
    const none = { ...terms, costMicroMax: 1n };
    expect(answersOf({ killSwitch, incumbent: 'dear', terms: none })).toEqual(new Set(['dear']));
  });

  it('ROLLED_BACK: works by the terms that it is given, and explores nothing', () => {
    const killSwitch = { state: 'ROLLED_BACK', pinnedModel: null } as const;
    expect(answersOf({ killSwitch })).toEqual(new Set(['cheap']));
  });
});
