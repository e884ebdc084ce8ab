import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { subscribeFeed } from '../feed.js';
import { AFTER, FeedItem } from '../schema.js';
import { APPROVAL_FEED } from './events.js';
import { approvalHistory } from './history.js';
import { approvalById, decideApproval } from './queue.js';
import { approvalsWhere } from './rules.js';
import { APPROVAL_DECISIONS, APPROVAL_EXECUTIONS, APPROVAL_KINDS } from './vocabulary.js';

const ApprovalKindEnum = builder.enumType('ApprovalKind', {
  description: 'What kind of thing waits for a decision.',
  values: enumValues(APPROVAL_KINDS),
});

const ApprovalDecisionEnum = builder.enumType('ApprovalDecision', {
  description: 'What is decided.',
  values: enumValues(APPROVAL_DECISIONS),
});

const ApprovalExecutionEnum = builder.enumType('ApprovalExecution', {
  description: 'How far the execution of what was approved has come.',
  values: enumValues(APPROVAL_EXECUTIONS),
});

const Approval = builder.prismaNode('Approval', {
  id: { field: 'id', description: 'The id of the approval.' },
  description: 'Something that waits, or waited, for a person to decide.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description: 'What kind of thing waits: a code of the reference `approvals.kind`.',
    }),
    subjectId: t.exposeString('subjectId', {
      description: 'What waits: the id of the call, action, migration or exception.',
    }),
    summary: t.exposeString('summary', { description: 'What is asked, in a sentence.' }),
    shown: t.expose('shown', { type: 'JSON', description: 'What the decider is shown.' }),
    shownHash: t.expose('shownHash', {
      type: 'Sha256',
      description: 'Of what is shown; a decision holds for exactly this.',
    }),
    status: t.exposeString('status', {
      description:
        'Whether it waits, and how it was decided: a code of the reference `approvals.status`.',
    }),
    requestedBy: t.expose('requestedBy', { type: 'UUID', description: 'Who asked.' }),
    accountableId: t.expose('accountableId', {
      type: 'UUID',
      nullable: true,
      description:
        'The member who counts as the requester under four eyes: who asked, or who created or ' +
        'last rotated the key that asked, of whatever type. Null where no member is known.',
    }),
    fourEyes: t.exposeBoolean('fourEyes', {
      description: 'True when it was asked for while the organization always required four eyes.',
    }),
    decidedBy: t.expose('decidedBy', {
      type: 'UUID',
      nullable: true,
      description: 'Who decided; null while nobody has.',
    }),
    selfApproved: t.exposeBoolean('selfApproved', {
      description: 'True when the requester decided because nobody else could.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why, where it was said.' }),
    execution: t.field({
      type: ApprovalExecutionEnum,
      description: 'How far the execution of what was approved has come.',
      resolve: ({ execution }) => execution as (typeof APPROVAL_EXECUTIONS)[number]['code'],
    }),
    attempts: t.exposeInt('attempts', {
      description: 'How often the execution was tried; after five it is given up.',
    }),
    executionError: t.exposeString('executionError', {
      nullable: true,
      description: 'The error code of the last failed attempt; null while none failed.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it waits.' }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was decided or expired; null while it waits.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked.' }),
  }),
});

builder.queryFields((t) => ({
  approvals: t.prismaConnection({
    type: Approval,
    cursor: 'id',
    description:
      'The one approval queue of tools, integrations, cut-overs and budgets, newest first.',
    authScopes: { can: 'approvals.read' },
    complexity: pageComplexity,
    args: {
      status: t.arg.string({
        description: 'Only approvals of this status, a code of the reference `approvals.status`.',
      }),
      kind: t.arg({ type: ApprovalKindEnum, description: 'Only approvals of this kind.' }),
    },
    resolve: (query, _root, { status, kind }, ctx) =>
      database(ctx).approval.findMany({
        ...query,
        where: approvalsWhere(status, kind),
        orderBy: NEWEST_FIRST,
      }),
  }),
  approval: t.field({
    type: Approval,
    description: 'One approval of the queue.',
    authScopes: { can: 'approvals.read' },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Its id.' }) },
    resolve: (_root, { id }, ctx) => approvalById(authorized(ctx), id),
  }),
  approvalEventHistory: t.connection({
    type: FeedItem,
    description:
      'The feed of the approval queue for readers that poll, oldest first. Each item carries its ' +
      'cursor: ask again with the last one as `after`, and nothing is missed or seen twice. ' +
      'Without `after` it begins with the first event; `last` and `before` are refused.',
    authScopes: { can: 'approvals.read' },
    complexity: pageComplexity,
    resolve: (_root, args, ctx) => approvalHistory(authorized(ctx), args),
  }),
}));

builder.subscriptionField('approvalEvents', (t) =>
  t.field({
    type: FeedItem,
    description: 'What enters and leaves the approval queue, each event once and in order.',
    authScopes: { can: 'approvals.read' },
    args: { after: t.arg.string({ description: AFTER }) },
    subscribe: (_root, { after }, ctx) =>
      subscribeFeed(ctx.services, {
        source: APPROVAL_FEED,
        tenantId: authorized(ctx).who.tenantId,
        after: after ?? undefined,
        signal: ctx.signal,
      }),
    resolve: (item) => item,
  }),
);

builder.mutationField('approvalDecide', (t) =>
  t.prismaField({
    type: Approval,
    description:
      'Approves or rejects what waits, exactly once. What is approved is executed at once; the ' +
      'decision holds for exactly what was shown.',
    authScopes: { can: 'approvals.decide' },
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The approval.' }),
      decision: t.arg({ type: ApprovalDecisionEnum, required: true, description: 'The decision.' }),
      reason: t.arg.string({ description: 'Why; kept with the decision.' }),
      shownHash: t.arg({
        type: 'Sha256',
        description: 'The hash of what was decided on; another than the recorded one is refused.',
      }),
    },
    resolve: (_query, _root, { id, decision, reason, shownHash }, ctx) =>
      decideApproval(authorized(ctx), id, {
        decision,
        reason: reason ?? undefined,
        shownHash: shownHash ?? undefined,
      }),
  }),
);
