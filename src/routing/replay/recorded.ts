import {
  code,
  flag,
  integer,
  money,
  object,
  optional,
  sha256,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { FEATURES } from '../decision/tables.js';
import { ROUTING_VERDICTS } from '../decision/vocabulary.js';

/** The member of the metadata of a usage row that holds the decision about its request. */
export const DECISION_MEMBER = 'gw_routing';

/** A decision as a usage row keeps it. */
export const DECISION_RECORD = {
  situation: sha256('The hash of the situation that it was made in.'),
  contractKey: text('The contract or policy that was in force.'),
  contractVersion: integer('Its version.'),
  useCase: text('What the request was for.'),
  features: object(FEATURES, 'What the router read of the request.'),
  incumbent: optional(text('The model that was present.')),
  verdict: code(ROUTING_VERDICTS, 'How the decision ended.'),
  model: optional(text('The model that was chosen.')),
  explored: flag('Whether it was tried on purpose.'),
  qualityBasisPoints: optional(integer('The quality that was reckoned with.')),
  baselineModel: optional(text('The premium baseline.')),
  baselineCostMicro: optional(money('What the billed tokens would have cost with the baseline.')),
} as const;
export type DecisionRecord = ValuesOf<typeof DECISION_RECORD>;
