import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { filterOf } from '../../graph/filters.js';
import { ownList } from '../../graph/own-list.js';
import { argsOf, outputOf, shownFields, storedFields } from '../../graph/table-types.js';
import { object, text, uuid } from '../../kernel/fields/field.js';
import { eventFeed } from '../../records/feed.js';
import { feedField } from '../../records/feed-field.js';
import { feedItem } from '../../records/feed-item.js';
import { requireOwn } from '../../records/own.js';
import { contentOf, replayDeliveries, replayDelivery, testEndpoint } from './deliveries.js';
import { DISABLED_FACTS, ENDPOINT_FEED } from './event-types.js';
import './reference.js';
import {
  createEndpoint,
  type EndpointWithSecret,
  pauseEndpoint,
  removeEndpoint,
  resumeEndpoint,
  rotateSecret,
  updateEndpoint,
} from './service.js';
import {
  DELIVERY_CONTENT,
  DELIVERY_FIELDS,
  DELIVERY_FILTER,
  ENDPOINT_CHANGE,
  ENDPOINT_FIELDS,
  ENDPOINT_FILTER,
  ENDPOINT_INPUT,
  REPLAY,
  REPLAYED,
  RESUMING,
  ROTATION,
} from './tables.js';

const WebhookEndpoint = builder.prismaNode('WebhookEndpoint', {
  id: { field: 'id', description: 'The id of the endpoint.' },
  description:
    'Where the organization is told of what happens in it, by signed messages (Standard Webhooks).',
  fields: (t) => storedFields(t, ENDPOINT_FIELDS),
});

const WithSecret = builder.objectRef<EndpointWithSecret>('WebhookEndpointSecret').implement({
  description: 'An endpoint with its new secret.',
  fields: (t) => ({
    id: t.id({ description: 'The id of the endpoint.', resolve: ({ endpoint }) => endpoint.id }),
    ...shownFields(t, { secret: text('`whsec_…`, shown this once: store it now.') }, (it) => it),
    ...shownFields(t, ENDPOINT_FIELDS, ({ endpoint }) => endpoint as never),
  }),
});

const WebhookDelivery = builder.prismaNode('WebhookDelivery', {
  id: { field: 'id', description: 'The id of the delivery.' },
  description:
    'One event for one endpoint. Ended deliveries are kept for 30 days, of an endpoint the last ' +
    '10,000.',
  fields: (t) => ({
    ...storedFields(t, DELIVERY_FIELDS),
    ...shownFields(t, DELIVERY_CONTENT, contentOf),
  }),
});

ownList({
  field: 'webhookEndpoints',
  type: WebhookEndpoint,
  description: 'The endpoints that are told of events.',
  permission: 'webhooks.read',
  filter: filterOf(ENDPOINT_FILTER),
  noun: 'endpoints',
});

ownList({
  field: 'webhookDeliveries',
  type: WebhookDelivery,
  description: 'What was and is to be delivered to endpoints.',
  permission: 'webhooks.read',
  filter: filterOf(DELIVERY_FILTER),
  noun: 'deliveries',
});

feedField({
  name: 'webhookEvents',
  description: 'What happens to endpoints, such as that one was disabled, each once and in order.',
  permission: 'webhooks.read',
  source: eventFeed(ENDPOINT_FEED),
  item: feedItem(
    'WebhookFeedItem',
    'What happened to an endpoint; the subject is the endpoint.',
    object(DISABLED_FACTS, 'Why the gateway has stopped to deliver.'),
  ),
});

const ENDPOINT = { id: uuid('The endpoint, by its id.') } as const;
const DELIVERY = { id: uuid('The delivery, by its id.') } as const;

builder.queryFields((t) => ({
  webhookEndpoint: t.prismaField({
    type: WebhookEndpoint,
    description: 'One endpoint; its secret is not part of it.',
    authScopes: { can: 'webhooks.read' },
    args: argsOf(t, ENDPOINT),
    resolve: (_query, _root, { id }, ctx) => requireOwn(authorized(ctx), 'WebhookEndpoint', id),
  }),
  webhookDelivery: t.prismaField({
    type: WebhookDelivery,
    description: 'One delivery with its payload and attempts.',
    authScopes: { can: 'webhooks.read' },
    args: argsOf(t, DELIVERY),
    resolve: (_query, _root, { id }, ctx) => requireOwn(authorized(ctx), 'WebhookDelivery', id),
  }),
}));

builder.mutationFields((t) => ({
  webhookEndpointCreate: t.field({
    type: WithSecret,
    description:
      'Creates an endpoint that is told of what happens from now on. The answer is the only ' +
      'place where its secret appears.',
    authScopes: { can: 'webhooks.write' },
    args: argsOf(t, { input: object(ENDPOINT_INPUT, 'Where, and of what.') }),
    resolve: (_root, { input }, ctx) => createEndpoint(authorized(ctx), input),
  }),
  webhookEndpointUpdate: t.prismaField({
    type: WebhookEndpoint,
    description: 'Changes an endpoint. Types that are new to it are told from now on.',
    authScopes: { can: 'webhooks.write' },
    args: argsOf(t, { ...ENDPOINT, input: object(ENDPOINT_CHANGE, 'What is to change.') }),
    resolve: (_query, _root, { id, input }, ctx) => updateEndpoint(authorized(ctx), id, input),
  }),
  webhookEndpointSecretRotate: t.field({
    type: WithSecret,
    description:
      'Gives an endpoint a new secret. During the overlap every message carries the ' +
      'signatures of both.',
    authScopes: { can: 'webhooks.write' },
    args: argsOf(t, { ...ENDPOINT, ...ROTATION }),
    resolve: (_root, { id, overlapHours }, ctx) => rotateSecret(authorized(ctx), id, overlapHours),
  }),
  webhookEndpointPause: t.prismaField({
    type: WebhookEndpoint,
    description: 'Stops to deliver to an endpoint until it is resumed; nothing is lost meanwhile.',
    authScopes: { can: 'webhooks.write' },
    args: argsOf(t, ENDPOINT),
    resolve: (_query, _root, { id }, ctx) => pauseEndpoint(authorized(ctx), id),
  }),
  webhookEndpointResume: t.prismaField({
    type: WebhookEndpoint,
    description: 'Delivers again to an endpoint that is paused or disabled.',
    authScopes: { can: 'webhooks.write' },
    args: argsOf(t, { ...ENDPOINT, ...RESUMING }),
    resolve: (_query, _root, { id, skipMissed }, ctx) =>
      resumeEndpoint(authorized(ctx), id, skipMissed),
  }),
  webhookEndpointTest: t.prismaField({
    type: WebhookDelivery,
    description: 'Sends a `webhook.test` to an endpoint, with one attempt.',
    authScopes: { can: 'webhooks.write' },
    args: argsOf(t, ENDPOINT),
    resolve: (_query, _root, { id }, ctx) => testEndpoint(authorized(ctx), id),
  }),
  webhookDeliveryReplay: t.prismaField({
    type: WebhookDelivery,
    description: 'Delivers once more under the same `webhook-id`, whatever became of it before.',
    authScopes: { can: 'webhooks.write' },
    args: argsOf(t, DELIVERY),
    resolve: (_query, _root, { id }, ctx) => replayDelivery(authorized(ctx), id),
  }),
  webhookDeliveriesReplay: t.field({
    type: outputOf(REPLAYED),
    description:
      'Delivers once more what has ended of an endpoint since a time. What is new passes it.',
    authScopes: { can: 'webhooks.write' },
    args: argsOf(t, { ...ENDPOINT, ...REPLAY }),
    resolve: (_root, { id, since, failedOnly }, ctx) =>
      replayDeliveries(authorized(ctx), id, { since, failedOnly }),
  }),
  webhookEndpointRemove: t.prismaField({
    type: WebhookEndpoint,
    description: 'Removes an endpoint with its deliveries, for good. It answers what it was.',
    authScopes: { can: 'webhooks.write' },
    args: argsOf(t, ENDPOINT),
    resolve: (_query, _root, { id }, ctx) => removeEndpoint(authorized(ctx), id),
  }),
}));
