import { builder } from '../graph/builder.js';
import { authorized, database } from '../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../graph/page.js';
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

/** An event of a feed, as it is shown. */
export const FeedItem = builder.objectRef<Delivered<FeedRow>>('FeedItem').implement({
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

const ANOMALIES = eventFeed('anomalies');
/** The argument `after` of every subscription. */
export const AFTER = 'The cursor of the last event that was handled; without it, from now on.';

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
}));

builder.subscriptionFields((t) => ({
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
