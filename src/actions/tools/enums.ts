import { builder } from '../../graph/builder.js';
import { enumValues } from '../../graph/enums.js';
import { FIGURE_BASES } from './blast-radius.js';
import {
  APPROVAL_STATUSES,
  CALL_STATUSES,
  CONNECTORS,
  DECISIONS,
  RISK_LEVELS,
} from './vocabulary.js';

/** The risk of a verb or a tool. */
export const ToolRiskEnum = builder.enumType('ToolRisk', {
  description: 'How much harm an action can do.',
  values: enumValues(RISK_LEVELS),
});

/** What carries an action out. */
export const ToolConnectorEnum = builder.enumType('ToolConnector', {
  description: 'What carries an action out; the reference says which can be used already.',
  values: enumValues(CONNECTORS),
});

/** What the action policy decides. */
export const ToolDecisionEnum = builder.enumType('ToolDecision', {
  description: 'What the action policy decides.',
  values: enumValues(DECISIONS),
});

/** The status of a call. */
export const ToolCallStatusEnum = builder.enumType('ToolCallStatus', {
  description: 'How far a call is.',
  values: enumValues(CALL_STATUSES),
});

/** The status of a call's approval. */
export const ToolApprovalStatusEnum = builder.enumType('ToolApprovalStatus', {
  description: 'How far the approval of a call is.',
  values: enumValues(APPROVAL_STATUSES),
});

/** The basis of a figure. */
export const ToolFigureBasisEnum = builder.enumType('ToolFigureBasis', {
  description: 'Where a figure of a blast radius comes from.',
  values: enumValues(FIGURE_BASES),
});
