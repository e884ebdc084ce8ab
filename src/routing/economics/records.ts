import {
  code,
  defaulting,
  instant,
  integer,
  money,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { contractKind } from '../../records/contract-kinds.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import { SEALED_DECISION_FIELDS } from '../decision/sealed-decision.js';
import { TERM_FIELDS } from '../decision/tables.js';
import { BASIS_POINTS, SCORECARD_SOURCES } from '../decision/vocabulary.js';
import { OBJECTIVES } from './vocabulary.js';

/** The longest name of a use case; requests state theirs as `metadata.feature`. */
export const USE_CASE = { max: 64 };

/** What a route policy says. */
export const POLICY_FIELDS = {
  policyKey: defaulting(
    text(
      'What the policy is called; requests name it as `gw:route/<key>`. One whose key is a use ' +
        'case holds for it, `default` for all others.',
      { max: 64 },
    ),
    'default',
  ),
  objective: code(OBJECTIVES, 'What is sought among the models that pass.'),
  qualityFloorBasisPoints: TERM_FIELDS.qualityFloorBasisPoints,
  costMicroMax: TERM_FIELDS.costMicroMax,
  latencyMsMax: TERM_FIELDS.latencyMsMax,
  modelsAllowed: defaulting(TERM_FIELDS.modelsAllowed, []),
  fallbackModel: TERM_FIELDS.fallbackModel,
} as const;
export type RoutePolicyTerms = ValuesOf<typeof POLICY_FIELDS>;

/** The route policies of an organization: versions only grow. */
export const ROUTE_POLICIES = contractKind({
  kind: 'route_policy',
  type: 'RoutePolicy',
  description: 'A version of how a model is chosen: what is sought, and within which limits.',
  body: POLICY_FIELDS,
  key: 'policyKey',
  list: { field: 'routePolicies', permission: 'routing.read', by: ['policyKey'] },
});

const SHARE = { min: 0, max: BASIS_POINTS };

/** What a scorecard says of a model. */
export const SCORECARD_FIELDS = {
  scorecardKey: text('The use case and the model with a slash between.', { max: 300 }),
  useCase: text('What the model is used for; `default` holds for every other use.', USE_CASE),
  model: text('The id of the model.', { max: 200 }),
  source: code(SCORECARD_SOURCES, 'Where the quality comes from.'),
  qualityBasisPoints: integer('The share of answers that are good, of 10,000.', SHARE),
  qualityLowBasisPoints: integer('The lower end of its interval of 95 %.', SHARE),
  qualityHighBasisPoints: integer('The upper end of its interval of 95 %.', SHARE),
  samples: integer('How many answers it was measured on; 0 where it was stated.', { min: 0 }),
  latencyMs: optional(
    integer('How long an answer takes; null leaves it to the catalogue.', {
      min: 1,
      max: 3_600_000,
    }),
  ),
  costMicro: optional(money('What a request has cost on average; never decides, list prices do.')),
  evidence: optional(text('What it rests on, such as the id of a receipt or the days measured.')),
  measuredTo: optional(instant('The end of what was measured; null where it was stated.')),
} as const;
export type Scorecard = ValuesOf<typeof SCORECARD_FIELDS>;

/** The scorecards of an organization: versions only grow. */
export const MODEL_SCORECARDS = contractKind({
  kind: 'model_scorecard',
  type: 'ModelScorecard',
  description: 'A version of what is known of a model for a use case, and where it comes from.',
  body: SCORECARD_FIELDS,
  key: 'scorecardKey',
  list: {
    field: 'modelScorecards',
    permission: 'routing.read',
    by: ['useCase', 'model'],
    inForce: 'modelScorecardsInForce',
  },
});

/** Decisions that were asked for: each request is decided and sealed once. */
export const ROUTING_RECEIPTS = receiptKind({
  kind: 'routing_decision',
  type: 'RoutingReceipt',
  description: 'A routing decision with all that it follows from, sealed once for its request.',
  queries: 'routing.read',
  content: SEALED_DECISION_FIELDS,
});
