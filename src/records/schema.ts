import { builder } from '../graph/builder.js';
import { database } from '../graph/database.js';
import {
  byId,
  DateTimeFilter,
  IdFilter,
  ListOrder,
  ORDER_BY,
  StringFilter,
} from '../graph/filters.js';
import { pageComplexity } from '../graph/page.js';
import { type PrincipalKind, PrincipalKindEnum } from '../graph/principals.js';
import { auditEventsWhere } from './audit-trail.js';
import { type Delivered, eventFeed, type FeedRow } from './feed.js';
import { feedField } from './feed-field.js';

/** A management change, as it is listed. */
export const AuditEvent = builder.prismaNode('AuditEvent', {
  id: { field: 'id', description: 'The id of the event.' },
  description:
    'One management change. Who holds the object before or after it can prove it by its hash.',
  fields: (t) => ({
    actorKind: t.field({
      type: PrincipalKindEnum,
      description: 'Whether a member or a key acted.',
      resolve: ({ actorKind }) => actorKind as PrincipalKind,
    }),
    actorId: t.expose('actorId', { type: 'ID', description: 'The member or key that acted.' }),
    action: t.exposeString('action', {
      description: 'The mutation that changed something, in the words of the API.',
    }),
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
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the change was committed.',
    }),
  }),
});

/** An event of a feed, as it is shown. */
export const FeedItem = builder.objectRef<Delivered<FeedRow>>('FeedItem').implement({
  description: 'An event of a durable feed, with the cursor that resumes after it.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Pass it as `after` to go on from here.' }),
    id: t.field({
      type: 'ID',
      description: 'The id of the event; it removes doubles.',
      resolve: ({ event }) => event.id,
    }),
    type: t.string({
      description: 'What happened, as a code of the feed.',
      resolve: ({ event }) => event.type,
    }),
    subjectId: t.string({
      description: 'The id of the thing that it happened to.',
      resolve: ({ event }) => event.subjectId,
    }),
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

const AuditEventFilter = builder.inputType('AuditEventFilter', {
  description: 'Which events of the audit trail to list: those that meet all conditions.',
  fields: (t) => ({
    createdAt: t.field({ type: DateTimeFilter, description: 'When the change was committed.' }),
    actorId: t.field({ type: IdFilter, description: 'The member or key that acted.' }),
    action: t.field({ type: StringFilter, description: 'The mutation that changed something.' }),
    subject: t.field({ type: StringFilter, description: 'The type of the object that changed.' }),
    subjectId: t.field({ type: StringFilter, description: 'The id of the object that changed.' }),
  }),
});

builder.queryFields((t) => ({
  auditEvents: t.prismaConnection({
    type: AuditEvent,
    cursor: 'id',
    description: 'The audit trail of the organization.',
    authScopes: { can: 'audit.read' },
    complexity: pageComplexity,
    args: {
      filter: t.arg({
        type: AuditEventFilter,
        description: 'Which events to list; all unless stated.',
      }),
      orderBy: t.arg({ type: ListOrder, description: ORDER_BY }),
    },
    resolve: (query, _root, { filter, orderBy }, ctx) =>
      database(ctx).auditEvent.findMany({
        ...query,
        where: auditEventsWhere(filter ?? {}),
        orderBy: byId(orderBy),
      }),
  }),
}));

feedField({
  name: 'anomalyEvents',
  description: 'Anomalies of cost and traffic, each event once and in order.',
  permission: 'anomalies.read',
  source: eventFeed('anomalies'),
  item: FeedItem,
});
