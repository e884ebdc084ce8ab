import { builder } from '../../graph/builder.js';
import { ActionReasonType, BlastRadiusType } from './action-schema.js';
import { readBlastRadius } from './blast-radius.js';
import { ToolApprovalStatusEnum, ToolCallStatusEnum, ToolDecisionEnum } from './enums.js';
import type { CallReceipt, CallReceiptContent } from './receipts.js';
import type { ActionDecision, CallApprovalStatus, CallStatus } from './vocabulary.js';

type Approved = NonNullable<CallReceiptContent['approval']>;
type Answered = NonNullable<CallReceiptContent['result']>;
type Requester = CallReceiptContent['requested_by'];
type Rollback = CallReceiptContent['rollback'] & { readonly callId: string | null };

const ReceiptApproval = builder.objectRef<Approved>('ToolReceiptApproval').implement({
  description: 'The approval that a call waited for.',
  fields: (t) => ({
    approvalId: t.expose('approval_id', { type: 'UUID', description: 'Its place in the queue.' }),
    decidedBy: t.expose('decided_by', {
      type: 'UUID',
      nullable: true,
      description: 'The member who decided; null while it waits, and when it expired.',
    }),
    selfApproved: t.exposeBoolean('self_approved', {
      description: 'The requester decided, because nobody else could.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why, where it was said.' }),
    shownHash: t.expose('shown_hash', { type: 'Sha256', description: 'Of what was shown.' }),
    decidedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was decided or expired; null while it waits.',
      resolve: ({ decided_at: at }) => (at === null ? null : new Date(at)),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Until when it can be decided.',
      resolve: ({ expires_at: at }) => new Date(at),
    }),
  }),
});

const ReceiptRequester = builder.objectRef<Requester>('ToolReceiptRequester').implement({
  description: 'Who asked for a call.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: '`user` or `api_key`.' }),
    id: t.expose('id', { type: 'UUID', description: 'The member or key.' }),
    role: t.exposeString('role', { description: "The member's role, or the type of the key." }),
  }),
});

const ReceiptResult = builder.objectRef<Answered>('ToolReceiptResult').implement({
  description: 'What a tool answered, without the text.',
  fields: (t) => ({
    statusCode: t.exposeInt('status_code', {
      nullable: true,
      description: 'The HTTP status; null where nothing was called.',
    }),
    contentType: t.exposeString('content_type', { description: 'As the tool says.' }),
    truncated: t.exposeBoolean('truncated', { description: 'More was answered than is kept.' }),
    sha256: t.expose('sha256', { type: 'Sha256', description: 'Of what was received.' }),
  }),
});

const ReceiptRollback = builder.objectRef<Rollback>('ToolReceiptRollback').implement({
  description: 'Whether and how a call can be undone.',
  fields: (t) => ({
    available: t.exposeBoolean('available', {
      description: 'The call was executed and its contract names a verb that undoes it.',
    }),
    verb: t.exposeString('verb', {
      nullable: true,
      description: 'The verb that undoes it; null where the contract names none.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it cannot be undone; null when it can.',
    }),
    callId: t.expose('callId', {
      type: 'UUID',
      nullable: true,
      description: 'The latest call that undoes it, as of now; null where there is none.',
    }),
  }),
});

/** The receipt of a call. */
export const ToolCallReceipt = builder.objectRef<CallReceipt>('ToolCallReceipt').implement({
  description:
    'What is said of a call. Once the call has ended it is sealed: written once, hashed, and ' +
    'chained to the receipt before it.',
  fields: (t) => ({
    sealed: t.boolean({
      description: 'The call has ended; before that this is how far it is.',
      resolve: ({ sealed }) => sealed !== null,
    }),
    receiptId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The id of the sealed receipt; null until the call has ended.',
      resolve: ({ sealed }) => sealed?.id,
    }),
    sha256: t.field({
      type: 'Sha256',
      nullable: true,
      description: 'Of the sealed content, by RFC 8785; null until the call has ended.',
      resolve: ({ sealed }) => sealed?.sha256,
    }),
    sealedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was sealed; null until the call has ended.',
      resolve: ({ sealed }) => sealed?.at,
    }),
    callId: t.field({
      type: 'UUID',
      description: 'The call.',
      resolve: ({ content }) => content.call_id,
    }),
    toolKey: t.string({ description: 'The tool.', resolve: ({ content }) => content.tool_key }),
    contractVersion: t.int({
      description: 'The version of its contract.',
      resolve: ({ content }) => content.contract_version,
    }),
    verb: t.string({ description: 'What was asked for.', resolve: ({ content }) => content.verb }),
    argumentsSha256: t.field({
      type: 'Sha256',
      description: 'Of the arguments, by RFC 8785.',
      resolve: ({ content }) => content.arguments_sha256,
    }),
  }),
});

builder.objectFields(ToolCallReceipt, (t) => ({
  decision: t.field({
    type: ToolDecisionEnum,
    description: 'What the action policy decided.',
    resolve: ({ content }) => content.decision as ActionDecision,
  }),
  guard: t.string({
    description: 'The row of the decision table that decided.',
    resolve: ({ content }) => content.guard,
  }),
  reasons: t.field({
    type: [ActionReasonType],
    description: 'Every guard that applied, the deciding one first.',
    resolve: ({ content }) => content.reasons,
  }),
  blastRadius: t.field({
    type: BlastRadiusType,
    description: 'How far the action could reach.',
    resolve: ({ content }) => readBlastRadius(content.blast_radius),
  }),
  boundHash: t.field({
    type: 'Sha256',
    description: 'What the decision was bound to.',
    resolve: ({ content }) => content.bound_hash,
  }),
  status: t.field({
    type: ToolCallStatusEnum,
    description: 'How the call ended, or how far it is.',
    resolve: ({ content }) => content.status as CallStatus,
  }),
  approvalStatus: t.field({
    type: ToolApprovalStatusEnum,
    description: 'How its approval ended, or how far it is.',
    resolve: ({ content }) => content.approval_status as CallApprovalStatus,
  }),
  approval: t.field({
    type: ReceiptApproval,
    nullable: true,
    description: 'The approval; null where none was needed.',
    resolve: ({ content }) => content.approval,
  }),
}));

builder.objectFields(ToolCallReceipt, (t) => ({
  connector: t.string({
    description: 'What carries the call out.',
    resolve: ({ content }) => content.connector,
  }),
  simulated: t.boolean({
    description: 'Nothing outside changed.',
    resolve: ({ content }) => content.simulated,
  }),
  requestedBy: t.field({
    type: ReceiptRequester,
    description: 'Who asked.',
    resolve: ({ content }) => content.requested_by,
  }),
  reason: t.string({
    nullable: true,
    description: 'Why it was asked for, where it was said.',
    resolve: ({ content }) => content.reason,
  }),
  sessionId: t.string({
    nullable: true,
    description: "The caller's name for what it belongs to, where it was said.",
    resolve: ({ content }) => content.session_id,
  }),
  attempts: t.int({
    description: 'Executions begun; after more than one the tool may have been reached before.',
    resolve: ({ content }) => content.attempts,
  }),
  latencyMs: t.int({
    nullable: true,
    description: 'How long the tool took in milliseconds, measured; null where none was called.',
    resolve: ({ content }) => content.latency_ms,
  }),
  result: t.field({
    type: ReceiptResult,
    nullable: true,
    description: 'What the tool answered; null where it did not.',
    resolve: ({ content }) => content.result,
  }),
  failure: t.string({
    nullable: true,
    description: 'Why it failed or was voided, by the reference `tools.failure`.',
    resolve: ({ content }) => content.failure,
  }),
  rollback: t.field({
    type: ReceiptRollback,
    description: 'Whether and how it can be undone.',
    resolve: ({ content, rollbackCallId }) => ({ ...content.rollback, callId: rollbackCallId }),
  }),
  rollbackOf: t.field({
    type: 'UUID',
    nullable: true,
    description: 'The call that this one undoes; null for all others.',
    resolve: ({ content }) => content.rollback_of,
  }),
  requestedAt: t.field({
    type: 'DateTime',
    description: 'When it was asked for.',
    resolve: ({ content }) => new Date(content.requested_at),
  }),
  finishedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When it ended; null until then.',
    resolve: ({ content: { finished_at: at } }) => (at === null ? null : new Date(at)),
  }),
}));
