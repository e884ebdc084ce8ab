import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { prepareAction } from './action.js';
import { ActionReasonType, BlastRadiusType, ToolPreview } from './action-schema.js';
import { decideToolCall } from './approvals.js';
import { readBlastRadius } from './blast-radius.js';
import { callById, callsWhere, executeToolCall, readCallReceipt } from './calls.js';
import './contract-schema.js';
import { ToolApprovalStatusEnum, ToolCallStatusEnum, ToolDecisionEnum } from './enums.js';
import type { CallResult } from './outcome.js';
import { ToolCallReceipt } from './receipt-schema.js';
import type { StoredDecision } from './receipts.js';
import './reference-schema.js';
import { rollbackToolCall } from './rollback.js';
import type { ActionDecision, CallApprovalStatus, CallStatus } from './vocabulary.js';

const ToolCallResult = builder.objectRef<CallResult>('ToolCallResult').implement({
  description: 'What a tool answered.',
  fields: (t) => ({
    statusCode: t.exposeInt('status_code', {
      nullable: true,
      description: 'The HTTP status; null where nothing was called.',
    }),
    contentType: t.exposeString('content_type', { description: 'As the tool says.' }),
    text: t.exposeString('text', { description: 'The answer, at most 16 KiB of it.' }),
    truncated: t.exposeBoolean('truncated', { description: 'More was answered than is kept.' }),
    sha256: t.expose('sha256', { type: 'Sha256', description: 'Of what was received.' }),
  }),
});

const ToolCall = builder.prismaObject('ToolCall', {
  description:
    'An action that was asked of a tool. What was asked and decided never changes; the status ' +
    'moves on, and every end has a sealed receipt.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id; endpoints get it as `webhook-id`.' }),
    toolKey: t.exposeString('toolKey', { description: 'The tool.' }),
    contractVersion: t.exposeInt('contractVersion', { description: 'The version decided by.' }),
    verb: t.exposeString('verb', { description: 'What was asked for.' }),
    arguments: t.expose('arguments', { type: 'JSON', description: 'With what.' }),
    decision: t.field({
      type: ToolDecisionEnum,
      description: 'What the action policy decided.',
      resolve: ({ decision }) => decision as ActionDecision,
    }),
    guard: t.string({
      description: 'The row of the decision table that decided.',
      resolve: ({ decided }) => (decided as unknown as StoredDecision).guard,
    }),
    reasons: t.field({
      type: [ActionReasonType],
      description: 'Every guard that applied, the deciding one first.',
      resolve: ({ decided }) => [...(decided as unknown as StoredDecision).reasons],
    }),
    blastRadius: t.field({
      type: BlastRadiusType,
      description: 'How far the action can reach.',
      resolve: ({ blastRadius }) => readBlastRadius(blastRadius),
    }),
    boundHash: t.expose('boundHash', {
      type: 'Sha256',
      description: 'What an approval is bound to; another action is never executed under it.',
    }),
  }),
});

builder.prismaObjectFields(ToolCall, (t) => ({
  status: t.field({
    type: ToolCallStatusEnum,
    description: 'How far it is.',
    resolve: ({ status }) => status as CallStatus,
  }),
  approvalStatus: t.field({
    type: ToolApprovalStatusEnum,
    description: 'How far its approval is.',
    resolve: ({ approvalStatus }) => approvalStatus as CallApprovalStatus,
  }),
  approvalId: t.expose('approvalId', {
    type: 'UUID',
    nullable: true,
    description: 'Its entry in the approval queue; null where none was needed.',
  }),
  simulated: t.exposeBoolean('simulated', { description: 'Nothing outside changes.' }),
  requestedBy: t.expose('requestedBy', { type: 'UUID', description: 'The member or key.' }),
  requestedByRole: t.exposeString('requestedByRole', {
    description: 'The role of the member, or the type of the key.',
  }),
  reason: t.exposeString('reason', { nullable: true, description: 'Why, where it was said.' }),
  sessionId: t.exposeString('sessionId', {
    nullable: true,
    description: "The caller's name for what this belongs to, where it was said.",
  }),
  result: t.field({
    type: ToolCallResult,
    nullable: true,
    description: 'What the tool answered; null while it has not.',
    resolve: ({ result }) => result as CallResult | null,
  }),
  failure: t.exposeString('failure', {
    nullable: true,
    description: 'Why it failed or was voided, by the reference `tools.failure`.',
  }),
  attempts: t.exposeInt('attempts', {
    description: 'Executions begun; after more than one the tool may have been reached before.',
  }),
  latencyMs: t.exposeInt('latencyMs', {
    nullable: true,
    description: 'How long the tool took in milliseconds, measured; null where none was called.',
  }),
  receiptId: t.expose('receiptId', {
    type: 'UUID',
    nullable: true,
    description: 'The sealed receipt; null until the call has ended.',
  }),
  rollbackOf: t.expose('rollbackOf', {
    type: 'UUID',
    nullable: true,
    description: 'The call that this one undoes; null for all others.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
  finishedAt: t.expose('finishedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it ended; null until then.',
  }),
}));

const ToolActionInput = builder.inputType('ToolActionInput', {
  description: 'An action of a tool.',
  fields: (t) => ({
    toolKey: t.string({ required: true, description: 'The tool.' }),
    verb: t.string({ required: true, description: 'A verb of its contract.' }),
    arguments: t.field({
      type: 'JSON',
      description: 'An object, at most 64 KiB; default `{}`.',
    }),
    reason: t.string({ description: 'Why; shown to whoever approves.' }),
    sessionId: t.string({ description: "The caller's own name for what this belongs to." }),
  }),
});

const CALL = 'The call.';

builder.queryFields((t) => ({
  toolCallPreview: t.field({
    type: ToolPreview,
    description: 'The decision about an action and its blast radius, without executing it.',
    authScopes: { can: 'tools.run' },
    args: {
      input: t.arg({ type: ToolActionInput, required: true, description: 'The action.' }),
    },
    resolve: (_root, { input }, ctx) => prepareAction(authorized(ctx), input),
  }),
  toolCalls: t.prismaConnection({
    type: ToolCall,
    cursor: 'id',
    description: 'The log of actions, newest first. An agent key sees the calls that it made.',
    authScopes: { can: 'tools.read' },
    complexity: pageComplexity,
    args: {
      approvalStatus: t.arg({
        type: ToolApprovalStatusEnum,
        description: 'Only calls with this approval status.',
      }),
      toolKey: t.arg.string({ description: 'Only calls of this tool.' }),
      status: t.arg({ type: ToolCallStatusEnum, description: 'Only calls with this status.' }),
    },
    resolve: (query, _root, filter, ctx) =>
      database(ctx).toolCall.findMany({
        ...query,
        where: callsWhere(authorized(ctx), filter),
        orderBy: NEWEST_FIRST,
      }),
  }),
  toolCall: t.prismaField({
    type: ToolCall,
    description: 'One call. An agent key sees the calls that it made.',
    authScopes: { can: 'tools.read' },
    args: { id: t.arg({ type: 'UUID', required: true, description: CALL }) },
    resolve: (_query, _root, { id }, ctx) => callById(authorized(ctx), id),
  }),
  toolCallReceipt: t.field({
    type: ToolCallReceipt,
    description:
      'The receipt of a call, sealed when the call ended. Before that it says how far the call ' +
      'is, with `sealed: false`.',
    authScopes: { can: 'tools.read' },
    args: { id: t.arg({ type: 'UUID', required: true, description: CALL }) },
    resolve: (_root, { id }, ctx) => readCallReceipt(authorized(ctx), id),
  }),
}));

builder.mutationFields((t) => {
  const decisionArgs = {
    id: t.arg({ type: 'UUID', required: true, description: CALL }),
    reason: t.arg.string({ description: 'Why; kept with the decision.' }),
    shownHash: t.arg({
      type: 'Sha256',
      description: 'The hash of what was decided on; another than the recorded one is refused.',
    }),
  };
  return {
    toolCallExecute: t.prismaField({
      type: ToolCall,
      description:
        'Executes an action through the action policy: `allow` carries it out, ' +
        '`needs_approval` puts it into the approval queue, `block` refuses it. All three are ' +
        'answers, recorded as calls.',
      authScopes: { can: 'tools.run' },
      args: {
        input: t.arg({ type: ToolActionInput, required: true, description: 'The action.' }),
      },
      resolve: (_query, _root, { input }, ctx) => executeToolCall(authorized(ctx), input),
    }),
    toolCallApprove: t.prismaField({
      type: ToolCall,
      description:
        'Approves a call that waits, exactly once; it is then carried out. A tool that fails is ' +
        'an answer with `status: failed`.',
      authScopes: { can: 'approvals.decide' },
      args: decisionArgs,
      resolve: (_query, _root, { id, reason, shownHash }, ctx) =>
        decideToolCall(authorized(ctx), id, {
          decision: 'approve',
          reason: reason ?? undefined,
          shownHash: shownHash ?? undefined,
        }),
    }),
    toolCallReject: t.prismaField({
      type: ToolCall,
      description: 'Rejects a call that waits, exactly once; it is never carried out.',
      authScopes: { can: 'approvals.decide' },
      args: decisionArgs,
      resolve: (_query, _root, { id, reason, shownHash }, ctx) =>
        decideToolCall(authorized(ctx), id, {
          decision: 'reject',
          reason: reason ?? undefined,
          shownHash: shownHash ?? undefined,
        }),
    }),
    toolCallRollback: t.prismaField({
      type: ToolCall,
      description:
        'Undoes an executed call by the verb that its contract names: a call of its own, which ' +
        'goes through the same action policy. A call is undone once.',
      authScopes: { can: 'tools.run' },
      args: {
        id: t.arg({ type: 'UUID', required: true, description: 'The call to undo.' }),
        reason: t.arg.string({ description: 'Why; shown to whoever approves.' }),
        arguments: t.arg({
          type: 'JSON',
          description: 'Arguments of the compensating verb; default those of the call.',
        }),
      },
      resolve: (_query, _root, { id, ...input }, ctx) =>
        rollbackToolCall(authorized(ctx), id, input),
    }),
  };
});
