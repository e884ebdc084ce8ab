import {
  fieldTable,
  flag,
  integer,
  list,
  object,
  optional,
  text,
} from '../../kernel/fields/field.js';
import { wireName } from '../../kernel/fields/names.js';
import { vocabulary } from '../../kernel/vocabulary.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { WEBHOOK_FAILURES } from '../webhook/failures.js';
import { EVENT_TYPES } from './event-types.js';
import {
  DELIVERY_STATUSES,
  DISABLE_REASONS,
  ENDPOINT_STATUSES,
  WEBHOOK_LIMITS,
} from './vocabulary.js';

const DATA_FIELD = fieldTable('WebhookDataField', 'A member of `data`.', {
  name: text('Its name in the message.'),
  holds: text('What it holds: `money` is rubles as a decimal text, `instant` a time in UTC.'),
  mayBeNull: flag('Whether null is a value of it.'),
  description: text('What the member means.'),
});

const EVENT_TYPE = fieldTable('WebhookEventTypeEntry', 'The types of events and what they carry.', {
  permission: text('What whoever subscribes to it must be allowed to read.'),
  subscribable: flag('False for what is sent without being asked for.'),
  byDefault: flag('Whether an endpoint gets it that names no types.'),
  data: list(object(DATA_FIELD, 'A member.'), 'The members of `data`, all of them always there.'),
  feed: optional(text('The feed that it comes from, whose order its first attempts keep.')),
});

const ROWS = EVENT_TYPES.rows.map(({ data, feed, ...row }) => ({
  ...row,
  feed,
  subscribable: feed !== null,
  data: Object.entries(data.fields).map(([name, { kind, optional: mayBeNull, description }]) => ({
    ...{ name: wireName(name), holds: kind, mayBeNull, description },
  })),
}));

const FAILURES = vocabulary(
  'WebhookFailure',
  'Why an attempt to tell an endpoint has failed.',
  WEBHOOK_FAILURES,
);

publishReference({
  module: 'webhooks',
  type: 'WebhooksReference',
  description:
    'The types of events with what they carry, statuses, failures and bounds of webhooks.',
  lists: {
    eventTypes: rows('event_type', ROWS, EVENT_TYPE),
    endpointStatuses: codes('endpoint_status', ENDPOINT_STATUSES),
    disableReasons: codes('disable_reason', DISABLE_REASONS),
    deliveryStatuses: codes('delivery_status', DELIVERY_STATUSES),
    failures: codes('failure', FAILURES),
  },
  figures: {
    fields: {
      endpointsMax: integer('The most endpoints of an organization.'),
      endpointAttemptsMax: integer('Attempts of an endpoint at once; one while it fails.'),
      tenantAttemptsMax: integer('Attempts of an organization at once.'),
      pendingMax: integer('Deliveries of an endpoint that wait at once; others wait in the feed.'),
      responseCharactersMax: integer('Characters of the last answer that are kept.'),
      attemptsToldMax: integer('The last attempts of a delivery that are told one by one.'),
      retentionDays: integer('Ended deliveries are kept for so many days.'),
      endedMax: integer('Of an endpoint so many deliveries are kept.'),
      overlapHoursMax: integer('The longest overlap of a rotation.'),
      overlapHours: integer('The overlap of a rotation unless another is stated.'),
    },
    values: WEBHOOK_LIMITS,
  },
});
