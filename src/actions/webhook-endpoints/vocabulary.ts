import { vocabulary } from '../../kernel/vocabulary.js';

/** Whether an endpoint is told of events. */
export const ENDPOINT_STATUSES = vocabulary(
  'WebhookEndpointStatus',
  'Whether an endpoint is told of events.',
  [
    { code: 'active', description: 'Events are delivered as they happen.' },
    { code: 'paused', description: 'A member has paused it; its place in the feeds is kept.' },
    {
      code: 'disabled',
      description: 'The gateway has stopped to deliver; a member resumes it when it works again.',
    },
  ],
);

/** Why the gateway has stopped to deliver to an endpoint. */
export const DISABLE_REASONS = vocabulary(
  'WebhookDisableReason',
  'Why the gateway has stopped to deliver to an endpoint.',
  [
    {
      code: 'keeps_failing',
      description:
        'A delivery has used up its whole schedule, and nothing else was delivered meanwhile.',
    },
    { code: 'gone', description: 'The endpoint answered 410: it wants to be told no more.' },
  ],
);

/** How far a delivery is. */
export const DELIVERY_STATUSES = vocabulary('WebhookDeliveryStatus', 'How far a delivery is.', [
  { code: 'pending', description: 'It waits for its next attempt.' },
  { code: 'sending', description: 'An attempt is under way.' },
  { code: 'delivered', description: 'The endpoint answered with a status of success.' },
  { code: 'failed', description: 'Every attempt of the schedule failed; it can be replayed.' },
]);

/** Bounds of endpoints and deliveries, as the reference publishes them. */
export const WEBHOOK_LIMITS = {
  /** Endpoints of an organization. */
  endpointsMax: 20,
  /** Attempts of one endpoint under way at once; one while it fails. */
  endpointAttemptsMax: 8,
  /** Attempts of one organization under way at once. */
  tenantAttemptsMax: 16,
  /** Deliveries of an endpoint that wait at once; what follows waits in its feed. */
  pendingMax: 1_000,
  /** Characters of the last answer that are kept. */
  responseCharactersMax: 2_048,
  /** The last attempts of a delivery that are told one by one. */
  attemptsToldMax: 20,
  /** How long ended deliveries are kept, in days, */
  retentionDays: 30,
  /** and how many of them for each endpoint. */
  endedMax: 10_000,
  /** The longest overlap of a rotation, in hours, and the one unless stated. */
  overlapHoursMax: 168,
  overlapHours: 24,
} as const;

/** Bounds of the overlap of a rotation, in hours. */
export const OVERLAP_BOUNDS = { min: 0, max: WEBHOOK_LIMITS.overlapHoursMax } as const;
