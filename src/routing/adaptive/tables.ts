import { CAPABILITIES, JURISDICTIONS } from '../../catalog/providers/vocabulary.js';
import {
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  money,
  object,
  optional,
  periodBegin,
  periodEnd,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { MICRO_PER_RUB } from '../../kernel/money.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { RECEIPT_VERIFICATION } from '../../records/receipts-schema.js';
import { NOMINAL_LATENCY_MS } from '../decision/estimate.rules.js';
import { RE_EXECUTION, REQUEST_ID } from '../decision/sealed-decision.js';
import { STATED_REQUEST_FIELDS } from '../decision/stated-request.js';
import {
  DECISION_FIELDS,
  ESTIMATE_FIELDS,
  FEATURE_FIELDS,
  ROUTE_DEPLOYMENT,
} from '../decision/tables.js';
import { KILL_SWITCH_STATES } from '../decision/vocabulary.js';
import { USE_CASE } from '../economics/records.js';
import { OUTCOMES } from './outcomes-journal.js';
import { CONTRACT_FIELDS, SWITCH_FIELDS } from './records.js';
import {
  ADAPTIVE_PORTFOLIO_VERDICTS,
  CANDIDATES_MAX,
  COMMERCIAL_INFLUENCES,
  OUTCOME_SOURCES,
  PORTFOLIO_ROWS_MAX,
} from './vocabulary.js';

const MODEL_NAME = { max: 200 };
const WINDOW = { min: 1, max: 2_000_000_000 };
const PRICE = { min: 0n, max: 1_000_000n * MICRO_PER_RUB };

/** A request that is decided about. */
export const DECIDE_INPUT = fieldTable(
  'AdaptiveRouteDecideInput',
  'A request that is decided about, as far as a router reads it.',
  {
    requestId: text('What the request is called; it is decided and sealed once.', REQUEST_ID),
    useCase: defaulting(text('What it is for, as its `metadata.feature`.', USE_CASE), 'default'),
    revenueMicro: optional(
      money(
        'What it earns, without tax, instead of what the contract says; for the margin.',
        PRICE,
      ),
    ),
    ...STATED_REQUEST_FIELDS,
  },
);

const CANDIDATE = fieldTable('AdaptiveRouteCandidateInput', 'A model, as the caller states it.', {
  model: text('What the model is called.', MODEL_NAME),
  provider: defaulting(text('The company that serves the model.', MODEL_NAME), 'stated'),
  operation: defaulting(FEATURE_FIELDS.operation, 'chat'),
  isSimulated: defaulting(flag('Whether its answers are made up.'), false),
  qualityBasisPoints: ESTIMATE_FIELDS.qualityBasisPoints,
  qualityLowBasisPoints: optional(
    integer('The lower end of its interval; the quality itself by default.', {
      min: 0,
      max: 10_000,
    }),
  ),
  qualityHighBasisPoints: optional(
    integer('The upper end of its interval; the quality itself by default.', {
      min: 0,
      max: 10_000,
    }),
  ),
  qualitySource: defaulting(ESTIMATE_FIELDS.qualitySource, 'DECLARED'),
  samples: defaulting(ESTIMATE_FIELDS.samples, 0),
  latencyMs: defaulting(ESTIMATE_FIELDS.latencyMs, NOMINAL_LATENCY_MS.medium),
  accepted: defaulting(ESTIMATE_FIELDS.accepted, 0),
  rejected: defaulting(ESTIMATE_FIELDS.rejected, 0),
  inputMicroPerMillion: money('The list price of a million input tokens.', PRICE),
  outputMicroPerMillion: money('The list price of a million answer tokens.', PRICE),
  jurisdiction: defaulting(code(JURISDICTIONS, 'Where its route takes the data.'), 'rf'),
  capabilities: defaulting(ROUTE_DEPLOYMENT.fields.capabilities, CAPABILITIES.codes),
  contextWindow: defaulting(integer('What it can take, in tokens.', WINDOW), 128_000),
  maxOutputTokens: defaulting(integer('The longest answer, in tokens.', WINDOW), 8_192),
  isHealthy: defaulting(flag('Whether it can be called.'), true),
});
export type StatedCandidate = ValuesOf<typeof CANDIDATE.fields>;

const { contractKey: _, ...TERMS_STATED } = CONTRACT_FIELDS;

/** Terms that hold for one what-if. */
export const STATED_TERMS = fieldTable('AdaptiveRouteTermsInput', 'Terms, as the caller states.', {
  ...TERMS_STATED,
  mode: defaulting(TERMS_STATED.mode, 'BALANCED'),
});
export type StatedTerms = ValuesOf<typeof STATED_TERMS.fields>;

const STATED_SWITCH = fieldTable(
  'AdaptiveRouteKillSwitchInput',
  'A kill switch, as it is stated.',
  {
    state: defaulting(code(KILL_SWITCH_STATES, 'What the router may do.'), 'ACTIVE'),
    pinnedModel: SWITCH_FIELDS.pinnedModel,
  },
);

/** A decision on nothing but stated figures. */
export const SIMULATE_INPUT = fieldTable(
  'AdaptiveRouteSimulateInput',
  'A whole situation, as the caller states it.',
  {
    ...STATED_REQUEST_FIELDS,
    jurisdictionsAllowed: defaulting(FEATURE_FIELDS.jurisdictionsAllowed, JURISDICTIONS.codes),
    candidates: list(object(CANDIDATE, 'A model.'), 'Every model that may be chosen among.', {
      min: 1,
      max: CANDIDATES_MAX,
    }),
    terms: optional(object(STATED_TERMS, 'The terms; those of BALANCED without limits else.')),
    killSwitch: optional(object(STATED_SWITCH, 'The kill switch; it is ACTIVE by default.')),
    incumbent: optional(text('The model that answers such requests at present.', MODEL_NAME)),
    seed: defaulting(text('What all chance comes from; equal ones try the same.', REQUEST_ID), '1'),
  },
);
export type StatedSituation = ValuesOf<typeof SIMULATE_INPUT.fields>;

/** A decision of which nothing is kept. */
export const SIMULATED = fieldTable(
  'AdaptiveRouteSimulation',
  'A decision on stated figures, of which nothing is kept.',
  {
    ...DECISION_FIELDS,
    commercialInfluence: code(
      COMMERCIAL_INFLUENCES,
      'Whether what the request earns has moved any utility or rank by quality.',
    ),
  },
);

/** A version of a routing contract to publish. */
export const CONTRACT_INPUT = fieldTable(
  'RoutingContractInput',
  'A version of how the router works for a use case.',
  CONTRACT_FIELDS,
);

const { frozen, ...SWITCH_STATED } = SWITCH_FIELDS;

/** A state of a kill switch to set. */
export const SWITCH_INPUT = fieldTable('RouterKillSwitchInput', 'What a router may do from now.', {
  ...SWITCH_STATED,
  scopeKey: defaulting(SWITCH_STATED.scopeKey, '*'),
});

/** Which kill switch is asked for. */
export const SWITCH_QUESTION = {
  scopeKey: defaulting(text('The key of a contract, or `*` for all of them.', USE_CASE), '*'),
} as const;

/** A kill switch as it stands. */
export const SWITCH_STANDING = fieldTable(
  'RouterKillSwitchStanding',
  'How the kill switch of a scope stands now.',
  {
    ...SWITCH_STATED,
    version: integer('How often it was set; 0 where nobody has.'),
    frozen,
    setBy: optional(uuid('The member or key that set it; null where nobody has.')),
    setAt: optional(instant('When it was set; null where nobody has.')),
    stateInForce: code(KILL_SWITCH_STATES, 'What the router may do: `*` comes before a contract.'),
    scopeInForce: text('The scope whose state is in force.'),
  },
);

/** An outcome to report. */
export const OUTCOME_INPUT = fieldTable(
  'RoutingOutcomeInput',
  'What became of an answer. What the gateway has recorded itself need not be stated.',
  {
    requestId: text('The id of the request that was answered or decided.', REQUEST_ID),
    outcome: code(OUTCOMES, 'What became of the answer.'),
    useCase: optional(text('What it was for; must be as recorded.', USE_CASE)),
    model: optional(text('The model that answered; must be as recorded.', MODEL_NAME)),
    costMicro: optional(money('What it has cost; must be as recorded, where it is.', PRICE)),
    latencyMs: optional(
      integer('How long it took; must be as recorded, where it is.', { min: 0, max: 86_400_000 }),
    ),
  },
);
export type StatedOutcome = ValuesOf<typeof OUTCOME_INPUT.fields>;

/** What is kept of an outcome, as the body of its entry. */
export const OUTCOME_BODY = {
  useCase: text('What the request was for.'),
  model: text('The model that answered.'),
  source: code(OUTCOME_SOURCES, 'What the outcome is the outcome of.'),
  explored: flag('Whether the model was tried on purpose.'),
  simulated: flag('Whether the model is simulated, so that its answer was made up.'),
  isEvidence: flag('Whether it counts: simulated answers and own checks of the gateway do not.'),
  costMicro: optional(money('What it has cost; null where nobody knows.')),
  latencyMs: optional(integer('How long it took; null where nobody knows.')),
} as const;
export type OutcomeBody = ValuesOf<typeof OUTCOME_BODY>;

/** An outcome as it was recorded. */
export const RECORDED_OUTCOME = fieldTable('RoutingOutcome', 'What became of an answer.', {
  requestId: text('The id of the request.'),
  outcome: code(OUTCOMES, 'What became of the answer.'),
  ...OUTCOME_BODY,
  duplicate: flag('Whether it had been reported before with all of this; nothing was written.'),
  added: list(
    text('A field.'),
    'What this report has added to an earlier one of the request; empty for the first report.',
  ),
  recordedAt: instant('When it was reported first.'),
});

/** Figures of outcomes. Means are rounded half up. */
const FIGURES = {
  outcomes: integer('Outcomes that were reported.'),
  accepted: integer('Answers that were used as they were.'),
  corrected: integer('Answers that were used after a correction.'),
  rejected: integer('Answers that were not used.'),
  acceptanceBasisPoints: optional(integer('The share that was accepted, of 10,000.')),
  acceptanceLowBasisPoints: optional(integer('The lower end of its Wilson interval of 95 %.')),
  acceptanceHighBasisPoints: optional(integer('The upper end of its Wilson interval of 95 %.')),
  meanCostMicro: optional(money('What such a request cost on average, as recorded.')),
  meanLatencyMs: optional(integer('How long such an answer took on average, as recorded.')),
  declaredMeanCostMicro: optional(money('The same of costs that were stated, not recorded.')),
  declaredMeanLatencyMs: optional(integer('The same of latencies that were stated.')),
} as const;
export type Figures = ValuesOf<typeof FIGURES>;

const FIGURES_SHOWN = fieldTable('RoutingOutcomeFigures', 'Figures of some outcomes.', FIGURES);
const OF_MODEL = fieldTable('RoutingOutcomesOfModel', 'Outcomes of one model.', {
  model: text('The id of the model.'),
  ...FIGURES,
});
const OF_USE_CASE = fieldTable('RoutingOutcomesOfUseCase', 'Outcomes of one use case.', {
  useCase: text('What the requests were for.'),
  ...FIGURES,
  models: list(object(OF_MODEL, 'A model.'), 'The same for each model, most outcomes first.'),
});

/** What outcomes say of routed requests. */
export const ADAPTIVE_PORTFOLIO = fieldTable(
  'AdaptiveRoutingPortfolio',
  'How often answers were accepted, from the outcomes that were reported in a window.',
  {
    verdict: code(ADAPTIVE_PORTFOLIO_VERDICTS, 'Whether anything could be measured.'),
    reason: optional(text('Why nothing is certified; null where something is.')),
    needed: list(text('A missing part.'), 'What would have to be there; empty where all is.'),
    from: instant('Begin of the window.'),
    to: instant('End of the window; what is reported at this moment is outside.'),
    ...FIGURES,
    explored: object(FIGURES_SHOWN, 'Of models that were tried on purpose.'),
    notExplored: object(FIGURES_SHOWN, 'Of models that were the best choice.'),
    useCases: list(
      object(OF_USE_CASE, 'A use case.'),
      `Those with most outcomes come first; at most ${PORTFOLIO_ROWS_MAX} are told apart.`,
    ),
    aside: object(FIGURES_SHOWN, 'No evidence: of simulated models, and checks of the gateway.'),
    provenance: code(PROVENANCES, '`live_measured`: from outcomes of recorded requests.'),
  },
);
export type AdaptivePortfolio = ValuesOf<typeof ADAPTIVE_PORTFOLIO.fields>;

/** Which window of a portfolio, and which use case. */
export const PORTFOLIO_QUESTION = {
  from: optional(periodBegin('Begin of the window; 30 days before its end by default.')),
  to: optional(periodEnd('End of the window; now unless it is stated.')),
  useCase: optional(text('Only this use case.', USE_CASE)),
} as const;

/** What recomputing a receipt of a decision showed. */
export const ROUTE_VERIFICATION = fieldTable(
  'AdaptiveRoutingReceiptVerification',
  'What recomputing a receipt of a decision showed.',
  {
    ...RECEIPT_VERIFICATION.fields,
    decisionIdentical: flag('Whether the sealed inputs give the sealed decision once more.'),
    differences: RE_EXECUTION.fields.differences,
  },
);
