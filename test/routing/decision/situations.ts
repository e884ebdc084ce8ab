import fc from 'fast-check';
import { CAPABILITIES, JURISDICTIONS } from '../../../src/catalog/providers/vocabulary.js';
import type { DecisionInputs } from '../../../src/routing/decision/decide.rules.js';
import type {
  Features,
  KillSwitch,
  RouteDeployment,
  RouteModel,
  Situation,
  Terms,
} from '../../../src/routing/decision/tables.js';
import { DEFAULT_TERMS, SWITCH_ACTIVE } from '../../../src/routing/decision/terms.rules.js';
import {
  BASIS_POINTS,
  KILL_SWITCH_STATES,
  NONE_PASSES,
  ROUTING_MODES,
  SCORECARD_SOURCES,
} from '../../../src/routing/decision/vocabulary.js';
import { WORKLOAD_DATA_CLASSES } from '../../../src/routing/workloads/vocabulary.js';

/** A short chat without demands, inside and outside. */
export const CHAT: Features = {
  operation: 'chat',
  needs: ['text'],
  textTokens: 500,
  windowTokens: null,
  images: 0,
  imagesLow: 0,
  inputs: 1,
  turns: 2,
  outputTokensMax: 500,
  choices: 1,
  dataClass: 'C1',
  jurisdictionsAllowed: ['rf', 'outside'],
  modelsAllowed: null,
  modelsBarred: null,
  explores: null,
};

/** A healthy deployment inside Russia; a million tokens cost 100 and 300 rubles. */
export function deploymentOf(own: Partial<RouteDeployment> = {}): RouteDeployment {
  return {
    deployment: 'provider:model',
    provider: 'provider',
    jurisdiction: 'rf',
    capabilities: ['text', 'tools', 'json', 'json_schema', 'streaming'],
    contextWindow: 32_000,
    maxOutputTokens: 8_000,
    imageTokensMax: 1_000,
    imageTokensLowMax: 85,
    priceFrom: '2026-01-01',
    inputMicroPerMillion: 100_000_000n,
    outputMicroPerMillion: 300_000_000n,
    isHealthy: true,
    ...own,
  };
}

/** A real model of good measured quality. */
export function modelOf(model: string, own: Partial<RouteModel> = {}): RouteModel {
  return {
    model,
    operation: 'chat',
    isSimulated: false,
    qualityBasisPoints: 8_000,
    qualityLowBasisPoints: 7_500,
    qualityHighBasisPoints: 8_500,
    qualitySource: 'EVALUATION',
    samples: 100,
    latencyMs: 2_000,
    accepted: 0,
    rejected: 0,
    answeredBasisPoints: null,
    deployments: [deploymentOf({ deployment: `provider:${model}` })],
    ...own,
  };
}

/** The same model at another list price, in rubles for a million tokens of either kind. */
export function pricedAt(rub: number, model: RouteModel): RouteModel {
  const price = BigInt(rub * 1_000_000);
  const prices = { inputMicroPerMillion: price, outputMicroPerMillion: price };
  return { ...model, deployments: model.deployments.map((each) => ({ ...each, ...prices })) };
}

/** A question about these models. */
export function askedOf(
  models: readonly RouteModel[],
  own: {
    readonly terms?: Partial<Terms>;
    readonly features?: Partial<Features>;
    readonly killSwitch?: KillSwitch;
    readonly incumbent?: string;
    readonly seed?: string;
    readonly ties?: Situation['ties'];
  } = {},
): DecisionInputs {
  const { killSwitch = SWITCH_ACTIVE, incumbent = null, seed = 'seed' } = own;
  const terms = { ...DEFAULT_TERMS, qualityFloorBasisPoints: 0, ...own.terms };
  const situation: Situation = {
    useCase: 'default',
    terms,
    killSwitch,
    models,
    ties: own.ties === undefined ? 'RUSSIA_FIRST' : own.ties,
  };
  return { features: { ...CHAT, ...own.features }, situation, incumbent, seed };
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const aName = fc.constantFrom(...NAMES);
const aShare = fc.integer({ min: 0, max: BASIS_POINTS });
const mostly = fc.integer({ min: 0, max: 9 }).map((drawn) => drawn > 0);
const aPrice = fc.option(fc.bigInt({ min: 0n, max: 3_000_000_000n }), { freq: 10 });

const aDeployment: fc.Arbitrary<RouteDeployment> = fc.record({
  deployment: fc.constant('provider:model'),
  provider: fc.constantFrom('north', 'south'),
  jurisdiction: fc.constantFrom(...JURISDICTIONS.codes),
  capabilities: fc.oneof(
    { weight: 3, arbitrary: fc.constant([...CAPABILITIES.codes]) },
    { weight: 1, arbitrary: fc.subarray([...CAPABILITIES.codes]) },
  ),
  contextWindow: fc.constantFrom(1_000, 32_000, 1_000_000),
  maxOutputTokens: fc.constantFrom(500, 8_000),
  imageTokensMax: fc.constantFrom(85, 1_000, 16_384),
  imageTokensLowMax: fc.constant(85),
  priceFrom: fc.constant('2026-01-01'),
  inputMicroPerMillion: aPrice,
  outputMicroPerMillion: aPrice,
  isHealthy: mostly,
});

const aModel: fc.Arbitrary<RouteModel> = fc
  .record({
    model: aName,
    operation: mostly.map((isChat) => (isChat ? ('chat' as const) : ('embeddings' as const))),
    isSimulated: fc.boolean(),
    quality: fc.tuple(aShare, aShare, aShare),
    qualitySource: fc.constantFrom(...SCORECARD_SOURCES.codes),
    samples: fc.integer({ min: 0, max: 500 }),
    latencyMs: fc.integer({ min: 1, max: 20_000 }),
    accepted: fc.integer({ min: 0, max: 200 }),
    rejected: fc.integer({ min: 0, max: 200 }),
    answeredBasisPoints: fc.option(fc.constantFrom(0, 9_000, 10_000)),
    deployments: fc.array(aDeployment, { minLength: 1, maxLength: 2 }),
  })
  .map(({ quality, ...rest }) => {
    const [low = 0, middle = 0, high = 0] = [...quality].sort((left, right) => left - right);
    const stated = { qualityBasisPoints: middle, qualityLowBasisPoints: low };
    return { ...rest, ...stated, qualityHighBasisPoints: high };
  });

const aName0 = fc.option(aName);

const someTerms: fc.Arbitrary<Terms> = fc.record({
  origin: fc.constant('CONTRACT' as const),
  contractKey: fc.constant('default'),
  contractVersion: fc.constant(1),
  mode: fc.constantFrom(...ROUTING_MODES.codes),
  qualityFloorBasisPoints: fc.option(fc.integer({ min: 0, max: 7_000 })),
  costMicroMax: fc.option(fc.bigInt({ min: 0n, max: 5_000_000n })),
  latencyMsMax: fc.option(fc.integer({ min: 1, max: 20_000 })),
  modelsAllowed: fc.oneof(fc.constant([]), fc.subarray(NAMES)),
  providersAllowed: fc.oneof(fc.constant([]), fc.subarray(['north', 'south'])),
  pinnedModel: aName0,
  fallbackModel: aName0,
  whenNonePasses: fc.constantFrom(...NONE_PASSES.codes),
  whenUnmeasured: fc.constantFrom(...NONE_PASSES.codes, null),
  revenueMicro: fc.option(fc.bigInt({ min: 0n, max: 5_000_000n })),
  marginBasisPointsMin: fc.option(aShare),
  explorationBasisPoints: fc.constantFrom(0, 500, 1_000),
  explorationLossBasisPointsMax: aShare,
  hysteresisBasisPoints: fc.integer({ min: 0, max: 3_000 }),
});

/** What is asked for, of any kind. */
const someFeatures: fc.Arbitrary<Features> = fc.record({
  operation: fc.constant('chat' as const),
  needs: fc.subarray([...CAPABILITIES.codes], { maxLength: 3 }),
  textTokens: fc.constantFrom(0, 10, 900, 3_000, 20_000),
  windowTokens: fc.constantFrom(null, null, null, 900, 20_000),
  images: fc.integer({ min: 0, max: 2 }),
  imagesLow: fc.integer({ min: 0, max: 2 }),
  inputs: fc.constant(1),
  turns: fc.integer({ min: 1, max: 12 }),
  outputTokensMax: fc.option(fc.integer({ min: 0, max: 9_000 })),
  choices: fc.integer({ min: 1, max: 3 }),
  dataClass: fc.constantFrom(...WORKLOAD_DATA_CLASSES.codes),
  jurisdictionsAllowed: fc.oneof(
    { weight: 3, arbitrary: fc.constant([...JURISDICTIONS.codes]) },
    { weight: 1, arbitrary: fc.subarray([...JURISDICTIONS.codes]) },
  ),
  modelsAllowed: fc.option(fc.subarray(NAMES), { freq: 2 }),
  modelsBarred: fc.option(fc.subarray(NAMES, { maxLength: 1 })),
  explores: fc.constantFrom(null, null, null, false),
});

/** Any question at all, of every mode, state and reason to refuse. */
export const anyQuestion: fc.Arbitrary<DecisionInputs> = fc.record({
  features: someFeatures,
  situation: fc.record({
    useCase: fc.constant('default'),
    ties: fc.constantFrom('RUSSIA_FIRST' as const, 'RUSSIA_FIRST' as const, null),
    terms: someTerms,
    killSwitch: fc.record({
      state: fc.oneof(
        { weight: 4, arbitrary: fc.constant('ACTIVE' as const) },
        { weight: 4, arbitrary: fc.constantFrom(...KILL_SWITCH_STATES.codes) },
      ),
      pinnedModel: aName0,
    }),
    models: fc.uniqueArray(aModel, { selector: ({ model }) => model, maxLength: 6 }),
  }),
  incumbent: aName0,
  seed: fc.string({ maxLength: 12 }),
});

/** A question that every model passes, so that the stages after the gates have something to do. */
export const openQuestion: fc.Arbitrary<DecisionInputs> = anyQuestion.map(
  ({ situation, incumbent, seed }) => ({
    features: CHAT,
    situation: {
      ...situation,
      terms: {
        ...DEFAULT_TERMS,
        mode: situation.terms.mode === 'FIXED' ? 'BALANCED' : situation.terms.mode,
        qualityFloorBasisPoints: 0,
        hysteresisBasisPoints: situation.terms.hysteresisBasisPoints,
        explorationBasisPoints: situation.terms.explorationBasisPoints,
        explorationLossBasisPointsMax: situation.terms.explorationLossBasisPointsMax,
      },
      killSwitch: SWITCH_ACTIVE,
      models: situation.models.map((each) => ({
        ...each,
        operation: 'chat',
        isSimulated: false,
        qualitySource: 'OUTCOMES',
        deployments: each.deployments.map((one) => ({
          ...one,
          capabilities: [...CAPABILITIES.codes],
          contextWindow: 32_000,
          inputMicroPerMillion: one.inputMicroPerMillion ?? 1_000_000n,
          outputMicroPerMillion: one.outputMicroPerMillion ?? 1_000_000n,
          isHealthy: true,
        })),
      })),
    },
    incumbent,
    seed,
  }),
);
