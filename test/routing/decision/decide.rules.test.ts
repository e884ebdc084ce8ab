import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  openedContent,
  type SealedContent,
  sealedContent,
} from '../../../src/kernel/fields/sealed.js';
import { COMPLEXITY_SIGNS, complexityOf } from '../../../src/routing/decision/complexity.rules.js';
import { decideRoute } from '../../../src/routing/decision/decide.rules.js';
import { explainRoute } from '../../../src/routing/decision/explain.rules.js';
import {
  reexecute,
  SEALED_DECISION_FIELDS,
  sealedDecision,
} from '../../../src/routing/decision/sealed-decision.js';
import {
  COMPLEXITIES,
  ROUTE_REJECTIONS,
  ROUTING_STAGES,
} from '../../../src/routing/decision/vocabulary.js';
import { anyQuestion, askedOf, CHAT, modelOf, openQuestion, pricedAt } from './situations.js';

const RUNS = { numRuns: 1_000 };
const question = fc.oneof(anyQuestion, openQuestion);

/** As a receipt keeps it: canonical JSON and back. */
function stored<T>(content: T): T {
  return JSON.parse(JSON.stringify(content)) as T;
}

describe('a decision', () => {
  it('passes the five stages in their published order, and none adds a candidate', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const { stages, candidates } = decideRoute(asked);
        expect(stages.map(({ stage }) => stage)).toEqual(ROUTING_STAGES.codes);
        const left = [candidates.length, ...stages.map(({ candidatesLeft }) => candidatesLeft)];
        expect(left).toEqual([...left].sort((one, other) => other - one));
      }),
      RUNS,
    );
    expect(ROUTING_STAGES.codes).toEqual([
      'HARD_GATES',
      'UTILITY',
      'MARGIN_FIREWALL',
      'EXPLORATION',
      'HYSTERESIS',
    ]);
  });

  it('says of every model whether it answers, else one reason', () => {
    const met = new Set<string>();
    fc.assert(
      fc.property(question, (asked) => {
        const { verdict, model, candidates, stages } = explainRoute(asked);
        expect(candidates.map((one) => one.model)).toEqual(
          asked.situation.models.map((one) => one.model),
        );
        expect(candidates.filter(({ chosen }) => chosen).map((one) => one.model)).toEqual(
          model === null ? [] : [model],
        );
        expect(verdict === 'CANNOT_ROUTE').toBe(model === null);
        for (const { chosen, rejection, reason } of candidates) {
          if (rejection) met.add(rejection);
          expect([rejection === null, reason === null]).toEqual([chosen, chosen]);
          expect(reason ?? 'said').toMatch(/\S$/);
          expect(reason ?? '').not.toMatch(/undefined|null|NaN|Infinity/);
        }
        const [last] = stages.slice(-1);
        if (verdict === 'ROUTED') expect(last?.leader).toBe(model);
        else expect(last?.leader).toBeNull();
      }),
      { numRuns: 4_000, seed: 1 },
    );
    expect([...met].sort()).toEqual([...ROUTE_REJECTIONS.codes].sort());
  });

  it('has the utilities of the mode, of 100: quality, cheapness and speed', () => {
    const good = pricedAt(200, modelOf('good', { qualityBasisPoints: 9_000, latencyMs: 4_000 }));
    const fast = pricedAt(100, modelOf('fast', { qualityBasisPoints: 6_000, latencyMs: 1_000 }));
    const weighed = (
      mode: 'BALANCED' | 'QUALITY_FIRST' | 'COST_CONTROLLED' | 'BATCH' | 'ASSURED',
    ) =>
      explainRoute(askedOf([good, fast], { terms: { mode } })).candidates.map(
        ({ utilityBasisPoints }) => utilityBasisPoints,
      );
    expect(weighed('BALANCED')).toEqual([
      0.4 * 9_000 + 0.4 * 5_000 + 0.2 * 2_500,
      0.4 * 6_000 + 0.4 * 10_000 + 0.2 * 10_000,
    ]);
    expect(weighed('QUALITY_FIRST')).toEqual([9_000, 6_000]);
    expect(weighed('ASSURED')).toEqual([7_500, 7_500]);
    expect(weighed('COST_CONTROLLED')).toEqual([5_000, 10_000]);
    expect(weighed('BATCH')).toEqual([5_000, 10_000]);
  });

  it('rounds utilities down from the exact share', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 0, max: 5_000 }),
        (own, more) => {
          const models = [
            modelOf('least', { latencyMs: own }),
            modelOf('m', { latencyMs: own + more }),
          ];
          const asked = askedOf(models, { terms: { mode: 'BALANCED' } });
          const utility = explainRoute(asked).candidates[1]?.utilityBasisPoints;
          const speed = Number((BigInt(own) * 10_000n) / BigInt(own + more));
          expect(utility).toBe(Math.floor((40 * 8_000 + 40 * 10_000 + 20 * speed) / 100));
        },
      ),
      { examples: [[57, 43]] },
    );
  });

  it('tells equals apart by their names, in whatever order they stand', () => {
    const [one, two] = [modelOf('one'), modelOf('two')];
    const decided = [
      [one, two],
      [two, one],
    ].map((models) => explainRoute(askedOf(models)).model);
    expect(decided).toEqual(['one', 'one']);
  });
});

describe('same_inputs_same_decision', () => {
  it('holds in whatever order the same is asked, and leaves its inputs as they were', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const before = structuredClone(asked);
        const first = explainRoute(asked);
        expect(asked).toEqual(before);
        expect(explainRoute(structuredClone(asked))).toEqual(first);
        const reversed = { ...asked.situation, models: [...asked.situation.models].reverse() };
        const { model, verdict, explored } = explainRoute({ ...asked, situation: reversed });
        expect([model, verdict, explored]).toEqual([first.model, first.verdict, first.explored]);
      }),
      RUNS,
    );
  });

  it('holds from the sealed inputs of a receipt, and names what differs', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const sealed = sealedContent(SEALED_DECISION_FIELDS, sealedDecision('request', asked));
        const opened = openedContent(SEALED_DECISION_FIELDS, stored(sealed));
        expect(reexecute(opened)).toEqual({ identical: true, differences: [] });
        const { features, situation, incumbent, seed } = opened.inputs;
        expect(explainRoute({ features, situation, incumbent, seed })).toEqual(explainRoute(asked));
      }),
      RUNS,
    );
    const sealed = sealedContent(
      SEALED_DECISION_FIELDS,
      sealedDecision('request', askedOf([modelOf('a'), modelOf('b')])),
    ) as SealedContent;
    const forged = openedContent(SEALED_DECISION_FIELDS, { ...sealed, model: 'b' });
    expect(reexecute(forged)).toEqual({
      identical: false,
      differences: [{ path: 'model', sealed: '"b"', recomputed: '"a"' }],
    });
  });
});

describe('how hard a request is', () => {
  it('follows from the published signs', () => {
    expect(complexityOf(CHAT)).toBe('SIMPLE');
    expect(complexityOf({ ...CHAT, needs: ['tools'] })).toBe('STANDARD');
    expect(complexityOf({ ...CHAT, needs: ['reasoning'] })).toBe('COMPLEX');
    expect(complexityOf({ ...CHAT, needs: ['reasoning', 'tools'] })).toBe('EXPERT');
    expect(complexityOf({ ...CHAT, textTokens: 16_000 })).toBe('STANDARD');
    const points = COMPLEXITY_SIGNS.reduce((sum, sign) => sum + sign.points, 0);
    expect(points).toBeGreaterThan(Math.max(...COMPLEXITIES.rows.map((row) => row.points)));
  });

  it('sets the floor where the terms set none', () => {
    const floors = (['SIMPLE', 'STANDARD', 'COMPLEX', 'EXPERT'] as const).map((wanted) => {
      const features = {
        SIMPLE: CHAT,
        STANDARD: { ...CHAT, needs: ['tools' as const] },
        COMPLEX: { ...CHAT, needs: ['reasoning' as const] },
        EXPERT: { ...CHAT, needs: ['reasoning' as const, 'tools' as const] },
      }[wanted];
      const asked = askedOf([modelOf('m')], { features, terms: { qualityFloorBasisPoints: null } });
      return decideRoute(asked).qualityFloor;
    });
    expect(floors).toEqual(COMPLEXITIES.rows.map((row) => row.qualityFloorBasisPoints));
  });
});
