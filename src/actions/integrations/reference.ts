import { code, fieldTable, json } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import {
  ACTION_STATUSES,
  ACTION_VERBS,
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
const STATE = fieldTable('IntegrationActionState', 'The life of an action, state by state.', {
  next: json('The steps that lead on, each with the state that it leads to.'),
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
    actionLifecycle: rows('action_status', ACTION_STATUSES.rows, STATE),
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
