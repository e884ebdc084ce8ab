import type { StatedError } from '../../kernel/errors/row.js';

/** Cost events. */
export const COST_ERRORS = {
  cost_event_reused: {
    status: 409,
    type: 'conflict_error',
    message: 'The event id "{eventId}" stands for another cost.',
    cause: 'An event id stands for the content that it was recorded with first.',
    fix: [
      'Use a new event id for a new cost.',
      'Record a new event that names this one in `replaces_id` where it was wrong.',
    ],
  },
} as const satisfies Record<string, StatedError>;
