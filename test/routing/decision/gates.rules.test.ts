import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedCostMicro } from '../../../src/routing/decision/cost.rules.js';
import { type DecisionInputs, decideRoute } from '../../../src/routing/decision/decide.rules.js';
import { explainRoute } from '../../../src/routing/decision/explain.rules.js';
import { marginBasisPoints } from '../../../src/routing/decision/margin.rules.js';
import type { RouteDeployment, RouteModel } from '../../../src/routing/decision/tables.js';
import type { RouteRejection } from '../../../src/routing/decision/vocabulary.js';
import {
  type WeighableDeployment,
  weighable,
} from '../../../src/routing/decision/weighable.rules.js';
import { anyQuestion, askedOf, deploymentOf, modelOf, pricedAt } from './situations.js';

/** Written anew here from the published sentences: what no fallback may break either. */
function mayAnswer(asked: DecisionInputs, one: RouteModel): boolean {
  const { terms, killSwitch, models } = asked.situation;
  const isSwitched = killSwitch.state === 'PINNED';
  const pin = isSwitched ? killSwitch.pinnedModel : terms.pinnedModel;
  const isPinned = isSwitched || terms.mode === 'FIXED';
  if (!isAble(asked, one)) return false;
  if (isPinned) return one.model === pin;
  return !one.isSimulated || !models.some((each) => !each.isSimulated && isAble(asked, each));
}

function isAble({ features, situation: { terms } }: DecisionInputs, one: RouteModel): boolean {
  return (
    one.operation === features.operation &&
    (features.modelsAllowed?.includes(one.model) ?? true) &&
    !(features.modelsBarred?.includes(one.model) ?? false) &&
    (terms.modelsAllowed.length === 0 || terms.modelsAllowed.includes(one.model)) &&
    one.deployments.some((each) => mayServe(features, terms.providersAllowed, each))
  );
}

function mayServe(
  features: DecisionInputs['features'],
  providers: readonly string[],
  one: RouteDeployment,
): boolean {
  const isPersonal = ['C3', 'C4'].includes(features.dataClass);
  return (
    (providers.length === 0 || providers.includes(one.provider)) &&
    features.jurisdictionsAllowed.includes(one.jurisdiction) &&
    (one.jurisdiction === 'rf' || !isPersonal) &&
    features.needs.every((need) => one.capabilities.includes(need)) &&
    (features.windowTokens ??
      features.textTokens +
        features.images * Math.min(765, one.imageTokensMax) +
        features.imagesLow * Math.min(85, one.imageTokensMax)) <= one.contextWindow &&
    one.inputMicroPerMillion !== null &&
    one.outputMicroPerMillion !== null &&
    one.isHealthy
  );
}

function leavesTheMargin(asked: DecisionInputs, cost: bigint): boolean {
  const { revenueMicro, marginBasisPointsMin } = asked.situation.terms;
  if (revenueMicro === null || marginBasisPointsMin === null) return true;
  if (revenueMicro === 0n) return cost === 0n && marginBasisPointsMin === 0;
  return (revenueMicro - cost) * 10_000n >= BigInt(marginBasisPointsMin) * revenueMicro;
}

const RUNS = { numRuns: 2_000 };

describe('gates_before_utility: the hard gates', () => {
  it('let nobody answer who fails one that is no limit, not even as a fallback', () => {
    let routed = 0;
    let fallbacks = 0;
    fc.assert(
      fc.property(anyQuestion, (asked) => {
        const { chosen, verdict } = decideRoute(asked);
        if (!chosen) return;
        if (verdict === 'FALLBACK') fallbacks += 1;
        else routed += 1;
        expect(mayAnswer(asked, chosen.model)).toBe(true);
        expect(leavesTheMargin(asked, BigInt(chosen.costMicro))).toBe(true);
      }),
      RUNS,
    );
    expect(Math.min(routed, fallbacks)).toBeGreaterThan(5);
  });

  it('let nobody answer as routed who is beyond a limit, unless it is pinned', () => {
    fc.assert(
      fc.property(anyQuestion, (asked) => {
        const { chosen, verdict, qualityFloor } = decideRoute(asked);
        const { terms, killSwitch } = asked.situation;
        if (verdict !== 'ROUTED' || !chosen) return;
        if (terms.mode === 'FIXED' || killSwitch.state === 'PINNED') return;
        const { qualityBasisPoints, qualityLowBasisPoints, latencyMs } = chosen.model;
        const quality = terms.mode === 'ASSURED' ? qualityLowBasisPoints : qualityBasisPoints;
        expect(quality).toBeGreaterThanOrEqual(qualityFloor);
        if (terms.mode !== 'BATCH') {
          expect(latencyMs).toBeLessThanOrEqual(terms.latencyMsMax ?? latencyMs);
        }
        const cost = BigInt(chosen.costMicro);
        expect(cost <= (terms.costMicroMax ?? cost)).toBe(true);
      }),
      RUNS,
    );
  });

  it('personal_data_stays: C3 and C4 never reach a route outside, whatever is allowed', () => {
    const outside = modelOf('outside', {
      deployments: [deploymentOf({ jurisdiction: 'outside' })],
    });
    for (const dataClass of ['C3', 'C4'] as const) {
      for (const whenNonePasses of ['NEXT_BEST', 'REFUSE'] as const) {
        const terms = { whenNonePasses, fallbackModel: 'outside', pinnedModel: 'outside' };
        const asked = askedOf([outside], { terms, features: { dataClass } });
        for (const mode of ['BALANCED', 'FIXED'] as const) {
          const { verdict, candidates } = explainRoute({
            ...asked,
            situation: { ...asked.situation, terms: { ...asked.situation.terms, mode } },
          });
          expect([verdict, candidates[0]?.rejection]).toEqual([
            'CANNOT_ROUTE',
            'data_route_forbidden',
          ]);
        }
      }
    }
    const { model } = explainRoute(askedOf([outside], { features: { dataClass: 'C2' } }));
    expect(model).toBe('outside');
  });

  const small = deploymentOf({ contextWindow: 600, imageTokensMax: 700 });
  it.each<[RouteRejection, Partial<RouteModel>, Parameters<typeof askedOf>[1], string]>([
    ['other_operation', { operation: 'embeddings' }, {}, 'It serves another operation.'],
    [
      'not_allowed',
      {},
      { features: { modelsAllowed: ['x'] } },
      'It is not on the allow-list of the policy.',
    ],
    [
      'not_in_contract',
      {},
      { terms: { modelsAllowed: ['x'] } },
      'It is not on the allow-lists of the contract.',
    ],
    [
      'not_in_contract',
      {},
      { terms: { providersAllowed: ['x'] } },
      'It is not on the allow-lists of the contract.',
    ],
    [
      'data_route_forbidden',
      { deployments: [deploymentOf({ jurisdiction: 'outside' })] },
      { features: { jurisdictionsAllowed: ['rf'] } },
      'its route is outside',
    ],
    ['capability_missing', {}, { features: { needs: ['vision', 'tools'] } }, 'it lacks vision'],
    [
      'capability_missing',
      {
        deployments: [
          deploymentOf({ capabilities: ['text'] }),
          deploymentOf({ capabilities: ['vision'] }),
        ],
      },
      { features: { needs: ['text', 'vision'] } },
      'it lacks text, vision',
    ],
    [
      'context_too_long',
      { deployments: [small] },
      { features: { textTokens: 10, images: 1 } },
      'the request has about 710 tokens, its window is 600',
    ],
    [
      'context_too_long',
      { deployments: [small] },
      { features: { textTokens: 10, windowTokens: 601 } },
      'the request has about 601 tokens, its window is 600',
    ],
    [
      'no_price',
      { deployments: [deploymentOf({ outputMicroPerMillion: null })] },
      {},
      'It has no price for all that the request may use.',
    ],
    [
      'unhealthy',
      { deployments: [deploymentOf({ isHealthy: false })] },
      {},
      'It fails at the moment, so that it is not called.',
    ],
    [
      'not_measured',
      { qualitySource: 'DECLARED' },
      { terms: { mode: 'ASSURED' } },
      'Its quality is not measured, as the mode insists.',
    ],
    [
      'quality_below_floor',
      {},
      { terms: { qualityFloorBasisPoints: 8_001 } },
      'its quality is 80 %, the floor is 80.01 %',
    ],
    [
      'latency_above_limit',
      {},
      { terms: { latencyMsMax: 1_999 } },
      'it is expected to take 2000 ms, the limit is 1999 ms',
    ],
    [
      'cost_above_limit',
      {},
      { terms: { costMicroMax: 199_999n } },
      'it is expected to cost 0.2 RUB, the limit is 0.199999 RUB',
    ],
    ['not_pinned', {}, { terms: { mode: 'FIXED', pinnedModel: 'x' } }, 'the router is pinned to x'],
    ['not_pinned', {}, { terms: { mode: 'FIXED' } }, 'the router is pinned to none'],
    [
      'margin_below_floor',
      {},
      { terms: { revenueMicro: 250_000n, marginBasisPointsMin: 2_001 } },
      'it would leave a margin of 20 %, 20.01 % is demanded',
    ],
  ])('%s: says why, with the figures', (rejection, own, asked, reason) => {
    const strict = { ...asked, terms: { whenNonePasses: 'REFUSE' as const, ...asked?.terms } };
    const decision = explainRoute(askedOf([modelOf('m', own)], strict));
    expect([decision.verdict, decision.candidates]).toEqual([
      'CANNOT_ROUTE',
      [expect.objectContaining({ model: 'm', chosen: false, rejection, reason })],
    ]);
  });

  it('made-up answers are chosen only where nothing real is able, and are no baseline then', () => {
    const madeUp = modelOf('made-up', { isSimulated: true, qualityBasisPoints: 10_000 });
    const real = modelOf('real');
    const both = explainRoute(askedOf([madeUp, real]));
    expect([both.model, both.baselineModel]).toEqual(['real', 'real']);
    const alone = explainRoute(askedOf([madeUp]));
    expect([alone.model, alone.baselineModel]).toEqual(['made-up', 'made-up']);
    const killSwitch = { state: 'PINNED', pinnedModel: 'real' } as const;
    const pinned = explainRoute(askedOf([madeUp, real], { killSwitch }));
    expect([pinned.model, pinned.baselineModel]).toEqual(['real', 'real']);
  });
});

describe('where no model passes', () => {
  const poor = pricedAt(100, modelOf('poor', { qualityBasisPoints: 5_000 }));
  const fair = pricedAt(200, modelOf('fair', { qualityBasisPoints: 6_000 }));
  const floor = { qualityFloorBasisPoints: 9_000 };

  it('the fallback model answers, else the best quality, and never against REFUSE', () => {
    const decided = (terms: Parameters<typeof askedOf>[1] & object) => {
      const { verdict, model } = explainRoute(askedOf([poor, fair], terms));
      return [verdict, model];
    };
    expect(decided({ terms: floor })).toEqual(['FALLBACK', 'fair']);
    expect(decided({ terms: { ...floor, fallbackModel: 'poor' } })).toEqual(['FALLBACK', 'poor']);
    expect(decided({ terms: { ...floor, whenNonePasses: 'REFUSE' } })).toEqual([
      'CANNOT_ROUTE',
      null,
    ]);
  });

  it('what a request earns lowers no floor of quality: only the fallback model may answer', () => {
    const dear = pricedAt(1_000, modelOf('dear', { qualityBasisPoints: 9_500 }));
    const margin = { revenueMicro: 500_000n, marginBasisPointsMin: 3_000 };
    const terms = { ...floor, ...margin };
    const refused = explainRoute(askedOf([poor, fair, dear], { terms }));
    expect([refused.verdict, refused.model]).toEqual(['CANNOT_ROUTE', null]);
    const named = { terms: { ...terms, fallbackModel: 'poor' } };
    const { verdict, model } = explainRoute(askedOf([poor, fair, dear], named));
    expect([verdict, model]).toEqual(['FALLBACK', 'poor']);
    const tooDear = { terms: { ...terms, revenueMicro: 1_000n, fallbackModel: 'poor' } };
    expect(explainRoute(askedOf([poor, fair, dear], tooDear)).verdict).toBe('CANNOT_ROUTE');
  });
});

describe('a margin', () => {
  it('is exact: what leaves just what is demanded passes', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 10_000n, max: 1_000_000_000_000n }),
        fc.integer({ min: 0, max: 2 ** 40 }),
        (revenue, cost) => {
          const margin = marginBasisPoints(revenue, cost);
          const left = (revenue - BigInt(cost)) * 10_000n;
          expect(BigInt(margin) * revenue <= left).toBe(true);
          expect(BigInt(margin + 1) * revenue > left).toBe(true);
        },
      ),
    );
    expect(marginBasisPoints(100n, 43)).toBe(5_700);
    expect([marginBasisPoints(0n, 0), marginBasisPoints(0n, 1)]).toEqual([0, -10_000]);
  });
});

describe('the expected cost', () => {
  it('holds images, all choices and the longest answer, rounded up', () => {
    const { features } = askedOf([], {
      // What the window must hold costs nothing by itself.
      features: {
        ...{ textTokens: 1, images: 2, imagesLow: 1, windowTokens: 30_000 },
        ...{ outputTokensMax: 9_000, choices: 2 },
      },
    });
    const price = { inputMicroPerMillion: 1_000_000n, outputMicroPerMillion: 2_000_000n };
    const weighed = (one: RouteDeployment) =>
      weighable(askedOf([modelOf('m', { deployments: [one] })]).situation)[0]
        ?.deployments[0] as WeighableDeployment;
    const deployment = deploymentOf({ ...price, imageTokensMax: 500, maxOutputTokens: 1_000 });
    // 1 text + 2 × 500 + 85 tokens at 1 RUB, and 2 × 1,000 tokens at 2 RUB for a million.
    expect(expectedCostMicro(features, weighed(deployment))).toBe(1_086 + 4_000);
    const cheap = deploymentOf({ inputMicroPerMillion: 1n, outputMicroPerMillion: 0n });
    expect(expectedCostMicro(features, weighed(cheap))).toBe(1);
  });
});
