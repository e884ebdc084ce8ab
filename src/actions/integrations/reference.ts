import { code, fieldTable, list, object } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import {
  ACTION_EVENTS,
  ACTION_STATUSES,
  ACTION_VERBS,
  type ActionEvent,
  type ActionStatus,
  APPROVAL_RULES,
  AUTH_KINDS,
  CHANGE_KINDS,
  CONNECTOR_CATEGORIES,
  CONNECTOR_STATUSES,
  COST_REASONS,
  DECISIONS,
  FIELD_NATURES,
  FIELD_TYPES,
  RISK_LEVELS,
  RISK_RULES,
} from './vocabulary.js';

const RISK_RULE = fieldTable('IntegrationRiskRule', RISK_RULES.description, {
  level: code(RISK_LEVELS, 'The risk that the rule gives a change.'),
});
const APPROVAL_RULE = fieldTable('IntegrationApprovalRule', APPROVAL_RULES.description, {
  outcome: code(DECISIONS, 'What follows where it applies.'),
});
const STEP = fieldTable('IntegrationActionStep', 'A step that leads on from a state.', {
  event: code(ACTION_EVENTS, 'What happens to the action.'),
  status: code(ACTION_STATUSES, 'Where the action stands after it.'),
});
const STATE = fieldTable('IntegrationActionState', 'The life of an action, state by state.', {
  next: list(object(STEP, 'A step.'), 'The steps that lead on from the state; none at its end.'),
});

const LIFE = ACTION_STATUSES.rows.map(({ code, description, next }) => {
  const steps = Object.entries(next) as [ActionEvent, ActionStatus][];
  return { code, description, next: steps.map(([event, status]) => ({ event, status })) };
});

publishReference({
  module: 'integrations',
  type: 'IntegrationsReference',
  description: 'Risk classes, life of actions and approval rules, as the rules read them.',
  lists: {
    riskClasses: codes('risk_class', RISK_LEVELS),
    riskRules: rows('risk_rule', RISK_RULES.rows, RISK_RULE),
    approvalRules: rows('approval_rule', APPROVAL_RULES.rows, APPROVAL_RULE),
    decisions: codes('decision', DECISIONS),
    actionLifecycle: rows('action_status', LIFE, STATE),
    verbs: codes('verb', ACTION_VERBS),
    fieldTypes: codes('field_type', FIELD_TYPES),
    fieldNatures: codes('field_nature', FIELD_NATURES),
    changeKinds: codes('change_kind', CHANGE_KINDS),
    costReasons: codes('cost_reason', COST_REASONS),
    categories: codes('category', CONNECTOR_CATEGORIES),
    authKinds: codes('auth', AUTH_KINDS),
    connectorStatuses: codes('connector_status', CONNECTOR_STATUSES),
  },
});
