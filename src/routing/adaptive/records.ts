import {
  code,
  defaulting,
  fieldTable,
  integer,
  list,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { contractKind } from '../../records/contract-kinds.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import { SEALED_DECISION_FIELDS } from '../decision/sealed-decision.js';
import { TERM_FIELDS } from '../decision/tables.js';
import {
  EXPLORATION_BASIS_POINTS_MAX,
  KILL_SWITCH_STATES,
  NONE_PASSES,
} from '../decision/vocabulary.js';
import { USE_CASE } from '../economics/records.js';
import { COMMERCIAL_INFLUENCES } from './vocabulary.js';

/** The scope of a kill switch that holds for every contract. */
export const EVERY_SCOPE = '*';

/** What a routing contract says: its key is a use case, or `default` for all others. */
export const CONTRACT_FIELDS = {
  contractKey: defaulting(
    text('The use case that it is for; `default` is for every other one.', USE_CASE),
    'default',
  ),
  ...TERM_FIELDS,
  modelsAllowed: defaulting(TERM_FIELDS.modelsAllowed, []),
  providersAllowed: defaulting(TERM_FIELDS.providersAllowed, []),
  whenNonePasses: defaulting(TERM_FIELDS.whenNonePasses, 'NEXT_BEST'),
  whenUnmeasured: optional(
    code(
      NONE_PASSES,
      'What happens in the mode ASSURED where no model that is able has a measured quality; ' +
        'REFUSE where it is null.',
    ),
  ),
  explorationBasisPoints: defaulting(
    integer('How many of 10,000 requests may explore.', {
      min: 0,
      max: EXPLORATION_BASIS_POINTS_MAX,
    }),
    0,
  ),
  explorationLossBasisPointsMax: defaulting(TERM_FIELDS.explorationLossBasisPointsMax, 500),
  hysteresisBasisPoints: defaulting(TERM_FIELDS.hysteresisBasisPoints, 0),
} as const;
export type RoutingContractTerms = ValuesOf<typeof CONTRACT_FIELDS>;

/** The routing contracts of an organization: versions only grow. */
export const ROUTING_CONTRACTS = contractKind({
  kind: 'routing_contract',
  type: 'RoutingContract',
  description: 'A version of how the router works for a use case.',
  body: CONTRACT_FIELDS,
  key: 'contractKey',
  list: { field: 'routingContracts', permission: 'adaptive_routing.read', by: ['contractKey'] },
});

const FROZEN = fieldTable('RouterFrozenModel', 'The model that a frozen router stays with.', {
  useCase: text('What the requests are for.'),
  model: text('The id of the model.'),
});

/** What a state of a kill switch says. */
export const SWITCH_FIELDS = {
  scopeKey: text('The key of a routing contract, or `*` for all of them.', USE_CASE),
  state: code(KILL_SWITCH_STATES, 'What the router may do from now on.'),
  pinnedModel: optional(text('The only model that answers, for PINNED alone.', { max: 200 })),
  reason: optional(text('Why it was switched, for those who read it later.', { max: 500 })),
  frozen: list(
    object(FROZEN, 'A use case and its model.'),
    'For FROZEN: the model that answered most in the day before, for each use case.',
  ),
} as const;
export type SwitchTerms = ValuesOf<typeof SWITCH_FIELDS>;

/** The kill switches of an organization: every state that was set, the latest holds. */
export const KILL_SWITCHES = contractKind({
  kind: 'router_kill_switch',
  type: 'RouterKillSwitch',
  description: 'A state of the kill switch of a router: the latest of its scope holds.',
  body: SWITCH_FIELDS,
  key: 'scopeKey',
  list: {
    field: 'routerKillSwitches',
    permission: 'adaptive_routing.read',
    by: ['scopeKey'],
  },
});

/** Receipts of decisions: once for a request. Their verification decides again. */
export const ROUTING_RECEIPTS = receiptKind({
  kind: 'adaptive_route',
  type: 'AdaptiveRoutingReceipt',
  description: 'A decision with all that it follows from, sealed once for its request.',
  content: {
    ...SEALED_DECISION_FIELDS,
    commercialInfluence: code(
      COMMERCIAL_INFLUENCES,
      'Whether what the request earns has moved any utility or rank by quality.',
    ),
  },
});
