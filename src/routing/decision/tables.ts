import { CAPABILITIES, JURISDICTIONS } from '../../catalog/providers/vocabulary.js';
import {
  code,
  fieldTable,
  flag,
  integer,
  list,
  money,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { MICRO_PER_RUB } from '../../kernel/money.js';
import { USAGE_OPERATIONS } from '../../money/billing/vocabulary.js';
import { WORKLOAD_DATA_CLASSES } from '../workloads/vocabulary.js';
import {
  BASIS_POINTS,
  COMPLEXITIES,
  EXPLORATION_BARS,
  EXPLORATION_BASIS_POINTS_MAX,
  KILL_SWITCH_STATES,
  NONE_PASSES,
  ROUTE_REJECTIONS,
  ROUTING_MODES,
  ROUTING_STAGES,
  ROUTING_VERDICTS,
  SCORECARD_SOURCES,
  TERMS_ORIGINS,
  TIE_ORDERS,
} from './vocabulary.js';

const TOKENS = { min: 0, max: 2_000_000_000 };
const SHARE = { min: 0, max: BASIS_POINTS };
const MODEL_NAME = { max: 200 };
/** A request is expected to cost a million rubles at most. */
const COST = { min: 0n, max: 1_000_000n * MICRO_PER_RUB };
const MODELS_MAX = 1_000;

/** What a router reads of a request; its text is no part of it. */
export const FEATURE_FIELDS = {
  operation: code(USAGE_OPERATIONS, 'What is asked of a model.'),
  needs: list(code(CAPABILITIES, 'A capability.'), 'What the request uses of a model.', {
    max: CAPABILITIES.codes.length,
  }),
  textTokens: integer('About how many tokens its texts have.', TOKENS),
  windowTokens: optional(
    integer(
      'What the window of a model must hold, where it was counted: prompt, answer and margin; ' +
        'null where it is guessed by the tokens of texts and images.',
      TOKENS,
    ),
  ),
  images: integer('How many images of high detail it has.', { min: 0, max: 100_000 }),
  imagesLow: integer('How many images of low detail it has.', { min: 0, max: 100_000 }),
  inputs: integer('Texts that are embedded, each in a window of its own; 1 for a chat.', {
    min: 1,
    max: 100_000,
  }),
  turns: integer('How many messages it has.', { min: 0, max: 1_000_000 }),
  outputTokensMax: optional(integer('The most answer tokens that it allows for a choice.', TOKENS)),
  choices: integer('How many answers it wants.', { min: 1, max: 1_000 }),
  dataClass: code(WORKLOAD_DATA_CLASSES, 'How sensitive its data is.'),
  jurisdictionsAllowed: list(
    code(JURISDICTIONS, 'A jurisdiction.'),
    'Where its data may be taken.',
    { max: JURISDICTIONS.codes.length },
  ),
  modelsAllowed: optional(
    list(text('The id of a model.', MODEL_NAME), 'The allow-list of the policy.', {
      max: MODELS_MAX,
    }),
  ),
  modelsBarred: optional(
    list(text('The id of a model.', MODEL_NAME), 'Premium models that a budget keeps out.', {
      max: MODELS_MAX,
    }),
  ),
  explores: optional(flag('False where a budget lets nothing be explored; null else.')),
} as const;

/** What a router reads of a request. */
export const FEATURES = fieldTable(
  'RouteFeatures',
  'What a router reads of a request; its text is no part of it.',
  FEATURE_FIELDS,
);
export type Features = ValuesOf<typeof FEATURE_FIELDS>;

/** What the terms of a router say, whoever states them. */
export const TERM_FIELDS = {
  mode: code(ROUTING_MODES, 'How candidates are weighed.'),
  qualityFloorBasisPoints: optional(
    integer('The least quality; null is the floor of the complexity of the request.', SHARE),
  ),
  costMicroMax: optional(money('The most that a request may be expected to cost.', COST)),
  latencyMsMax: optional(
    integer('The longest that an answer may be expected to take.', { min: 1, max: 3_600_000 }),
  ),
  modelsAllowed: list(
    text('The id of a model.', MODEL_NAME),
    'Models that may answer; empty allows every one.',
    { max: MODELS_MAX },
  ),
  providersAllowed: list(
    text('The id of a provider.', MODEL_NAME),
    'Providers that may answer; empty allows every one.',
    { max: MODELS_MAX },
  ),
  pinnedModel: optional(text('The only model that answers, for the mode FIXED.', MODEL_NAME)),
  fallbackModel: optional(text('The model that answers where none passes.', MODEL_NAME)),
  whenNonePasses: code(NONE_PASSES, 'What happens where no model passes.'),
  whenUnmeasured: optional(
    code(
      NONE_PASSES,
      'What happens in the mode ASSURED where no model that is able has a measured quality: ' +
        'REFUSE unless stated; null for decisions made before this rule.',
    ),
  ),
  revenueMicro: optional(
    money(
      'What a request earns, without tax; for the margin, unless a request states its own.',
      COST,
    ),
  ),
  marginBasisPointsMin: optional(
    integer('The least share of the revenue that must be left after the cost.', SHARE),
  ),
  explorationBasisPoints: integer('How many of 10,000 requests may explore.', {
    min: 0,
    max: EXPLORATION_BASIS_POINTS_MAX,
  }),
  explorationLossBasisPointsMax: integer(
    'How far below the best utility a model may lie that is explored.',
    SHARE,
  ),
  hysteresisBasisPoints: integer(
    'How much more utility another model must have to replace the present one.',
    SHARE,
  ),
} as const;

/** The terms of a decision, and where they come from. */
export const TERMS = fieldTable('RoutingTerms', 'The terms of a routing decision.', {
  origin: code(TERMS_ORIGINS, 'Where the terms come from.'),
  contractKey: text('The key of the contract or policy; `default` for the published terms.'),
  contractVersion: integer('Its version; 0 where nobody has published one.'),
  ...TERM_FIELDS,
});
export type Terms = ValuesOf<typeof TERMS.fields>;

/** One deployment, as far as a decision reads it. */
export const ROUTE_DEPLOYMENT = fieldTable('RouteDeployment', 'A deployment of a candidate.', {
  deployment: text('The key of the deployment.'),
  provider: text('The id of its provider.'),
  jurisdiction: code(JURISDICTIONS, 'Where it takes the data.'),
  capabilities: list(code(CAPABILITIES, 'A capability.'), 'What it can be asked for.'),
  contextWindow: integer('What it can take, in tokens.'),
  maxOutputTokens: integer('The longest answer, in tokens.'),
  imageTokensMax: integer('What an image costs at most, in tokens.'),
  imageTokensLowMax: integer('What an image of low detail costs at most, in tokens.'),
  priceFrom: optional(text('The day from which its price holds; null without a price.')),
  inputMicroPerMillion: optional(money('The list price of a million input tokens.')),
  outputMicroPerMillion: optional(money('The list price of a million answer tokens.')),
  isHealthy: flag('Whether it was called at that moment, as its circuit breaker says.'),
});
export type RouteDeployment = ValuesOf<typeof ROUTE_DEPLOYMENT.fields>;

/** What is estimated of a model for a use case. */
export const ESTIMATE_FIELDS = {
  qualityBasisPoints: integer('The share of answers that are good, of 10,000.', SHARE),
  qualityLowBasisPoints: integer('The lower end of its interval of 95 %.', SHARE),
  qualityHighBasisPoints: integer('The upper end of its interval of 95 %.', SHARE),
  qualitySource: code(SCORECARD_SOURCES, 'Where the quality comes from.'),
  samples: integer('How many answers it was measured on; 0 where it was not.', TOKENS),
  latencyMs: integer('How long an answer is expected to take.', { min: 1, max: 3_600_000 }),
  accepted: integer('Answers that were reported as accepted.', TOKENS),
  rejected: integer('Answers that were reported as not accepted.', TOKENS),
  answeredBasisPoints: optional(
    integer(
      'The share of the last live requests to it that no fault of a provider ended, of 10,000, ' +
        'in whole percents; null where too few were made. Quality and interval are multiplied ' +
        'by it.',
      SHARE,
    ),
  ),
} as const;
export type Estimate = ValuesOf<typeof ESTIMATE_FIELDS>;

/** A model among which is chosen. */
export const ROUTE_MODEL = fieldTable('RouteModel', 'A model among which is chosen.', {
  model: text('The id of the model.'),
  operation: code(USAGE_OPERATIONS, 'What it serves.'),
  isSimulated: flag('Whether its answers are made up.'),
  ...ESTIMATE_FIELDS,
  deployments: list(object(ROUTE_DEPLOYMENT, 'A deployment.'), 'Who serves it, preferred first.'),
});
export type RouteModel = ValuesOf<typeof ROUTE_MODEL.fields>;

/** The state of a kill switch, as a decision reads it. */
export const KILL_SWITCH = fieldTable('RouterKillSwitchReading', 'A kill switch as it stood.', {
  state: code(KILL_SWITCH_STATES, 'What the router may do.'),
  pinnedModel: optional(text('The only model that answers, in the state PINNED.')),
});
export type KillSwitch = ValuesOf<typeof KILL_SWITCH.fields>;

/** What a whole series of decisions has in common: it changes seldom, so it is stored once. */
export const SITUATION_FIELDS = {
  useCase: text('What the requests are for.'),
  terms: object(TERMS, 'The terms in force.'),
  killSwitch: object(KILL_SWITCH, 'The kill switch.'),
  models: list(object(ROUTE_MODEL, 'A model.'), 'Every model that can be called, with estimates.'),
  ties: optional(
    code(TIE_ORDERS, 'How equal candidates are ordered; null for decisions made before this rule.'),
  ),
} as const;
export type Situation = ValuesOf<typeof SITUATION_FIELDS>;

/** A candidate after a decision. */
export const ROUTE_CANDIDATE = fieldTable('RouteCandidate', 'A model and what was decided of it.', {
  model: text('The id of the model.'),
  chosen: flag('Whether it answers.'),
  rejection: optional(code(ROUTE_REJECTIONS, 'Why it was not chosen; null for the chosen one.')),
  reason: optional(text('The same for people, with the figures; null for the chosen one.')),
  qualityBasisPoints: integer('The quality that was reckoned with.'),
  qualityRank: optional(integer('Its rank by quality alone among those that pass; 1 is the best.')),
  expectedCostMicro: optional(money('What the request is expected to cost with it.')),
  latencyMs: integer('How long its answer is expected to take.'),
  utilityBasisPoints: optional(integer('Its utility; null where it failed a gate.')),
});

/** What one stage did. */
export const ROUTE_STAGE = fieldTable('RouteStageTrace', 'What one stage of a decision did.', {
  stage: code(ROUTING_STAGES, 'Which stage it was.'),
  candidatesLeft: integer('How many candidates it left.'),
  leader: optional(text('The model that would answer after it; null where none would.')),
  note: text('What it did, for people.'),
});

/** The outcome of a decision. */
export const DECISION_FIELDS = {
  verdict: code(ROUTING_VERDICTS, 'How the decision ended.'),
  model: optional(text('The model that answers; null where none may.')),
  complexity: code(COMPLEXITIES, 'How hard the request is.'),
  qualityFloorBasisPoints: integer('The least quality that was asked for.'),
  explored: flag('Whether another than the best was tried on purpose.'),
  explorationBars: list(code(EXPLORATION_BARS, 'A reason.'), 'Why nothing may be explored.'),
  keptIncumbent: flag('Whether the present model stayed though another one scored higher.'),
  baselineModel: optional(text('The premium baseline: the best quality that could answer.')),
  baselineCostMicro: optional(money('What the request is expected to cost with the baseline.')),
  expectedCostMicro: optional(money('What the request is expected to cost.')),
  costSavedMicro: optional(money('The baseline less the expected cost.')),
  stages: list(object(ROUTE_STAGE, 'A stage.'), 'What each stage did, in their order.'),
  candidates: list(object(ROUTE_CANDIDATE, 'A candidate.'), 'Every model that was looked at.'),
} as const;
