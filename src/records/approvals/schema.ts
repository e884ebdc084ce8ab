import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import {
  byId,
  DateTimeFilter,
  enumFilter,
  IdFilter,
  ListOrder,
  ORDER_BY,
} from '../../graph/filters.js';
import { connectionOf, forwardArgs, pageComplexity } from '../../graph/page.js';
import { enumOf } from '../../graph/table-types.js';
import { feedField } from '../feed-field.js';
import { FeedItem } from '../schema.js';
import { APPROVAL_FEED } from './events.js';
import { approvalHistory } from './history.js';
import { approvalById, decideApproval } from './queue.js';
import { approvalsWhere } from './rules.js';
import {
  APPROVAL_DECISIONS,
  APPROVAL_EXECUTIONS,
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
} from './vocabulary.js';

const ApprovalKindEnum = builder.enumType('ApprovalKind', {
  description: 'What kind of thing waits for a decision.',
  values: enumValues(APPROVAL_KINDS),
});

const ApprovalKindFilter = enumFilter(ApprovalKindEnum);
const ApprovalStatusFilter = enumFilter(enumOf(APPROVAL_STATUSES));

const ApprovalFilter = builder.inputType('ApprovalFilter', {
  description: 'Which approvals to list: those that meet all conditions.',
  fields: (t) => ({
    createdAt: t.field({ type: DateTimeFilter, description: 'When it was asked.' }),
    status: t.field({
      type: ApprovalStatusFilter,
      description: 'Whether it waits, or how it was decided.',
    }),
    kind: t.field({ type: ApprovalKindFilter, description: 'What kind of thing waits.' }),
    requestedBy: t.field({ type: IdFilter, description: 'The member or key that asked.' }),
  }),
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
    status: t.field({
      type: enumOf(APPROVAL_STATUSES),
      description: 'Whether it waits, and how it was decided.',
      resolve: ({ status }) => APPROVAL_STATUSES.parse(status),
    }),
    requestedBy: t.expose('requestedBy', {
      type: 'ID',
      description: 'The member or key that asked.',
    }),
    accountableId: t.expose('accountableId', {
      type: 'ID',
      nullable: true,
      description:
        'The member who counts as the requester under four eyes: who asked, or who created or ' +
        'last rotated the key that asked, of whatever type. Null where no member is known.',
    }),
    fourEyes: t.exposeBoolean('fourEyes', {
      description: 'True when it was asked for while the organization always required four eyes.',
    }),
    decidedBy: t.expose('decidedBy', {
      type: 'ID',
      nullable: true,
      description: 'Who decided; null while nobody has.',
    }),
    selfApproved: t.exposeBoolean('selfApproved', {
      description: 'True when the requester decided because nobody else could.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why, where it was said.' }),
    execution: t.field({
      type: enumOf(APPROVAL_EXECUTIONS),
      description: 'How far the execution of what was approved has come.',
      resolve: ({ execution }) => APPROVAL_EXECUTIONS.parse(execution),
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
    description: 'The one approval queue of tools, integrations, cut-overs and budgets.',
    authScopes: { can: 'approvals.read' },
    complexity: pageComplexity,
    args: {
      filter: t.arg({
        type: ApprovalFilter,
        description: 'Which approvals to list; all unless stated.',
      }),
      orderBy: t.arg({ type: ListOrder, description: ORDER_BY }),
    },
    totalCount: (_root, { filter }, ctx) =>
      database(ctx).approval.count({ where: approvalsWhere(filter ?? {}) }),
    resolve: (query, _root, { filter, orderBy }, ctx) =>
      database(ctx).approval.findMany({
        ...query,
        where: approvalsWhere(filter ?? {}),
        orderBy: byId(orderBy),
      }),
  }),
  approval: t.field({
    type: Approval,
    description: 'One approval of the queue.',
    authScopes: { can: 'approvals.read' },
    args: { id: t.arg({ type: 'ID', required: true, description: 'The id of the approval.' }) },
    resolve: (_root, { id }, ctx) => approvalById(authorized(ctx), id),
  }),
  approvalEventHistory: t.field({
    type: connectionOf(FeedItem),
    description:
      'The feed of the approval queue for readers that poll, oldest first. Each item carries its ' +
      'cursor: ask again with the last one as `after`, and nothing is missed or seen twice. ' +
      'Without `after` it begins with the first event.',
    authScopes: { can: 'approvals.read' },
    complexity: pageComplexity,
    args: forwardArgs(t),
    resolve: (_root, args, ctx) => approvalHistory(authorized(ctx), args),
  }),
}));

feedField({
  name: 'approvalEvents',
  description: 'What enters and leaves the approval queue, each event once and in order.',
  permission: 'approvals.read',
  source: APPROVAL_FEED,
  item: FeedItem,
});

builder.mutationField('approvalDecide', (t) =>
  t.prismaField({
    type: Approval,
    description:
      'Approves or rejects what waits, exactly once. What is approved is executed at once; the ' +
      'decision holds for exactly what was shown.',
    authScopes: { can: 'approvals.decide' },
    args: {
      id: t.arg({
        type: 'ID',
        required: true,
        description: 'The id of the approval that is decided.',
      }),
      decision: t.arg({
        type: enumOf(APPROVAL_DECISIONS),
        required: true,
        description: 'Whether what waits may happen.',
      }),
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
