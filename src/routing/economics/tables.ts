import {
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  money,
  number,
  object,
  optional,
  periodBegin,
  periodEnd,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { REPORT_DAYS } from '../../kernel/window.rules.js';
import { REQUEST_ID } from '../decision/sealed-decision.js';
import { STATED_REQUEST_FIELDS } from '../decision/stated-request.js';
import {
  DECISION_FIELDS,
  ESTIMATE_FIELDS,
  FEATURE_FIELDS,
  FEATURES,
  KILL_SWITCH,
  TERMS,
} from '../decision/tables.js';
import { POLICY_FIELDS, SCORECARD_FIELDS, USE_CASE } from './records.js';
import { PORTFOLIO_USE_CASES_MAX, PORTFOLIO_VERDICTS } from './vocabulary.js';

/** A version of a route policy to publish. */
export const POLICY_INPUT = fieldTable(
  'RoutePolicyInput',
  'A version of how a model is chosen.',
  POLICY_FIELDS,
);

/** What a scorecard is asked for by; what is measured takes no figure. */
export const SCORECARD_INPUT = fieldTable('ModelScorecardInput', 'A version of a scorecard.', {
  useCase: SCORECARD_FIELDS.useCase,
  model: SCORECARD_FIELDS.model,
  source: SCORECARD_FIELDS.source,
  qualityBasisPoints: optional(SCORECARD_FIELDS.qualityBasisPoints),
  qualityLowBasisPoints: optional(SCORECARD_FIELDS.qualityLowBasisPoints),
  qualityHighBasisPoints: optional(SCORECARD_FIELDS.qualityHighBasisPoints),
  latencyMs: SCORECARD_FIELDS.latencyMs,
  costMicro: SCORECARD_FIELDS.costMicro,
  evaluationReceiptId: optional(
    uuid('For EVALUATION: the sealed receipt of an evaluation that the gateway has run.'),
  ),
});
export type ScorecardInput = ValuesOf<typeof SCORECARD_INPUT.fields>;

/** What is asked of the router, without any text of the request. */
const QUESTION_FIELDS = {
  useCase: defaulting(
    text('What the request is for, as its `metadata.feature`.', USE_CASE),
    'default',
  ),
  policyKey: optional(
    text('A route policy that holds instead of what is in force for the use case.', USE_CASE),
  ),
  ...STATED_REQUEST_FIELDS,
} as const;
export type RouteQuestion = ValuesOf<typeof QUESTION_FIELDS>;

/** A question that is answered and forgotten. */
export const SIMULATE_INPUT = fieldTable(
  'RouteSimulateInput',
  'A request, as far as a router reads it.',
  {
    requestId: optional(text('What all chance comes from, as when it is decided.', REQUEST_ID)),
    ...QUESTION_FIELDS,
  },
);

/** A question whose answer is sealed. */
export const DECIDE_INPUT = fieldTable('RouteDecideInput', 'A request that is decided about.', {
  requestId: text('What the request is called; it is decided and sealed once.', REQUEST_ID),
  ...QUESTION_FIELDS,
});

/** A decision that nobody has to keep to. */
export const SIMULATION = fieldTable('RouteSimulation', 'A decision of which nothing is kept.', {
  ...DECISION_FIELDS,
  useCase: text('The use case that is meant.'),
  features: object(FEATURES, 'What was read of the request.'),
  terms: object(TERMS, 'The terms in force, and where they come from.'),
  killSwitch: object(KILL_SWITCH, 'The kill switch as it stands.'),
  incumbent: optional(text('The model that answers such requests now; null where none has.')),
  authoritative: flag('False: what is expected of a request, not what one has cost.'),
  provenance: code(PROVENANCES, 'Where the figures come from: they are `estimated`.'),
});

/** What the catalogue declares of a model, before anything is measured. */
export const NOMINAL_SCORECARD = fieldTable(
  'NominalScorecard',
  'What is reckoned with for a model of this server of which nothing else is known.',
  {
    model: text('The id of the model.'),
    operation: FEATURE_FIELDS.operation,
    isSimulated: flag('Whether its answers are made up.'),
    source: ESTIMATE_FIELDS.qualitySource,
    qualityBasisPoints: ESTIMATE_FIELDS.qualityBasisPoints,
    latencyMs: ESTIMATE_FIELDS.latencyMs,
  },
);

const SAVED = {
  requests: integer('Requests that a router has decided and a real model has answered in full.'),
  spentMicro: money('What was paid for them: charges of the ledger less refunds posted meanwhile.'),
  baselineMicro: money('What their tokens cost at the list prices of the premium baseline.'),
  costSavedMicro: money('The baseline less what the tokens cost at the prices of the answer.'),
  premiumAvoidedPercent: number('The share that another model than the baseline answered, of 100.'),
} as const;

/** What decisions of one use case have saved. */
const USE_CASE_SAVINGS = fieldTable('RoutingUseCaseSavings', 'Savings of one use case.', {
  useCase: text('The use case that is meant.'),
  ...SAVED,
});
export type UseCaseSavings = ValuesOf<typeof USE_CASE_SAVINGS.fields>;

/** Decided requests that are no evidence. */
const ASIDE = fieldTable('RoutingRequestsAside', 'Decided requests that are no evidence.', {
  requests: integer('How many there are.'),
  spentMicro: money('What was paid for them: charges of the ledger less refunds posted meanwhile.'),
});

/** What decisions that were really used have saved. */
export const PORTFOLIO = fieldTable(
  'RoutingPortfolio',
  'What decisions that were really used have saved.',
  {
    verdict: code(PORTFOLIO_VERDICTS, 'Whether anything could be measured.'),
    reason: optional(text('Why nothing is certified; null where something is.')),
    needed: list(text('A missing part.'), 'What would have to be there; empty where all is.'),
    from: instant('Begin of the window.'),
    to: instant('End of the window; what happens at this moment is outside.'),
    ...SAVED,
    spentMicro: optional(SAVED.spentMicro),
    baselineMicro: optional(SAVED.baselineMicro),
    costSavedMicro: optional(SAVED.costSavedMicro),
    premiumAvoidedPercent: optional(SAVED.premiumAvoidedPercent),
    useCases: list(
      object(USE_CASE_SAVINGS, 'A use case.'),
      `Those that spent most come first; at most ${PORTFOLIO_USE_CASES_MAX} are told apart.`,
    ),
    simulated: object(ASIDE, 'Answered by simulated models.'),
    others: object(ASIDE, 'Not answered in full, or asked by the gateway for itself.'),
    provenance: code(PROVENANCES, '`live_measured`: from the recorded usage of the organization.'),
  },
);
export type Portfolio = ValuesOf<typeof PORTFOLIO.fields>;

/** The window and use case of a portfolio. */
export const PORTFOLIO_QUESTION = {
  from: optional(
    periodBegin(`Begin of the window; ${REPORT_DAYS.default} days before its end by default.`),
  ),
  to: optional(periodEnd('End of the window; now unless it is stated.')),
  useCase: optional(text('Only this use case.', USE_CASE)),
} as const;
