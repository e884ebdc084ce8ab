import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Field, Fields } from '../../../src/kernel/fields/field.js';
import { type DecisionInputs, decideRoute } from '../../../src/routing/decision/decide.rules.js';
import { explainRoute } from '../../../src/routing/decision/explain.rules.js';
import {
  FEATURE_FIELDS,
  type Features,
  SITUATION_FIELDS,
  type Situation,
} from '../../../src/routing/decision/tables.js';
import { anyQuestion, askedOf, modelOf, openQuestion, pricedAt } from './situations.js';

const RUNS = { numRuns: 1_000 };

const someMargin = fc.record({
  revenueMicro: fc.option(fc.bigInt({ min: 0n, max: 10_000_000n }), { freq: 10 }),
  marginBasisPointsMin: fc.option(fc.integer({ min: 0, max: 10_000 }), { freq: 10 }),
});

function under(asked: DecisionInputs, terms: Partial<Situation['terms']>): DecisionInputs {
  const { situation } = asked;
  return { ...asked, situation: { ...situation, terms: { ...situation.terms, ...terms } } };
}

const WITHOUT = { revenueMicro: null, marginBasisPointsMin: null };

describe('no_commercial_influence', () => {
  it('margins and revenue move no utility and no rank by quality', () => {
    fc.assert(
      fc.property(fc.oneof(anyQuestion, openQuestion), someMargin, (asked, margin) => {
        const weighed = (terms: Partial<Situation['terms']>) =>
          explainRoute(under(asked, terms)).candidates.map((one) => [
            one.model,
            one.utilityBasisPoints,
            one.qualityRank,
            one.qualityBasisPoints,
            one.expectedCostMicro,
          ]);
        expect(weighed(margin)).toEqual(weighed(WITHOUT));
      }),
      RUNS,
    );
  });

  it('the margin firewall only takes out: who is left keeps the order of the utilities', () => {
    let taken = 0;
    fc.assert(
      fc.property(openQuestion, someMargin, (asked, margin) => {
        const strict = { whenNonePasses: 'REFUSE', hysteresisBasisPoints: 0 } as const;
        const terms = { ...strict, explorationBasisPoints: 0, ...margin };
        const { candidates, chosen } = decideRoute(under(asked, terms));
        const left = candidates.filter(({ rejection }) => rejection !== 'margin_below_floor');
        if (left.length < candidates.length) taken += 1;
        const all = decideRoute(under(asked, { ...terms, ...WITHOUT })).candidates;
        expect(left.map(({ model, utility }) => [model.model, utility])).toEqual(
          all
            .filter(({ model }) => left.some((one) => one.model.model === model.model))
            .map(({ model, utility }) => [model.model, utility]),
        );
        expect(chosen).toBe([...left].sort((a, b) => byUtility(a, b, asked.situation.ties))[0]);
      }),
      RUNS,
    );
    expect(taken).toBeGreaterThan(5);
  });

  it('a demanded margin takes the dear one out, and lifts nobody over a better one', () => {
    const [best, middle, cheap] = [
      pricedAt(900, modelOf('best', { qualityBasisPoints: 9_500 })),
      pricedAt(500, modelOf('middle', { qualityBasisPoints: 9_000 })),
      pricedAt(100, modelOf('cheap', { qualityBasisPoints: 6_000 })),
    ];
    const chosen = (revenueMicro: bigint | null, marginBasisPointsMin: number | null) => {
      const terms = { mode: 'QUALITY_FIRST', revenueMicro, marginBasisPointsMin } as const;
      return explainRoute(askedOf([cheap, best, middle], { terms })).model;
    };
    expect(chosen(null, null)).toBe('best');
    expect(chosen(1_000_000n, 0)).toBe('best');
    expect(chosen(1_000_000n, 2_000)).toBe('middle');
    expect(chosen(1_000_000n, 8_000)).toBe('cheap');
  });
});

type Candidate = ReturnType<typeof decideRoute>['candidates'][number];

const inRussia = ({ deployment }: Candidate) => Number(deployment?.jurisdiction === 'rf');

/** By utility; equals by jurisdiction where that counts, then by cost, quality and name. */
function byUtility(left: Candidate, right: Candidate, ties: string | null): number {
  return (
    right.utility - left.utility ||
    (ties === null ? 0 : inRussia(right) - inRussia(left)) ||
    left.costMicro - right.costMicro ||
    right.model.qualityBasisPoints - left.model.qualityBasisPoints ||
    left.model.model.localeCompare(right.model.model)
  );
}

describe('what a decision follows from', () => {
  it('is these inputs by type: neither plan nor balance nor account of an organization', () => {
    expectTypeOf<DecisionInputs>().toEqualTypeOf<{
      readonly features: Features;
      readonly situation: Situation;
      readonly incumbent: string | null;
      readonly seed: string;
    }>();
    expectTypeOf<Parameters<typeof decideRoute>>().toEqualTypeOf<[DecisionInputs]>();
  });

  it('names nothing commercial but the revenue and the margin of the terms', () => {
    const paths = [...pathsOf(FEATURE_FIELDS), ...pathsOf(SITUATION_FIELDS)];
    const commercial =
      /tenant|organi[sz]ation|plan|balance|tier|discount|account|sla|revenue|margin/i;
    expect(paths.filter((path) => commercial.test(path))).toEqual([
      'terms.revenueMicro',
      'terms.marginBasisPointsMin',
    ]);
  });
});

function pathsOf(fields: Fields, above = ''): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const inner: Field = field.item ?? field;
    const path = `${above}${name}`;
    return inner.table ? [path, ...pathsOf(inner.table.fields, `${path}.`)] : [path];
  });
}
