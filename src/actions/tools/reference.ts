import { publishedGuards } from '../../kernel/decision.js';
import { code, fieldTable, flag, integer, money, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { ACTION_GUARDS } from './rules.js';
import {
  APPROVAL_STATUSES,
  CALL_FAILURES,
  CALL_STATUSES,
  CALLER_LIMITS,
  CONNECTORS,
  DECISIONS,
  FIGURE_BASES,
  RISK_LEVELS,
  VERB_ORIGINS,
  VERBS,
} from './vocabulary.js';

const VERB = fieldTable(
  'ToolVerb',
  'The verbs that contracts may use, with what holds unless a contract says otherwise.',
  {
    risk: code(RISK_LEVELS, 'The risk of the verb.'),
    destructive: flag('It destroys something.'),
    scope: text('How many records a call changes: `none`, `one` or `many`.'),
    money: flag('It moves money, so the contract should name its `amount_field`.'),
  },
);
const CONNECTOR = fieldTable('ToolConnectorEntry', 'The connector registry.', {
  status: text('`available`, or `roadmap`: announced, and refused until it is built.'),
});
const GUARD = fieldTable('ToolDecisionGuard', 'The action policy: the first row decides.', {
  outcome: code(DECISIONS, 'What follows where it applies.'),
});
const LIMIT = fieldTable('ToolCallerLimit', 'What a kind of caller may do without an approval.', {
  recordsMax: integer('Records changed in one call.'),
  amountMicroMax: money('Money moved in one call, unless the contract says its own.'),
});
const LIMITS = Object.entries(CALLER_LIMITS).map(([caller, row]) => ({ code: caller, ...row }));

publishReference({
  module: 'tools',
  type: 'ToolsReference',
  description: 'Verbs, risk levels, statuses, connectors and the decision table of tools.',
  lists: {
    verbs: rows('verb', VERBS.rows, VERB),
    verbOrigins: codes('verb_origin', VERB_ORIGINS),
    riskLevels: codes('risk', RISK_LEVELS),
    approvalStatuses: codes('approval_status', APPROVAL_STATUSES),
    callStatuses: codes('call_status', CALL_STATUSES),
    decisions: codes('decision', DECISIONS),
    failures: codes('failure', CALL_FAILURES),
    figureBases: codes('figure_basis', FIGURE_BASES),
    connectors: rows('connector', CONNECTORS.rows, CONNECTOR),
    decisionTable: rows('decision_rule', publishedGuards(ACTION_GUARDS), GUARD),
    callerLimits: rows('caller_limit', LIMITS, LIMIT),
  },
});
