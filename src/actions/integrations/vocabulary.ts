import type { Lifecycle } from '../../kernel/lifecycle.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** How much harm a change can do, mildest first. */
export const RISK_LEVELS = vocabulary(
  'IntegrationRiskLevel',
  'How much harm a change can do, mildest first.',
  [
    { code: 'low', description: 'A note or a task inside the own team; nobody else is affected.' },
    { code: 'medium', description: 'Changes that colleagues or customers see.' },
    { code: 'high', description: 'Money, deletion, or what cannot be taken back.' },
    { code: 'critical', description: 'Large amounts; an AI agent may not ask for it.' },
  ],
);

/** A class of risk. */
export type RiskLevel = CodeOf<typeof RISK_LEVELS>;

/** What systems the connectors stand for. */
export const CONNECTOR_CATEGORIES = vocabulary(
  'IntegrationCategory',
  'What kind of system a connector stands for.',
  [
    { code: 'crm', description: 'Customers, deals and tasks.' },
    { code: 'accounting', description: 'Invoices, payments and counterparties.' },
    { code: 'workflow', description: 'Scenarios that run elsewhere.' },
    { code: 'messenger', description: 'Messages to people.' },
    { code: 'webhook', description: 'Events for an endpoint of your own.' },
    { code: 'email', description: 'Systems that send letters.' },
    { code: 'drive', description: 'Files and folders.' },
    { code: 'csv', description: 'Tables as files.' },
  ],
);

/** A category of connectors. */
export type ConnectorCategory = CodeOf<typeof CONNECTOR_CATEGORIES>;

/** How the real system would ask who calls. */
export const AUTH_KINDS = vocabulary(
  'IntegrationAuth',
  'How the real system would ask who calls.',
  [
    { code: 'oauth2', description: 'The owner of the system consents; tokens are renewed.' },
    { code: 'api_key', description: 'A key that the system has issued.' },
    { code: 'bot_token', description: 'The token of a bot.' },
    { code: 'basic', description: 'A user name and a password.' },
    { code: 'signature', description: 'Each message is signed by Standard Webhooks.' },
    { code: 'none', description: 'Nothing is asked.' },
  ],
);

/** A kind of authentication. */
export type AuthKind = CodeOf<typeof AUTH_KINDS>;

/** What a connector can do today. */
export const CONNECTOR_STATUSES = vocabulary(
  'IntegrationConnectorStatus',
  'What a connector can do today.',
  [
    {
      code: 'simulated',
      description:
        'Previews, approvals, execution and rollback work on the copy of the record that the ' +
        'gateway keeps. The adapter to the real system is on the roadmap: nothing is sent to it.',
    },
  ],
);

/** What an action does to its record. */
export const ACTION_VERBS = vocabulary('IntegrationVerb', 'What an action does to its record.', [
  { code: 'create', description: 'Makes a record; there is none before.' },
  { code: 'update', description: 'Changes fields of a record.' },
  { code: 'delete', description: 'Removes a record with all its fields.' },
  { code: 'send', description: 'Hands something to others; it cannot be taken back.' },
]);

/** A verb. */
export type ActionVerb = CodeOf<typeof ACTION_VERBS>;

/** Types of fields, with what JSON they take. */
export const FIELD_TYPES = vocabulary('IntegrationFieldType', 'What JSON a field takes.', [
  { code: 'string', description: 'A value that is a text.' },
  { code: 'number', description: 'A finite number.' },
  { code: 'integer', description: 'A whole number.' },
  { code: 'boolean', description: 'A value that is true or false.' },
  { code: 'date', description: 'A day as YYYY-MM-DD.' },
  { code: 'list', description: 'A list; a new one replaces the old one as a whole.' },
  { code: 'object', description: 'An object; it is merged into the old one, null removes.' },
]);

/** The type of a field. */
export type FieldType = CodeOf<typeof FIELD_TYPES>;

/** What a field is about, where that raises the risk. */
export const FIELD_NATURES = vocabulary(
  'IntegrationFieldNature',
  'What a field is about, where that raises the risk.',
  [
    { code: 'plain', description: 'It holds nothing that needs care.' },
    { code: 'personal', description: 'It holds data of a person.' },
    { code: 'money', description: 'An amount in rubles or where money goes.' },
  ],
);

/** The nature of a field. */
export type FieldNature = CodeOf<typeof FIELD_NATURES>;

/** What a proposed change does to a field. */
export const CHANGE_KINDS = vocabulary('IntegrationChangeKind', 'What a change does to a value.', [
  { code: 'added', description: 'The field has no value now.' },
  { code: 'changed', description: 'The field gets another value.' },
  { code: 'removed', description: 'The field loses its value.' },
]);

/** From so many changed fields on, a change counts as one in bulk. */
export const BULK_CHANGES_MIN = 20;

/** From such a difference on, in rubles, an amount counts as large. */
export const LARGE_AMOUNT_RUB_MIN = 1_000_000;

/**
 * What raises the risk of an action above its own class. The highest level that applies is the
 * risk of the change.
 */
export const RISK_RULES = vocabulary(
  'IntegrationRiskRuleCode',
  'What raises the risk of an action above its own class.',
  [
    { code: 'destructive', level: 'high', description: 'The record is removed.' },
    { code: 'personal_data', level: 'medium', description: 'Personal data is changed.' },
    { code: 'money', level: 'high', description: 'An amount, or where money goes, is changed.' },
    {
      code: 'large_amount',
      level: 'critical',
      description: `An amount changes by ${LARGE_AMOUNT_RUB_MIN} rubles or more.`,
    },
    {
      code: 'bulk',
      level: 'high',
      description: `${BULK_CHANGES_MIN} or more values are changed at once.`,
    },
    {
      code: 'agent_irreversible',
      level: 'high',
      description: 'An agent asks for what cannot be taken back.',
    },
  ],
);

/** What becomes of a change. */
export const DECISIONS = vocabulary('IntegrationDecision', 'What becomes of a change.', [
  { code: 'auto', description: 'It is executed at once.' },
  { code: 'after_approval', description: 'It is executed when a member has approved it.' },
  { code: 'pending', description: 'It waits in the approval queue.' },
  {
    code: 'blocked',
    description: 'It is not executed: a rule or a member refused it, or nobody decided in time.',
  },
]);

/** A decision. */
export type IntegrationDecision = CodeOf<typeof DECISIONS>;

/** Who decides, in this order: the first rule that applies. */
export const APPROVAL_RULES = vocabulary(
  'IntegrationApprovalRuleCode',
  'Who decides; the first rule that applies.',
  [
    { code: 'no_change', outcome: 'blocked', description: 'The record has these values already.' },
    {
      code: 'agent_critical',
      outcome: 'blocked',
      description: 'The risk is critical and an agent asks.',
    },
    {
      code: 'action_always',
      outcome: 'after_approval',
      description: 'The action always asks for an approval.',
    },
    {
      code: 'high_risk',
      outcome: 'after_approval',
      description: 'The risk is high or critical.',
    },
    {
      code: 'agent_medium',
      outcome: 'after_approval',
      description: 'The risk is medium and an agent asks.',
    },
    {
      code: 'person_medium',
      outcome: 'auto',
      description: 'The risk is medium and no agent asks.',
    },
    { code: 'low_risk', outcome: 'auto', description: 'No other rule applies.' },
  ],
);

/** What a preview can decide; `pending` is what an execution makes of `after_approval`. */
export type PreviewDecision = (typeof APPROVAL_RULES)['rows'][number]['outcome'];

/** The life of an action, state by state, with the steps that lead on. */
export const ACTION_STATUSES = vocabulary('IntegrationActionStatus', 'Where an action stands.', [
  {
    code: 'pending',
    description: 'Waits for a decision.',
    next: { approve: 'approved', reject: 'rejected', expire: 'expired' },
  },
  {
    code: 'approved',
    description: 'Approved, and about to be executed.',
    next: { execute: 'executed', void: 'voided', give_up: 'failed' },
  },
  {
    code: 'executed',
    description: 'Carried out in the simulation.',
    next: { roll_back: 'rolled_back' },
  },
  { code: 'rolled_back', description: 'Carried out and undone.', next: {} },
  { code: 'blocked', description: 'A rule refused it.', next: {} },
  { code: 'rejected', description: 'A member refused it.', next: {} },
  { code: 'expired', description: 'Nobody decided in time.', next: {} },
  {
    code: 'voided',
    description: 'Approved, but the record had moved by then: nothing was carried out.',
    next: {},
  },
  { code: 'failed', description: 'Approved, but it could not be carried out.', next: {} },
]);

/** The status of an action. */
export type ActionStatus = CodeOf<typeof ACTION_STATUSES>;

/** The steps in the life of an action. */
export const ACTION_EVENTS = vocabulary(
  'IntegrationActionEvent',
  'A step in the life of an action.',
  [
    { code: 'approve', description: 'A member approves it.' },
    { code: 'reject', description: 'A member rejects it.' },
    { code: 'expire', description: 'Nobody decides in time.' },
    { code: 'execute', description: 'It is carried out in the simulation.' },
    { code: 'void', description: 'The record has moved, so that it is not carried out.' },
    { code: 'give_up', description: 'It could not be carried out, however often it was tried.' },
    { code: 'roll_back', description: 'What it changed is undone.' },
  ],
);

/** A step in the life of an action. */
export type ActionEvent = CodeOf<typeof ACTION_EVENTS>;

/** The state table of actions, from the list that is published. */
export const ACTION_LIFECYCLE = Object.fromEntries(
  ACTION_STATUSES.rows.map(({ code, next }) => [code, next]),
) as Lifecycle<ActionStatus, ActionEvent>;

/** Why a receipt has no cost. */
export const COST_REASONS = vocabulary('IntegrationCostReason', 'Why there is no cost.', [
  {
    code: 'no_linked_requests',
    description: 'No request was named in `request_ids`; the simulation itself costs nothing.',
  },
  {
    code: 'no_usage_found',
    description: 'None of the requests named has usage; name requests that were settled.',
  },
]);

/** How long a preview can be executed, in seconds. */
export const PREVIEW_SECONDS = 3_600;

/** How long an action waits for a decision, in seconds. */
export const APPROVAL_SECONDS = 86_400;

/** Bounds of what callers state; beyond them a request is refused. */
export const LIMITS = {
  recordIdLength: 200,
  stateBytes: 65_536,
  changesBytes: 65_536,
  stateFields: 500,
  proposedChanges: 500,
  requestIds: 50,
} as const;
