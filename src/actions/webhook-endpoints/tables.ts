import {
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  json,
  list,
  object,
  optional,
  periodBegin,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { SUBSCRIBABLE } from './event-types.js';
import {
  DELIVERY_STATUSES,
  DISABLE_REASONS,
  ENDPOINT_STATUSES,
  OVERLAP_BOUNDS,
  WEBHOOK_LIMITS,
} from './vocabulary.js';

const URL = text(
  'The https address that events are posted to: a host of the public internet, port 443 or one ' +
    'from 1024. Redirects are not followed.',
  { max: 2_048 },
);
const TYPES_MAX = 50;
const TYPES = list(
  code(SUBSCRIBABLE, 'A code of the reference `webhooks.event_type`.'),
  'The types of events that are sent to it.',
  { max: TYPES_MAX },
);
const NOTE = text('What the endpoint is for, in your own words.', { max: 200 });

/** What is asked of a new endpoint. */
export const ENDPOINT_INPUT = fieldTable(
  'WebhookEndpointCreateInput',
  'Where you want to be told of what happens.',
  {
    url: URL,
    eventTypes: optional(
      list(
        code(SUBSCRIBABLE, 'A code of the reference `webhooks.event_type`.'),
        'The types of events to send; without it those that the reference marks `by_default`.',
        { max: TYPES_MAX },
      ),
    ),
    description: optional(NOTE),
  },
);

/** What is changed of an endpoint; what is left out stays. */
export const ENDPOINT_CHANGE = fieldTable(
  'WebhookEndpointUpdateInput',
  'What is to change of an endpoint; what is left out stays as it is.',
  {
    url: optional(URL),
    eventTypes: optional(TYPES),
    description: optional(NOTE),
  },
);

/** How a secret is rotated. */
export const ROTATION = {
  overlapHours: defaulting(
    integer(
      'For so long, up to 168 hours, messages carry the signature of the old secret too; 0 ends ' +
        'it now.',
      OVERLAP_BOUNDS,
    ),
    WEBHOOK_LIMITS.overlapHours,
  ),
} as const;

/** How an endpoint is resumed. */
export const RESUMING = {
  skipMissed: defaulting(
    flag('True begins with what happens from now on; false delivers what happened meanwhile too.'),
    false,
  ),
} as const;

/** Which deliveries are repeated. */
export const REPLAY = {
  since: periodBegin('Deliveries of events that were recorded at this time or later.'),
  failedOnly: defaulting(flag('True leaves out what has been delivered already.'), false),
} as const;

/** What a replay of many has done. */
export const REPLAYED = fieldTable('WebhookReplay', 'What a replay has done.', {
  replayed: integer('Deliveries that are sent again, each under the `webhook-id` that it had.'),
});

/** An endpoint as it is shown; the names are those of its columns. */
export const ENDPOINT_FIELDS = {
  url: text('The address that events are posted to.'),
  description: optional(text('What it is for.')),
  eventTypes: list(text('A code of the reference `webhooks.event_type`.'), 'What it is told of.'),
  status: code(ENDPOINT_STATUSES, 'Whether it is told of events.'),
  disabledReason: optional(code(DISABLE_REASONS, 'Why nothing is sent to it any more.')),
  disabledAt: optional(instant('When the gateway stopped to deliver to it.')),
  failingSince: optional(
    instant('The first failed attempt since the last success; null while it works.'),
  ),
  lastSuccessAt: optional(
    instant('When something was delivered last, to within ten seconds; null while nothing was.'),
  ),
  secretGeneration: integer('Counts its secrets from 1.'),
  formerSecretUntil: optional(
    instant('Until when messages carry the signature of the secret before too.'),
  ),
  createdBy: uuid('The member or key that created it.'),
  createdAt: instant('When it was created.'),
} as const;

const ATTEMPT = fieldTable('WebhookDeliveryAttempt', 'One attempt of a delivery.', {
  number: integer('Its number among all attempts of the delivery, from 1.'),
  at: instant('When the attempt began.'),
  status: optional(integer('The HTTP status of the answer; null where there was none.')),
  failure: optional(
    text('Why it failed, a code of the reference `webhooks.failure`; null where it delivered.'),
  ),
  latencyMs: integer('From its beginning to its end.'),
});

/** A delivery as its row holds it. */
export const DELIVERY_FIELDS = {
  endpointId: uuid('The endpoint that it is for.'),
  eventId: text('The `webhook-id` of every attempt, by which receivers recognise a repetition.'),
  eventType: text('What happened: a code of the reference `webhooks.event_type`.'),
  status: code(DELIVERY_STATUSES, 'How far the delivery is.'),
  attempts: integer('Attempts that were begun, those of replays among them.'),
  replayed: flag('True when somebody asked for it again.'),
  nextAttemptAt: optional(instant('When it is attempted next; null when it has ended.')),
  responseStatus: optional(integer('The HTTP status of the last answer.')),
  failure: optional(
    text('Why the last attempt failed, a code of the reference `webhooks.failure`.'),
  ),
  response: optional(text('The beginning of the last answer, up to 2,048 characters.')),
  createdAt: instant('When the event was recorded for the endpoint.'),
  endedAt: optional(instant('When it was delivered or given up; null before that.')),
} as const;

/** What of a delivery is kept as JSON. */
export const DELIVERY_CONTENT = {
  payload: json('What is sent: `type`, `timestamp` and `data`.'),
  attemptLog: list(object(ATTEMPT, 'An attempt.'), 'The last attempts, at most 20, oldest first.'),
} as const;

/** The attempts that a row holds. */
export const ATTEMPT_FIELDS = ATTEMPT.fields;

/** Which deliveries to list. */
export const DELIVERY_FILTER = fieldTable(
  'WebhookDeliveryFilter',
  'Which deliveries to list: those that meet all conditions.',
  {
    endpointId: uuid('The endpoint that they are for.'),
    status: code(DELIVERY_STATUSES, 'How far they are.'),
    eventType: text('The type of the event: a code of the reference `webhooks.event_type`.'),
    createdAt: instant('When the event was recorded for the endpoint.'),
  },
);

/** Which endpoints to list. */
export const ENDPOINT_FILTER = fieldTable(
  'WebhookEndpointFilter',
  'Which endpoints to list: those that meet all conditions.',
  { status: code(ENDPOINT_STATUSES, 'Whether they are told of events.') },
);
