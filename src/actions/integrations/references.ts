import { defineReference } from '../../records/references.js';
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

/** What the reference of the module publishes: the very lists that its rules read. */
export const INTEGRATION_REFERENCES = {
  riskClasses: defineReference('integrations.risk_class', RISK_LEVELS),
  riskRules: defineReference('integrations.risk_rule', RISK_RULES),
  approvalRules: defineReference('integrations.approval_rule', APPROVAL_RULES),
  decisions: defineReference('integrations.decision', DECISIONS),
  actionLifecycle: defineReference('integrations.action_status', ACTION_STATUSES),
  verbs: defineReference('integrations.verb', ACTION_VERBS),
  fieldTypes: defineReference('integrations.field_type', FIELD_TYPES),
  fieldNatures: defineReference('integrations.field_nature', FIELD_NATURES),
  changeKinds: defineReference('integrations.change_kind', CHANGE_KINDS),
  costReasons: defineReference('integrations.cost_reason', COST_REASONS),
  categories: defineReference('integrations.category', CONNECTOR_CATEGORIES),
  authKinds: defineReference('integrations.auth', AUTH_KINDS),
  connectorStatuses: defineReference('integrations.connector_status', CONNECTOR_STATUSES),
} as const;

/** The reference as one value. */
export type IntegrationReferences = typeof INTEGRATION_REFERENCES;
