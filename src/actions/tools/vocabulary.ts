import { MICRO_PER_RUB } from '../../kernel/money.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';
import { WEBHOOK_FAILURES } from '../webhook/failures.js';

/** How much harm an action can do, mildest first. */
export const RISK_LEVELS = vocabulary(
  'ToolRisk',
  'How much harm an action can do, mildest first.',
  [
    { code: 'low', description: 'Reading, or a change that is easily put right.' },
    { code: 'medium', description: 'A change that others see.' },
    { code: 'high', description: 'A change that costs money or trust; a person decides.' },
    { code: 'critical', description: 'A change that can stop the business; a person decides.' },
  ],
);

/** A level of risk. */
export type RiskLevel = CodeOf<typeof RISK_LEVELS>;

/** How many records a verb touches where the contract does not say where to read it. */
export type VerbScope = 'none' | 'one' | 'many';

/** The kinds of verbs: what a contract need not say about a verb because its kind does. */
const KINDS = {
  reads: { risk: 'low', destructive: false, scope: 'none', money: false },
  exports: { risk: 'medium', destructive: false, scope: 'none', money: false },
  notes: { risk: 'low', destructive: false, scope: 'one', money: false },
  changes: { risk: 'medium', destructive: false, scope: 'one', money: false },
  removes: { risk: 'high', destructive: true, scope: 'one', money: false },
  pays: { risk: 'high', destructive: false, scope: 'one', money: true },
  bulk: { risk: 'high', destructive: false, scope: 'many', money: false },
  bulkRemoves: { risk: 'critical', destructive: true, scope: 'many', money: false },
  operates: { risk: 'high', destructive: false, scope: 'many', money: false },
} as const satisfies Readonly<
  Record<string, { risk: RiskLevel; destructive: boolean; scope: VerbScope; money: boolean }>
>;

/**
 * The verbs that contracts may use, each with what holds unless the contract says otherwise.
 * `scope` is the number of records that a call changes: none, one, or many. `money` verbs move
 * money, so their amount must be known.
 */
export const VERBS = vocabulary('ToolVerbCode', 'The verbs that contracts may use.', [
  { code: 'read', description: 'Reads one record.', ...KINDS.reads },
  { code: 'get', description: 'Reads one record.', ...KINDS.reads },
  { code: 'list', description: 'Lists records.', ...KINDS.reads },
  { code: 'search', description: 'Finds records.', ...KINDS.reads },
  { code: 'query', description: 'Answers a question from records.', ...KINDS.reads },
  { code: 'preview', description: 'Shows what would happen.', ...KINDS.reads },
  { code: 'validate', description: 'Checks without changing.', ...KINDS.reads },
  { code: 'export', description: 'Takes records out of the system.', ...KINDS.exports },
  { code: 'download', description: 'Takes a file out of the system.', ...KINDS.exports },
  { code: 'comment', description: 'Adds a comment to a record.', ...KINDS.notes },
  { code: 'tag', description: 'Labels a record.', ...KINDS.notes },
  { code: 'draft', description: 'Prepares something that nobody has received.', ...KINDS.notes },
  { code: 'create', description: 'Creates one record.', ...KINDS.changes },
  { code: 'update', description: 'Changes one record.', ...KINDS.changes },
  { code: 'write', description: 'Creates or replaces one record.', ...KINDS.changes },
  { code: 'append', description: 'Adds to one record.', ...KINDS.changes },
  { code: 'upload', description: 'Stores one file.', ...KINDS.changes },
  { code: 'assign', description: 'Gives a record to somebody.', ...KINDS.changes },
  { code: 'move', description: 'Puts a record somewhere else.', ...KINDS.changes },
  { code: 'open', description: 'Opens a record again.', ...KINDS.changes },
  { code: 'close', description: 'Closes a record.', ...KINDS.changes },
  { code: 'schedule', description: 'Plans something for later.', ...KINDS.changes },
  { code: 'restore', description: 'Brings back what was removed.', ...KINDS.changes },
  { code: 'send', description: 'Sends a message to a person outside.', ...KINDS.changes },
  { code: 'notify', description: 'Tells a person or a system.', ...KINDS.changes },
  { code: 'publish', description: 'Shows something to everybody.', ...KINDS.changes },
  { code: 'delete', description: 'Removes one record for good.', ...KINDS.removes },
  { code: 'remove', description: 'Takes one record away.', ...KINDS.removes },
  { code: 'archive', description: 'Puts one record out of use.', ...KINDS.removes },
  { code: 'cancel', description: 'Ends something that was agreed.', ...KINDS.removes },
  { code: 'revoke', description: 'Takes a right away.', ...KINDS.removes },
  { code: 'pay', description: 'Pays money.', ...KINDS.pays },
  { code: 'refund', description: 'Pays money back.', ...KINDS.pays },
  { code: 'charge', description: 'Takes money from a customer.', ...KINDS.pays },
  { code: 'transfer', description: 'Moves money.', ...KINDS.pays },
  { code: 'bulk_create', description: 'Creates many records.', ...KINDS.bulk },
  { code: 'bulk_update', description: 'Changes many records.', ...KINDS.bulk },
  { code: 'bulk_send', description: 'Sends a message to many people.', ...KINDS.bulk },
  { code: 'import', description: 'Brings many records in.', ...KINDS.bulk },
  { code: 'sync', description: 'Makes two systems equal.', ...KINDS.bulk },
  { code: 'bulk_delete', description: 'Removes many records for good.', ...KINDS.bulkRemoves },
  { code: 'execute', description: 'Runs a procedure of the system.', ...KINDS.operates },
  { code: 'deploy', description: 'Puts a new version into service.', ...KINDS.operates },
  { code: 'configure', description: 'Changes settings.', ...KINDS.operates },
  { code: 'grant', description: 'Gives a right.', ...KINDS.operates },
]);

/** Who says what a verb means. */
export const VERB_ORIGINS = vocabulary('ToolVerbOrigin', 'Who says what a verb means.', [
  { code: 'published', description: 'The list of verbs that this server publishes.' },
  { code: 'declared', description: 'The contract of the tool, which states its risk.' },
]);

/** Who says what a verb means. */
export type VerbOrigin = CodeOf<typeof VERB_ORIGINS>;

/** What carries an action out. A connector on the roadmap cannot be used yet. */
export const CONNECTORS = vocabulary(
  'ToolConnector',
  'What carries an action out; the reference says which can be used already.',
  [
    {
      code: 'http_webhook',
      status: 'available',
      description: 'A signed HTTPS call of `endpoint_url` (Standard Webhooks).',
    },
    {
      code: 'simulated',
      status: 'available',
      description: 'Answers in process from the arguments; nothing outside changes.',
    },
    { code: 'mcp', status: 'roadmap', description: 'A server of the Model Context Protocol.' },
    { code: 'crm', status: 'roadmap', description: 'Native connectors of CRM systems.' },
    { code: 'accounting', status: 'roadmap', description: 'Native connectors of accounting.' },
  ],
);

/** A connector. */
export type ConnectorCode = CodeOf<typeof CONNECTORS>;

/** Where a figure of a blast radius comes from. */
export const FIGURE_BASES = vocabulary(
  'ToolFigureBasis',
  'Where a figure of a blast radius comes from.',
  [
    { code: 'declared_in_arguments', description: 'Read from the arguments of the call.' },
    { code: 'declared_by_verb', description: 'What the verb means: none, or one record.' },
    { code: 'unknown', description: 'Not known before the call, so a person decides.' },
  ],
);

/** What the action policy can decide. */
export const DECISIONS = vocabulary('ToolDecision', 'What the action policy decides.', [
  { code: 'allow', description: 'The action is executed at once.' },
  { code: 'needs_approval', description: 'The action waits for a member who may approve.' },
  { code: 'block', description: 'The action is refused and not executed.' },
]);

/** A decision of the action policy. */
export type ActionDecision = CodeOf<typeof DECISIONS>;

/** How far the approval of a call is. */
export const APPROVAL_STATUSES = vocabulary(
  'ToolApprovalStatus',
  'How far the approval of a call is.',
  [
    { code: 'not_required', description: 'The action policy allowed or blocked it by itself.' },
    { code: 'pending', description: 'It waits for a member.' },
    { code: 'approved', description: 'A member approved it.' },
    { code: 'rejected', description: 'A member rejected it.' },
    { code: 'expired', description: 'Nobody decided in time.' },
  ],
);

/** The status of a call's approval. */
export type CallApprovalStatus = CodeOf<typeof APPROVAL_STATUSES>;

/** How far a call is. */
export const CALL_STATUSES = vocabulary('ToolCallStatus', 'How far a call is.', [
  { code: 'blocked', description: 'Refused by the action policy; final.' },
  { code: 'pending', description: 'Waits for an approval.' },
  { code: 'approved', description: 'Approved, and about to be executed.' },
  { code: 'rejected', description: 'Rejected by a member; final.' },
  { code: 'expired', description: 'Nobody decided in time; final.' },
  { code: 'executing', description: 'Is being executed.' },
  { code: 'executed', description: 'The tool did it; final.' },
  { code: 'failed', description: 'The tool did not do it, or did not say so; final.' },
  {
    code: 'voided',
    description: 'Not executed, since it was not any more what had been decided on; final.',
  },
]);

/** The status of a call. */
export type CallStatus = CodeOf<typeof CALL_STATUSES>;

const BY_ITSELF = { recordsMax: 100, amountMicroMax: 10_000n * MICRO_PER_RUB };

/** Why a call has failed or was voided. */
export const CALL_FAILURES = vocabulary('ToolCallFailure', 'Why a call failed or was voided.', [
  {
    code: 'decision_outdated',
    description: 'Contract, arguments or decision changed since the call was decided on.',
  },
  {
    code: 'execution_given_up',
    description: 'Every attempt broke off; whether the tool has done it is not known.',
  },
  ...WEBHOOK_FAILURES,
]);

/** A reason of failure. */
export type CallFailure = CodeOf<typeof CALL_FAILURES>;

/** Who asks, as the decision table sees it, and how much each may do without an approval. */
export const CALLER_LIMITS = {
  member: { description: 'A member with a token.', ...BY_ITSELF },
  standard: { description: 'A key of the type standard.', ...BY_ITSELF },
  service: { description: 'A key of the type service.', ...BY_ITSELF },
  agent: {
    description: 'A key of the type agent.',
    recordsMax: 10,
    amountMicroMax: 1_000n * MICRO_PER_RUB,
  },
} as const;

/** The right to approve calls. */
export const APPROVING = 'approvals.decide';

/** The kind of a caller. */
export type CallerKind = keyof typeof CALLER_LIMITS;

/** More records than this are not changed by one call, whoever approves. */
export const RECORDS_MAX = 10_000;

/** Bounds of what a contract and a call may say; what is beyond them is refused. */
export const BOUNDS = {
  toolKeyCharactersMax: 64,
  nameCharactersMax: 120,
  descriptionCharactersMax: 1_000,
  verbCharactersMax: 40,
  versionsReadMax: 200,
  reasonCharactersMax: 1_000,
  sessionIdCharactersMax: 128,
  pointerCharactersMax: 200,
  timeoutMsMin: 1_000,
  timeoutMsMax: 60_000,
  approvalExpiresSecondsMin: 60,
  approvalExpiresSecondsMax: 604_800,
  schemaBytesMax: 8_192,
  schemaNodesMax: 200,
  argumentBytesMax: 65_536,
  argumentValuesMax: 2_000,
  jsonLevelsMax: 16,
  resultBytesMax: 16_384,
  toolsMax: 500,
} as const;

/** What holds where a contract does not say. */
export const DEFAULTS = {
  timeoutMs: 10_000,
  approvalExpiresSeconds: 86_400,
} as const;
