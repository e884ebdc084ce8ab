import type { ErrorRow } from '../../kernel/errors/row.js';

/** Outcomes of answers. */
export const ADAPTIVE_ERRORS = {
  routing_outcome_differs: {
    status: 409,
    type: 'conflict_error',
    message: 'The outcome of {requestId} was reported before with another {names}.',
    cause: 'An outcome is never changed: a later report adds what was not stated before.',
    fix: [
      'Nothing has to be done where the first report is right.',
      'State only what the first report left out, such as the cost or the latency.',
    ],
    ru: {
      message: 'Об исходе {requestId} уже сообщали, и там указано другое: {names}.',
      cause: 'Исход не меняют: следующее сообщение лишь добавляет то, чего раньше не указали.',
      fix: [
        'Если верно первое сообщение, делать ничего не нужно.',
        'Укажите только то, чего в первом сообщении не было, например стоимость или задержку.',
      ],
    },
  },
} as const satisfies Record<string, ErrorRow>;
