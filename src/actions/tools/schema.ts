import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { enumOf, inputOf, outputOf, shownFields } from '../../graph/table-types.js';
import { fieldTable, optional, uuid } from '../../kernel/fields/field.js';
import { requireSeen } from '../seen.js';
import { previewAction } from './action.js';
import { decideToolCall } from './approvals.js';
import { callsWhere, executeToolCall } from './calls.js';
import { CONTRACT_FIELDS } from './contract.js';
import { TOOL_DRAFT } from './draft.js';
import { type CallOutcome, callOutcome, shownCall } from './receipts.js';
import './reference.js';
import {
  type RegisteredTool,
  registerTool,
  rotateSigningSecret,
  type ToolVersion,
  toolByKey,
} from './registry.js';
import { rollbackToolCall } from './rollback.js';
import { ACTION, PREVIEW, RECEIPT_FIELDS, ROLLBACK, SHOWN_CALL_FIELDS, UNDOING } from './tables.js';
import { type ListedTool, toolsPage } from './tool-list.js';
import { APPROVAL_STATUSES, CALL_STATUSES } from './vocabulary.js';

const ToolContractType = builder.interfaceRef<ToolVersion>('ToolContract').implement({
  description: 'What a tool may do. Every change is a new version; versions never change.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ID', description: 'The id of this version.' }),
    version: t.exposeInt('version', { description: 'Its number, from 1 without a gap.' }),
    ...(shownFields(t, CONTRACT_FIELDS, ({ contract }: ToolVersion) => contract) as object),
    registeredBy: t.expose('registeredBy', {
      type: 'ID',
      description: 'The member or key that registered it.',
    }),
    registeredAt: t.expose('registeredAt', { type: 'DateTime', description: 'When.' }),
  }),
});

const Tool = builder.objectRef<ListedTool | ToolVersion>('Tool').implement({
  description: 'A tool with its contract in force.',
  interfaces: [ToolContractType],
});

const ToolRegistration = builder.objectRef<RegisteredTool>('ToolRegistration').implement({
  description: 'A tool right after it was registered.',
  interfaces: [ToolContractType],
  fields: (t) => ({
    signingSecret: t.exposeString('signingSecret', {
      nullable: true,
      description:
        'Verifies what the endpoint receives (Standard Webhooks); it is shown only here. Null ' +
        'where nothing is called.',
    }),
    alreadyRegistered: t.exposeBoolean('alreadyRegistered', {
      description: 'The contract in force said exactly this; no version was added.',
    }),
  }),
});

const ToolCall = builder.prismaObject('ToolCall', {
  description:
    'An action that was asked of a tool. What was asked and decided never changes; the status ' +
    'moves on, and every end has a sealed receipt.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ID', description: 'The id; endpoints get it as `webhook-id`.' }),
    ...(shownFields(t, SHOWN_CALL_FIELDS, shownCall) as object),
  }),
});

const RollbackNow = fieldTable('ToolCallRollback', 'Whether and how a call can be undone.', {
  ...ROLLBACK.fields,
  callId: optional(uuid('The latest call that undoes it, as of now; null where there is none.')),
});

const ToolCallOutcome = builder.objectRef<CallOutcome>('ToolCallOutcome').implement({
  description:
    'What became of a call. Once the call has ended it is sealed: written once, hashed, and ' +
    'chained to the receipt before it.',
  fields: (t) => ({
    sealed: t.boolean({
      description: 'The call has ended; before that this is how far it is.',
      resolve: ({ receipt }) => receipt !== null,
    }),
    receiptId: t.id({
      nullable: true,
      description: 'The id of the sealed receipt; null until the call has ended.',
      resolve: ({ receipt }) => receipt?.id,
    }),
    sha256: t.field({
      type: 'Sha256',
      nullable: true,
      description: 'Of the sealed content, by RFC 8785; null until the call has ended.',
      resolve: ({ receipt }) => receipt?.row.sha256,
    }),
    sealedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was sealed; null until the call has ended.',
      resolve: ({ receipt }) => receipt?.row.createdAt,
    }),
    ...(shownFields(t, RECEIPT_FIELDS, ({ content }: CallOutcome) => content) as object),
    rollback: t.field({
      type: outputOf(RollbackNow),
      description: RECEIPT_FIELDS.rollback.description,
      resolve: ({ content, rollbackCallId: callId }) => ({ ...content.rollback, callId }),
    }),
  }),
});

const TOOL_KEY = 'The name of the tool.';
const CALL = 'The call.';

builder.queryFields((t) => ({
  tools: t.connection({
    type: Tool,
    description: 'The tools of the organization, the last new one first.',
    authScopes: { can: 'tools.read' },
    complexity: pageComplexity,
    resolve: (_root, args, ctx) => toolsPage(authorized(ctx), args),
  }),
  tool: t.field({
    type: Tool,
    description: 'A tool by its name.',
    authScopes: { can: 'tools.read' },
    args: { toolKey: t.arg.string({ required: true, description: TOOL_KEY }) },
    resolve: (_root, { toolKey }, ctx) => toolByKey(authorized(ctx), toolKey),
  }),
  toolCallPreview: t.field({
    type: outputOf(PREVIEW),
    description: 'The decision about an action and its blast radius, without executing it.',
    authScopes: { can: 'tools.run' },
    args: { input: t.arg({ type: inputOf(ACTION), required: true, description: 'The action.' }) },
    resolve: (_root, { input }, ctx) => previewAction(authorized(ctx), input),
  }),
  toolCalls: t.prismaConnection({
    type: ToolCall,
    cursor: 'id',
    description: 'The log of actions, newest first. An agent key sees the calls that it made.',
    authScopes: { can: 'tools.read' },
    complexity: pageComplexity,
    args: {
      approvalStatus: t.arg({
        type: enumOf(APPROVAL_STATUSES),
        description: 'Only calls with this approval status.',
      }),
      toolKey: t.arg.string({ description: 'Only calls of this tool.' }),
      status: t.arg({ type: enumOf(CALL_STATUSES), description: 'Only calls with this status.' }),
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
    args: { id: t.arg({ type: 'ID', required: true, description: CALL }) },
    resolve: (_query, _root, { id }, ctx) => requireSeen(authorized(ctx), 'ToolCall', id),
  }),
  toolCallReceipt: t.field({
    type: ToolCallOutcome,
    description:
      'The receipt of a call, sealed when the call ended. Before that it says how far the call ' +
      'is, with `sealed: false`.',
    authScopes: { can: 'tools.read' },
    args: { id: t.arg({ type: 'ID', required: true, description: CALL }) },
    resolve: async (_root, { id }, ctx) =>
      callOutcome(authorized(ctx), await requireSeen(authorized(ctx), 'ToolCall', id)),
  }),
}));

const decisionArgs = builder.args((t) => ({
  id: t.id({ required: true, description: CALL }),
  reason: t.string({ description: 'Why; kept with the decision.' }),
  shownHash: t.field({
    type: 'Sha256',
    description: 'The hash of what was decided on; another than the recorded one is refused.',
  }),
}));

builder.mutationFields((t) => ({
  toolRegister: t.field({
    type: ToolRegistration,
    description:
      'Registers a tool, or the next version of one. Calls that wait for an approval under the ' +
      'version before are voided. The same contract again adds no version.',
    authScopes: { can: 'tools.write' },
    args: {
      input: t.arg({ type: inputOf(TOOL_DRAFT), required: true, description: 'The contract.' }),
    },
    resolve: (_root, { input }, ctx) => registerTool(authorized(ctx), input),
  }),
  toolSigningSecretRotate: t.field({
    type: ToolRegistration,
    description:
      'Gives a tool a new signing secret, as a new version of its contract. The old secret ' +
      'signs nothing any more, and calls that wait for an approval are voided.',
    authScopes: { can: 'tools.write' },
    args: { toolKey: t.arg.string({ required: true, description: TOOL_KEY }) },
    resolve: (_root, { toolKey }, ctx) => rotateSigningSecret(authorized(ctx), toolKey),
  }),
  toolCallExecute: t.prismaField({
    type: ToolCall,
    description:
      'Executes an action through the action policy: `allow` carries it out, ' +
      '`needs_approval` puts it into the approval queue, `block` refuses it. All three are ' +
      'answers, recorded as calls.',
    authScopes: { can: 'tools.run' },
    args: { input: t.arg({ type: inputOf(ACTION), required: true, description: 'The action.' }) },
    resolve: (_query, _root, { input }, ctx) => executeToolCall(authorized(ctx), input),
  }),
  toolCallApprove: t.prismaField({
    type: ToolCall,
    description:
      'Approves a call that waits, exactly once; it is then carried out. A tool that fails is ' +
      'an answer with `status: failed`.',
    authScopes: { can: 'approvals.decide' },
    args: decisionArgs,
    resolve: (_query, _root, { id, ...said }, ctx) =>
      decideToolCall(authorized(ctx), id, 'approve', said),
  }),
  toolCallReject: t.prismaField({
    type: ToolCall,
    description: 'Rejects a call that waits, exactly once; it is never carried out.',
    authScopes: { can: 'approvals.decide' },
    args: decisionArgs,
    resolve: (_query, _root, { id, ...said }, ctx) =>
      decideToolCall(authorized(ctx), id, 'reject', said),
  }),
  toolCallRollback: t.prismaField({
    type: ToolCall,
    description:
      'Undoes an executed call by the verb that its contract names: a call of its own, which ' +
      'goes through the same action policy. A call is undone once.',
    authScopes: { can: 'tools.run' },
    args: {
      id: t.arg({ type: 'ID', required: true, description: 'The call to undo.' }),
      input: t.arg({ type: inputOf(UNDOING), required: true, description: 'How it is undone.' }),
    },
    resolve: (_query, _root, { id, input }, ctx) => rollbackToolCall(authorized(ctx), id, input),
  }),
}));
