import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openedContent, sealedContent } from '../../../src/kernel/fields/sealed.js';
import { strictestUnread } from '../../../src/kernel/firewall/contents.js';
import { openRoutes } from '../../../src/routing/data-routes.rules.js';
import {
  reexecute,
  SEALED_DECISION_FIELDS,
  type SealedDecision,
  sealedDecision,
} from '../../../src/routing/decision/sealed-decision.js';
import { featuresUnder } from '../../../src/routing/decision/stated-request.js';
import type { RouteModel, Situation } from '../../../src/routing/decision/tables.js';
import { DEFAULT_TERMS, SWITCH_ACTIVE } from '../../../src/routing/decision/terms.rules.js';
import { type PortfolioRow, portfolioOf } from '../../../src/routing/economics/portfolio.rules.js';
import { measuredScorecard } from '../../../src/routing/economics/scorecard.rules.js';
import { PORTFOLIO_USE_CASES_MAX } from '../../../src/routing/economics/vocabulary.js';

const UNREAD_BY_DEFAULT = strictestUnread([]);

const QUESTION = {
  useCase: 'default',
  policyKey: null,
  operation: 'chat',
  inputTokens: 100,
  outputTokensMax: null,
  needs: [],
  dataClass: 'C0',
  images: 0,
  imagesLow: 0,
  inputs: 1,
  turns: 1,
  choices: 1,
} as const;
const OPEN = {
  allowedModels: undefined,
  hybrid: 'hybrid',
  unread: UNREAD_BY_DEFAULT,
  limits: {},
  dataClassMin: undefined,
} as const;

function modelOf(name: string, rub: bigint, quality: number): RouteModel {
  return {
    model: name,
    operation: 'chat',
    isSimulated: false,
    qualityBasisPoints: quality,
    qualityLowBasisPoints: 0,
    qualityHighBasisPoints: 10_000,
    qualitySource: 'NOMINAL',
    samples: 0,
    latencyMs: 1_000,
    accepted: 3,
    rejected: 1,
    answeredBasisPoints: null,
    deployments: [
      {
        deployment: `p:${name}`,
        provider: 'p',
        jurisdiction: 'rf',
        capabilities: ['text'],
        contextWindow: 100_000,
        maxOutputTokens: 1_000,
        imageTokensMax: 0,
        imageTokensLowMax: 0,
        priceFrom: '2026-01-01',
        inputMicroPerMillion: rub,
        outputMicroPerMillion: rub,
        isHealthy: true,
      },
    ],
  };
}

const situationOf = (models: readonly RouteModel[]): Situation => ({
  useCase: 'default',
  terms: { ...DEFAULT_TERMS, explorationBasisPoints: 1_000, explorationLossBasisPointsMax: 10_000 },
  killSwitch: SWITCH_ACTIVE,
  models,
  ties: 'RUSSIA_FIRST',
});

describe('a sealed decision', () => {
  const drawn = fc
    .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(10_000), fc.nat(9_999)), {
      selector: ([name]) => name,
      minLength: 1,
    })
    .map((models) => models.map(([name, rub, quality]) => modelOf(name, BigInt(rub), quality)));

  it('receipt_decides_again: from its stored text alone, whatever was decided', () => {
    fc.assert(
      fc.property(drawn, fc.string({ minLength: 1 }), (models, seed) => {
        const features = featuresUnder(OPEN, QUESTION);
        const inputs = { features, situation: situationOf(models), incumbent: 'a', seed };
        const sealed = sealedContent(SEALED_DECISION_FIELDS, sealedDecision('R', inputs));
        const stored = openedContent(SEALED_DECISION_FIELDS, JSON.parse(JSON.stringify(sealed)));
        expect(reexecute(stored)).toEqual({ identical: true, differences: [] });
      }),
    );
  });

  it('from before windows were counted and uses kept is made again from what it holds', () => {
    const models = [modelOf('a', 1_000_000n, 9_000), modelOf('b', 2_000_000n, 9_000)];
    const features = { ...featuresUnder(OPEN, QUESTION), textTokens: 3_000 };
    const inputs = { features, situation: situationOf(models), incumbent: null, seed: 's' };
    const content = sealedDecision('R', { ...inputs, useCase: 'letters' });
    const sealed = JSON.parse(JSON.stringify(sealedContent(SEALED_DECISION_FIELDS, content)));
    delete sealed.inputs.features.window_tokens;
    delete sealed.inputs.use_case;
    const former = openedContent(SEALED_DECISION_FIELDS, sealed);
    expect([former.inputs.features.windowTokens, former.inputs.useCase]).toEqual([null, null]);
    expect(reexecute(former)).toEqual({ identical: true, differences: [] });
  });

  it('names each part that comes out differently, with both values', () => {
    const models = [modelOf('a', 1_000_000n, 9_000), modelOf('b', 2_000_000n, 9_000)];
    const features = featuresUnder(OPEN, QUESTION);
    const inputs = { features, situation: situationOf(models), incumbent: null, seed: 's' };
    const sealed = sealedDecision('R', inputs);
    const [first, second] = sealed.candidates;
    if (!first || !second) throw new Error('there are two candidates');
    const forged: SealedDecision = {
      ...sealed,
      model: 'b',
      candidates: [first, { ...second, rejection: 'unhealthy' }],
      situationSha256: 'f'.repeat(64),
    };
    expect(reexecute(forged)).toEqual({
      identical: false,
      differences: [
        { path: 'model', sealed: '"b"', recomputed: '"a"' },
        { path: 'candidates.1.rejection', sealed: '"unhealthy"', recomputed: '"lower_utility"' },
        {
          path: 'situation_sha256',
          sealed: `"${'f'.repeat(64)}"`,
          recomputed: `"${sealed.situationSha256}"`,
        },
      ],
    });
  });
});

describe('the features of a stated request', () => {
  it('data_class_opens_routes: outside for classes below C3 alone, and never for rf_only', () => {
    const classes = ['C0', 'C1', 'C2', 'C3', 'C4'] as const;
    const modes = ['hybrid', 'any', 'rf_only'] as const;
    const outside = modes.map((hybrid) =>
      classes.filter((dataClass) => openRoutes({ hybrid }, dataClass).includes('outside')),
    );
    expect(outside).toEqual([['C0', 'C1', 'C2'], ['C0', 'C1', 'C2'], []]);
  });

  it('need what is stated, and what their operation and images need', () => {
    const needsOf = (question: object) => featuresUnder(OPEN, { ...QUESTION, ...question }).needs;
    expect([
      needsOf({}),
      needsOf({ needs: ['tools', 'vision', 'tools'], images: 1 }),
      needsOf({ imagesLow: 2 }),
      needsOf({ operation: 'embeddings' }),
    ]).toEqual([[], ['tools', 'vision'], ['vision'], ['embeddings']]);
  });

  it('have the class that is stated, or the least class of the policies where it is higher', () => {
    const classOf = (asked: 'C1' | 'C4', dataClassMin: 'C2' | 'C3') => {
      const features = featuresUnder({ ...OPEN, dataClassMin }, { ...QUESTION, dataClass: asked });
      return [features.dataClass, features.jurisdictionsAllowed];
    };
    expect([classOf('C1', 'C2'), classOf('C1', 'C3'), classOf('C4', 'C2')]).toEqual([
      ['C2', ['rf', 'outside']],
      ['C3', ['rf']],
      ['C4', ['rf']],
    ]);
  });

  it('keep to the ceiling of answers and the allow-list of the policies', () => {
    const policy = {
      hybrid: 'hybrid',
      unread: UNREAD_BY_DEFAULT,
      limits: { maxOutputTokens: 200 },
      allowedModels: new Set(['a']),
      dataClassMin: undefined,
    } as const;
    const outputOf = (question: object) =>
      featuresUnder(policy, { ...QUESTION, ...question }).outputTokensMax;
    expect([
      outputOf({}),
      outputOf({ outputTokensMax: 100 }),
      outputOf({ outputTokensMax: 300 }),
      outputOf({ operation: 'embeddings' }),
    ]).toEqual([200, 100, 200, null]);
    expect(featuresUnder(policy, QUESTION).modelsAllowed).toEqual(['a']);
    expect(featuresUnder(OPEN, QUESTION).modelsAllowed).toBeNull();
  });
});

describe('a measured scorecard', () => {
  const asked = { useCase: 'u', model: 'm', source: 'OUTCOMES' } as const;
  const grounds = { evidence: 'rows', measuredTo: new Date(0) };

  it('has a quality within its interval, and means that are rounded half up', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.integer({ min: 1, max: 10_000 }), (good, answers) => {
        fc.pre(good <= answers);
        const sums = { answers, good, latencyMs: 0n, costMicro: 0n };
        const card = measuredScorecard(asked, sums, grounds);
        expect(card.qualityLowBasisPoints).toBeLessThanOrEqual(card.qualityBasisPoints);
        expect(card.qualityHighBasisPoints).toBeGreaterThanOrEqual(card.qualityBasisPoints);
        expect([card.samples, card.latencyMs, card.costMicro]).toEqual([answers, 1, 0n]);
      }),
    );
    const sums = { answers: 2, good: 1, latencyMs: 301n, costMicro: 5n };
    expect(measuredScorecard(asked, sums, grounds)).toMatchObject({
      latencyMs: 151,
      costMicro: 3n,
    });
  });
});

describe('a portfolio of sums', () => {
  const row = (changes: Partial<PortfolioRow>): PortfolioRow => ({
    kind: 'live',
    useCase: null,
    requests: 1,
    spentMicro: 1n,
    costMicro: 1n,
    baselineMicro: 1n,
    avoided: 0,
    ...changes,
  });
  const window = { from: new Date(0), to: new Date(1) };

  it('is certified by live rows alone', () => {
    const aside = [row({ kind: 'simulated' }), row({ kind: 'others', requests: 2 })];
    expect(portfolioOf(aside, window)).toMatchObject({
      verdict: 'cannot_certify',
      costSavedMicro: null,
      simulated: { requests: 1, spentMicro: 1n },
      others: { requests: 2, spentMicro: 1n },
    });
    expect(portfolioOf([...aside, row({})], window).verdict).toBe('measured');
  });

  it('saves against what the tokens cost, also where less was charged', () => {
    const sums = row({ spentMicro: 3n, costMicro: 5n, baselineMicro: 4n });
    expect(portfolioOf([sums], window)).toMatchObject({ spentMicro: 3n, costSavedMicro: -1n });
  });

  it('tells so many use cases apart and no more', () => {
    const many = Array.from({ length: PORTFOLIO_USE_CASES_MAX + 2 }, (_, index) =>
      row({ useCase: `u${index}` }),
    );
    const { useCases } = portfolioOf([row({ requests: 102 }), ...many], window);
    expect(useCases.map(({ useCase }) => useCase)).toEqual(
      many.slice(0, PORTFOLIO_USE_CASES_MAX).map(({ useCase }) => useCase),
    );
  });
});
