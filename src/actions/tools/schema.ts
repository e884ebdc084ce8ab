import { builder } from '../../graph/builder.js';
import { unconfined } from '../../graph/confined.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { enumOf, inputOf, outputOf, shownFields } from '../../graph/table-types.js';
import { contractsPage } from '../../records/contract-page.js';
import { loadSeenNodes, requireSeen } from '../seen.js';
import { previewAction } from './action.js';
import { decideToolCall } from './approvals.js';
import { callsWhere, executeToolCall } from './calls.js';
import { CONTRACT_FIELDS } from './contract.js';
import { TOOL_DRAFT } from './draft.js';
import { callOutcome, shownCall } from './receipts.js';
import './reference.js';
import {
  type RegisteredTool,
  registerTool,
  rotateSigningSecret,
  TOOL,
  type ToolVersion,
  toolByKey,
  toolVersionOf,
} from './registry.js';
import { rollbackToolCall } from './rollback.js';
import {
  ACTION,
  OUTCOME,
  PREVIEW,
  REGISTRATION_FIELDS,
  SHOWN_CALL_FIELDS,
  UNDOING,
  VERSION_FIELDS,
} from './tables.js';
import { APPROVAL_STATUSES, CALL_STATUSES } from './vocabulary.js';

const ToolContractType = builder.interfaceRef<ToolVersion>('ToolContract').implement({
  description: 'What a tool may do. Every change is a new version; versions never change.',
  fields: (t) => ({
    ...(shownFields(t, VERSION_FIELDS, (version: ToolVersion) => version) as object),
    ...(shownFields(t, CONTRACT_FIELDS, ({ contract }: ToolVersion) => contract) as object),
  }),
});

const Tool = builder.objectRef<ToolVersion>('Tool').implement({
  description: 'A tool with its contract in force.',
  interfaces: [ToolContractType],
});

const ToolRegistration = builder.objectRef<RegisteredTool>('ToolRegistration').implement({
  description: 'A tool right after it was registered.',
  interfaces: [ToolContractType],
  fields: (t) => shownFields(t, REGISTRATION_FIELDS, (tool: RegisteredTool) => tool),
});

const ToolCall = builder.prismaNode('ToolCall', {
  id: { field: 'id', description: 'The id; endpoints get it as `webhook-id`.' },
  description:
    'An action that was asked of a tool. What was asked and decided never changes; the status ' +
    'moves on, and every end has a sealed receipt.',
  fields: (t) => shownFields(t, SHOWN_CALL_FIELDS, shownCall),
});

loadSeenNodes('ToolCall', (ctx, where) => database(ctx).toolCall.findMany({ where }));

const TOOL_KEY = 'The name of the tool.';
const CALL = 'The call, by its id.';

builder.queryFields((t) => ({
  tools: t.connection({
    type: Tool,
    description: 'The tools of the organization, the last new one first.',
    authScopes: { can: 'tools.read' },
    complexity: pageComplexity,
    resolve: (_root, args, ctx) => contractsPage(unconfined(ctx), TOOL, args, toolVersionOf),
  }),
  tool: t.field({
    type: Tool,
    description: 'A tool by its name.',
    authScopes: { can: 'tools.read' },
    args: { toolKey: t.arg.string({ required: true, description: TOOL_KEY }) },
    resolve: (_root, { toolKey }, ctx) => toolByKey(unconfined(ctx), toolKey),
  }),
  toolCallPreview: t.field({
    type: outputOf(PREVIEW),
    description: 'The decision about an action and its blast radius, without executing it.',
    authScopes: { can: 'tools.run' },
    args: {
      input: t.arg({
        type: inputOf(ACTION),
        required: true,
        description: 'What the tool is asked to do.',
      }),
    },
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
    type: outputOf(OUTCOME),
    description:
      'The receipt of a call, sealed when the call ended. Before that it says how far the call ' +
      'is, with `sealed: false`.',
    authScopes: { can: 'tools.read' },
    args: { id: t.arg({ type: 'ID', required: true, description: CALL }) },
    resolve: (_root, { id }, ctx) => callOutcome(authorized(ctx), id),
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
      input: t.arg({
        type: inputOf(TOOL_DRAFT),
        required: true,
        description: 'The contract of the tool.',
      }),
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
    args: {
      input: t.arg({
        type: inputOf(ACTION),
        required: true,
        description: 'What the tool is asked to do.',
      }),
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
