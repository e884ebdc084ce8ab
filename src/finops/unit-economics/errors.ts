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
    ru: {
      message: 'Идентификатор события «{eventId}» уже обозначает другую затрату.',
      cause: 'Идентификатор события закреплён за тем содержанием, с которым был записан впервые.',
      fix: [
        'Для новой затраты возьмите новый идентификатор события.',
        'Если запись была неверной, сделайте новую и назовите прежнюю в `replaces_id`.',
      ],
    },
  },
} as const satisfies Record<string, StatedError>;
