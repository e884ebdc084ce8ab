import { builder } from '../graph/builder.js';
import { authorized, database } from '../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../graph/page.js';
import { APPROVAL_FEED } from './approvals/events.js';
import { approvalById, decideApproval } from './approvals/queue.js';
import { auditEventsWhere } from './audit-trail.js';
import { type Delivered, eventFeed, type FeedRow, subscribeFeed } from './feed.js';

/** A management change, as it is listed. */
export const AuditEvent = builder.prismaNode('AuditEvent', {
  id: { field: 'id', description: 'The id of the event.' },
  description:
    'One management change. Who holds the object before or after it can prove it by its hash.',
  fields: (t) => ({
    actorKind: t.exposeString('actorKind', { description: '`user` or `api_key`.' }),
    actorId: t.expose('actorId', { type: 'UUID', description: 'The member or key that acted.' }),
    action: t.exposeString('action', { description: 'The mutation.' }),
    subject: t.exposeString('subject', { description: 'The type of what was changed.' }),
    subjectId: t.exposeString('subjectId', { description: 'What was changed.' }),
    beforeHash: t.expose('beforeHash', {
      type: 'Sha256',
      nullable: true,
      description: 'Of the object before, by RFC 8785; null when it did not exist.',
    }),
    afterHash: t.expose('afterHash', {
      type: 'Sha256',
      nullable: true,
      description: 'Of the object after, by RFC 8785; null when it is gone.',
    }),
    requestId: t.exposeString('requestId', { description: 'The request that did it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
  }),
});

const Approval = builder.prismaNode('Approval', {
  id: { field: 'id', description: 'The id of the approval.' },
  description: 'Something that waits, or waited, for a person to decide.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'What kind of thing waits.' }),
    subjectId: t.exposeString('subjectId', { description: 'What waits.' }),
    summary: t.exposeString('summary', { description: 'What is asked, in a sentence.' }),
    shown: t.expose('shown', { type: 'JSON', description: 'What the decider is shown.' }),
    shownHash: t.expose('shownHash', {
      type: 'Sha256',
      description: 'Of what is shown; a decision holds for exactly this.',
    }),
    status: t.exposeString('status', {
      description: '`pending`, `approved`, `rejected` or `expired`.',
    }),
    requestedBy: t.expose('requestedBy', { type: 'UUID', description: 'Who asked.' }),
    decidedBy: t.expose('decidedBy', {
      type: 'UUID',
      nullable: true,
      description: 'Who decided; null while nobody has.',
    }),
    selfApproved: t.exposeBoolean('selfApproved', {
      description: 'True when the requester decided because nobody else could.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why, where it was said.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it waits.' }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was decided; null while it waits.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked.' }),
  }),
});

const ApprovalDecision = builder.enumType('ApprovalDecision', {
  description: 'What is decided.',
  values: {
    approve: { value: 'approve', description: 'It may happen.' },
    reject: { value: 'reject', description: 'It must not happen.' },
  } as const,
});

const FeedItem = builder.objectRef<Delivered<FeedRow>>('FeedItem').implement({
  description: 'An event of a durable feed, with the cursor that resumes after it.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Pass it as `after` to go on from here.' }),
    id: t.field({
      type: 'UUID',
      description: 'The id of the event; it removes doubles.',
      resolve: ({ event }) => event.id,
    }),
    type: t.string({ description: 'What happened.', resolve: ({ event }) => event.type }),
    subjectId: t.string({ description: 'To what.', resolve: ({ event }) => event.subjectId }),
    payload: t.field({
      type: 'JSON',
      description: 'The facts of the event.',
      resolve: ({ event }) => event.payload,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it happened.',
      resolve: ({ event }) => event.createdAt,
    }),
  }),
});

const APPROVALS = APPROVAL_FEED;
const ANOMALIES = eventFeed('anomalies');
const AFTER = 'The cursor of the last event that was handled; without it, from now on.';

builder.queryFields((t) => ({
  auditEvents: t.prismaConnection({
    type: AuditEvent,
    cursor: 'id',
    description: 'The audit trail of the organization, newest first.',
    authScopes: { can: 'audit.read' },
    complexity: pageComplexity,
    args: {
      action: t.arg.string({ description: 'Only this mutation.' }),
      actorId: t.arg({ type: 'UUID', description: 'Only changes by this member or key.' }),
      subject: t.arg.string({ description: 'Only changes of this type of object.' }),
      subjectId: t.arg.string({ description: 'Only changes of this object.' }),
    },
    resolve: (query, _root, { action, actorId, subject, subjectId }, ctx) =>
      database(ctx).auditEvent.findMany({
        ...query,
        where: auditEventsWhere({
          action: action ?? undefined,
          actorId: actorId ?? undefined,
          subject: subject ?? undefined,
          subjectId: subjectId ?? undefined,
        }),
        orderBy: NEWEST_FIRST,
      }),
  }),
  approvals: t.prismaConnection({
    type: Approval,
    cursor: 'id',
    description: 'The approval queue, newest first.',
    authScopes: { can: 'approvals.read' },
    complexity: pageComplexity,
    args: { status: t.arg.string({ description: 'Only approvals of this status.' }) },
    resolve: (query, _root, { status }, ctx) =>
      database(ctx).approval.findMany({
        ...query,
        where: status ? { status } : {},
        orderBy: NEWEST_FIRST,
      }),
  }),
}));

builder.subscriptionFields((t) => ({
  approvalEvents: t.field({
    type: FeedItem,
    description: 'What enters and leaves the approval queue, each event once and in order.',
    authScopes: { can: 'approvals.read' },
    args: { after: t.arg.string({ description: AFTER }) },
    subscribe: (_root, { after }, ctx) =>
      subscribeFeed(ctx.services, {
        source: APPROVALS,
        tenantId: authorized(ctx).who.tenantId,
        after: after ?? undefined,
        signal: ctx.signal,
      }),
    resolve: (item) => item,
  }),
  anomalyEvents: t.field({
    type: FeedItem,
    description: 'Anomalies of cost and traffic, each event once and in order.',
    authScopes: { can: 'anomalies.read' },
    args: { after: t.arg.string({ description: AFTER }) },
    subscribe: (_root, { after }, ctx) =>
      subscribeFeed(ctx.services, {
        source: ANOMALIES,
        tenantId: authorized(ctx).who.tenantId,
        after: after ?? undefined,
        signal: ctx.signal,
      }),
    resolve: (item) => item,
  }),
}));

builder.queryField('approval', (t) =>
  t.field({
    type: Approval,
    description: 'One approval of the queue.',
    authScopes: { can: 'approvals.read' },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Its id.' }) },
    resolve: (_root, { id }, ctx) => approvalById(authorized(ctx), id),
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
      decision: t.arg({ type: ApprovalDecision, required: true, description: 'The decision.' }),
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
