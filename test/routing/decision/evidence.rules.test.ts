import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRoute } from '../../../src/routing/decision/decide.rules.js';
import { estimateOf } from '../../../src/routing/decision/estimate.rules.js';
import {
  reexecute,
  sealedDecision,
  situationText,
} from '../../../src/routing/decision/sealed-decision.js';
import { SCORECARD_SOURCES } from '../../../src/routing/decision/vocabulary.js';
import { anyQuestion, askedOf, modelOf } from './situations.js';

const isMeasured = (source: string) =>
  SCORECARD_SOURCES.rows.find(({ code }) => code === source)?.isMeasured === true;

describe('assured_needs_evidence: the mode ASSURED', () => {
  const unproven = (name: string, quality: number) =>
    modelOf(name, {
      qualitySource: 'DECLARED',
      qualityBasisPoints: quality,
      qualityLowBasisPoints: 0,
    });
  const models = [unproven('a', 6_000), unproven('b', 9_000)];
  const assured = (own: object, list = models) => {
    const terms = { mode: 'ASSURED', fallbackModel: 'a', ...own } as const;
    const { verdict, chosen } = decideRoute(askedOf(list, { terms }));
    return [verdict, chosen?.model.model];
  };

  it('answers with no unproven model, not even the named fallback', () => {
    expect(assured({})).toEqual(['CANNOT_ROUTE', undefined]);
    expect(assured({}, [...models, modelOf('proven')])).toEqual(['ROUTED', 'proven']);
    const floor = { qualityFloorBasisPoints: 9_999 };
    expect(assured(floor, [...models, modelOf('proven')])).toEqual(['FALLBACK', 'proven']);
  });

  it('answers without evidence where the terms allow it: the fallback, else the best', () => {
    const allowed = { whenUnmeasured: 'NEXT_BEST' };
    expect(assured(allowed)).toEqual(['FALLBACK', 'a']);
    expect(assured({ ...allowed, fallbackModel: null })).toEqual(['FALLBACK', 'b']);
  });

  it('decides what was sealed before this rule as it did then', () => {
    const former = { whenUnmeasured: null, fallbackModel: null };
    expect(assured(former)).toEqual(['FALLBACK', 'a']);
    const { situation } = askedOf(models, { terms: { mode: 'ASSURED', ...former } });
    expect(situationText(situation)).not.toMatch(/when_unmeasured|answered_basis_points/);
  });

  it('never routes to what is not measured under REFUSE, whatever else is asked', () => {
    let assuredAsked = 0;
    fc.assert(
      fc.property(anyQuestion, (asked) => {
        const { terms, killSwitch } = asked.situation;
        if (terms.mode !== 'ASSURED' || terms.whenUnmeasured !== 'REFUSE') return;
        if (killSwitch.state === 'PINNED') return;
        assuredAsked += 1;
        const { chosen } = decideRoute(asked);
        if (chosen) expect(isMeasured(chosen.model.qualitySource)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(assuredAsked).toBeGreaterThan(20);
  });
});

describe('what usage shows of a model', () => {
  const FACTS = { quality: 'good', russianQuality: 'good', latency: 'medium' } as const;
  const of = (answered: number, failed: number, latencyMs = answered * 1_234) =>
    estimateOf(FACTS, undefined, undefined, { answered, failed, latencyMs });

  it('is nothing below thirty requests', () => {
    const before = estimateOf(FACTS);
    expect(of(25, 4)).toEqual(before);
    expect([before.latencyMs, before.answeredBasisPoints]).toEqual([4_000, null]);
  });

  it('is its latency to two digits, and of its quality the share that was answered', () => {
    expect(of(45, 15)).toEqual({
      qualityBasisPoints: 5_850,
      qualityLowBasisPoints: 0,
      qualityHighBasisPoints: 7_500,
      qualitySource: 'NOMINAL',
      samples: 0,
      latencyMs: 1_200,
      accepted: 0,
      rejected: 0,
      answeredBasisPoints: 7_500,
    });
  });

  it('stands beside what clients report: outcomes are the source, usage takes from them', () => {
    const reported = { accepted: 90, rejected: 10, latencyMs: 7 };
    const usage = { answered: 90, failed: 10, latencyMs: 90_000 };
    const { qualityBasisPoints, qualitySource, latencyMs } = estimateOf(
      FACTS,
      undefined,
      reported,
      usage,
    );
    expect([qualityBasisPoints, qualitySource, latencyMs]).toEqual([8_100, 'OUTCOMES', 1_000]);
  });

  it('lifts no quality, and lowers it the more, the more fails', () => {
    const count = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(count, count, count, (answered, failed, more) => {
        const [fewer, worse] = [of(answered, failed), of(answered, failed + more)];
        expect(fewer.qualityBasisPoints).toBeLessThanOrEqual(7_800);
        if (fewer.answeredBasisPoints === null) return;
        expect(worse.qualityBasisPoints).toBeLessThanOrEqual(fewer.qualityBasisPoints);
        expect(worse.answeredBasisPoints).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('is part of what is sealed: the decision is made again from it', () => {
    const models = [modelOf('used', { ...of(45, 15), qualitySource: 'OUTCOMES' })];
    const content = sealedDecision('request', askedOf(models));
    expect(content.inputs.situation.models[0]?.answeredBasisPoints).toBe(7_500);
    expect(reexecute(content)).toEqual({ identical: true, differences: [] });
  });
});
