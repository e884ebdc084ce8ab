import { ERASED_FIELD } from '../../kernel/fields/erased.js';
import {
  code,
  fieldTable,
  flag,
  instant,
  integer,
  json,
  list,
  money,
  object,
  optional,
  sha256,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import {
  APPROVAL_STATUSES,
  BOUNDS,
  CALL_FAILURES,
  CALL_STATUSES,
  CONNECTORS,
  DECISIONS,
  FIGURE_BASES,
  RISK_LEVELS,
  VERB_ORIGINS,
} from './vocabulary.js';

const REASON = fieldTable(
  'ToolDecisionReason',
  'A guard of the action policy that applies, and what it says.',
  {
    guard: text('A row of the published decision table.'),
    outcome: code(DECISIONS, 'What the guard asks for.'),
    reason: text('Why it applies.'),
  },
);

/** How far an action can reach, as far as contract and arguments say. */
export const BLAST_RADIUS = fieldTable(
  'ToolBlastRadius',
  'How far an action can reach, as far as its contract and its arguments declare. What is not ' +
    'declared is unknown, and then the action waits for a person.',
  {
    records: optional(integer('Records that change; null when unknown.')),
    recordsBasis: code(FIGURE_BASES, 'Where `records` comes from.'),
    amountMicro: optional(money('Money that moves; null when none does, or when it is unknown.')),
    amountBasis: code(FIGURE_BASES, 'Where `amountRub` comes from.'),
    destructive: flag('Something is destroyed.'),
    reversible: flag('Nothing is changed, or the contract names a verb that undoes it.'),
    compensatingVerb: optional(text('The verb that undoes it; null where nothing does.')),
  },
);

/** A blast radius. */
export type BlastRadius = ValuesOf<typeof BLAST_RADIUS.fields>;

/** Which version of a contract it is. */
export const VERSION_FIELDS = {
  id: uuid('The id of this version.'),
  version: integer('Its number, from 1 without a gap.'),
  registeredBy: uuid('The member or key that registered it.'),
  registeredAt: instant('When the version was registered.'),
} as const;

/** What is said of a version right after it was registered. */
export const REGISTRATION_FIELDS = {
  signingSecret: optional(
    text(
      'Verifies what the endpoint receives (Standard Webhooks); it is shown only here. Null ' +
        'where nothing is called.',
    ),
  ),
  alreadyRegistered: flag('The contract in force said exactly this; no version was added.'),
} as const;

/** What was asked for and what the action policy says to it. */
const JUDGED_FIELDS = {
  toolKey: text('The tool that is asked.'),
  contractVersion: integer('The version of its contract that decides.'),
  verb: text('What was asked for.'),
  decision: code(DECISIONS, 'What the action policy decides.'),
  guard: text('The row of the decision table that decides.'),
  risk: optional(
    code(RISK_LEVELS, 'The risk that was decided by; null for calls before it was kept.'),
  ),
  verbOrigin: optional(
    code(VERB_ORIGINS, 'Who says what the verb means; null for calls before it was kept.'),
  ),
  reasons: list(object(REASON, 'A guard.'), 'Every guard that applies, the deciding one first.'),
  blastRadius: object(BLAST_RADIUS, 'How far the action can reach.'),
  boundHash: sha256(
    'SHA-256 over contract version, verb, arguments, blast radius and decision: what an approval ' +
      'is bound to. Another action is never executed under it.',
  ),
} as const;

/** What would happen. */
export const PREVIEW = fieldTable(
  'ToolPreview',
  'What the action policy says to an action, without executing it. Executing the same action ' +
    'under the same contract gives the same answer.',
  {
    ...JUDGED_FIELDS,
    connector: code(CONNECTORS, 'What would carry the action out.'),
    simulated: flag('Nothing outside would change.'),
    rollbackAvailable: flag('Once executed, it could be undone by a verb of the contract.'),
  },
);

const ANSWER_FIELDS = {
  statusCode: optional(integer('The HTTP status; null where nothing was called.')),
  contentType: text('As the tool says.'),
  truncated: flag('More was answered than is kept.'),
  sha256: sha256('Of what was received.'),
} as const;

/** What a tool answered. */
export const CALL_RESULT = fieldTable('ToolCallResult', 'What a tool answered.', {
  ...ANSWER_FIELDS,
  text: text('The answer, at most 16 KiB of it.'),
});

/** What a tool answered, as it is kept with the call. */
export type CallResult = ValuesOf<typeof CALL_RESULT.fields>;

/** What a call and its receipt both say. */
const CALL_FIELDS = {
  ...JUDGED_FIELDS,
  status: code(CALL_STATUSES, 'How far the call is.'),
  approvalStatus: code(APPROVAL_STATUSES, 'How far its approval is.'),
  simulated: flag('Nothing outside changes.'),
  reason: optional(text('Why it was asked for, where it was said.')),
  sessionId: optional(text("The caller's name for what it belongs to, where it was said.")),
  failure: optional(code(CALL_FAILURES, 'Why it failed or was voided.')),
  attempts: integer('Executions begun; after more than one the tool may have been reached before.'),
  latencyMs: optional(
    integer('How long the tool took in milliseconds, measured; null where none was called.'),
  ),
  rollbackOf: optional(uuid('The call that this one undoes; null for all others.')),
  finishedAt: optional(instant('When it ended; null until then.')),
} as const;

/** What a call says of itself, besides its id. */
export const SHOWN_CALL_FIELDS = {
  ...CALL_FIELDS,
  arguments: optional(json('The arguments of the call; null where they were erased.')),
  ...ERASED_FIELD,
  approvalId: optional(uuid('Its entry in the approval queue; null where none was needed.')),
  requestedBy: uuid('The member or key.'),
  requestedByRole: text('The role of the member, or the type of the key.'),
  result: optional(object(CALL_RESULT, 'What the tool answered; null while it has not.')),
  receiptId: optional(uuid('The sealed receipt; null until the call has ended.')),
  createdAt: instant('When it was asked for.'),
} as const;

const APPROVAL = fieldTable('ToolReceiptApproval', 'The approval that a call waited for.', {
  approvalId: uuid('Its place in the queue.'),
  decidedBy: optional(uuid('The member who decided; null while it waits, and when it expired.')),
  selfApproved: flag('The requester decided, because nobody else could.'),
  reason: optional(text('Why, where it was said.')),
  shownHash: sha256('Of what was shown.'),
  decidedAt: optional(instant('When it was decided or expired; null while it waits.')),
  expiresAt: instant('Until when it can be decided.'),
});

const REQUESTER = fieldTable('ToolReceiptRequester', 'Who asked for a call.', {
  kind: text('`user` or `api_key`.'),
  id: uuid('The member or key.'),
  role: text("The member's role, or the type of the key."),
});

/** Whether and how a call can be undone. */
const ROLLBACK = fieldTable('ToolReceiptRollback', 'Whether a call can be undone.', {
  available: flag('The call was executed and its contract names a verb that undoes it.'),
  verb: optional(text('The verb that undoes it; null where the contract names none.')),
  reason: optional(text('Why it cannot be undone; null when it can.')),
});

/** What a receipt says of a call. */
export const RECEIPT_FIELDS = {
  callId: uuid('The call that it is about.'),
  ...CALL_FIELDS,
  argumentsSha256: optional(
    sha256('Of the arguments, by RFC 8785; null where they were erased before the call ended.'),
  ),
  approval: optional(object(APPROVAL, 'The approval; null where none was needed.')),
  connector: code(CONNECTORS, 'What carries the call out.'),
  requestedBy: object(REQUESTER, 'Who asked for the call.'),
  result: optional(
    object(
      fieldTable('ToolReceiptResult', 'What a tool answered, without the text.', ANSWER_FIELDS),
      'What the tool answered; null where it did not.',
    ),
  ),
  rollback: object(ROLLBACK, 'Whether and how it can be undone.'),
  requestedAt: instant('When it was asked for.'),
} as const;

/** What a receipt says. */
export type ReceiptContent = ValuesOf<typeof RECEIPT_FIELDS>;

const ROLLBACK_NOW = fieldTable('ToolCallRollback', 'Whether and how a call can be undone.', {
  ...ROLLBACK.fields,
  callId: optional(uuid('The latest call that undoes it, as of now; null where there is none.')),
});

/** What became of a call: as it was sealed, or as it is while the call has not ended. */
export const OUTCOME = fieldTable(
  'ToolCallOutcome',
  'What became of a call. Once the call has ended it is sealed: written once, hashed, and ' +
    'chained to the receipt before it.',
  {
    sealed: flag('The call has ended; before that this is how far it is.'),
    receiptId: optional(uuid('The id of the sealed receipt; null until the call has ended.')),
    sha256: optional(sha256('Of the sealed content, by RFC 8785; null until the call has ended.')),
    sealedAt: optional(instant('When it was sealed; null until the call has ended.')),
    ...RECEIPT_FIELDS,
    rollback: object(ROLLBACK_NOW, RECEIPT_FIELDS.rollback.description),
  },
);

/** What became of a call. */
export type CallOutcome = ValuesOf<typeof OUTCOME.fields>;

/** What an action says in words. */
export const ACTION_TEXTS = {
  toolKey: text('The key of the tool.', { max: BOUNDS.toolKeyCharactersMax }),
  verb: text('A verb of its contract.', { max: BOUNDS.toolKeyCharactersMax }),
  reason: optional(text('Why; shown to whoever approves.', { max: BOUNDS.reasonCharactersMax })),
  sessionId: optional(
    text("The caller's own name for what this belongs to.", { max: BOUNDS.sessionIdCharactersMax }),
  ),
} as const;

/** An action that somebody asks for. */
export const ACTION = fieldTable('ToolActionInput', 'An action of a tool.', {
  ...ACTION_TEXTS,
  arguments: optional(json('An object, at most 64 KiB; default `{}`.')),
});

/** How a call is to be undone. */
export const UNDOING = fieldTable('ToolRollbackInput', 'How a call is to be undone.', {
  reason: ACTION_TEXTS.reason,
  arguments: optional(json('Arguments of the compensating verb; default those of the call.')),
});
