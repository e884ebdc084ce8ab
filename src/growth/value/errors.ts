import type { ErrorRow } from '../../kernel/errors/row.js';

/** Value events. */
export const VALUE_ERRORS = {
  value_event_claimed: {
    status: 409,
    type: 'conflict_error',
    message: 'The result {externalRef} of the type {eventType} is claimed by the event {id}.',
    cause:
      'A result with an external reference, or of a blueprint run, counts once, whichever use ' +
      'case claims it.',
    fix: [
      'Read the event that claims it; nothing has to be done where it is the same result.',
      'Give another result a reference of its own.',
    ],
    ru: {
      message: 'Результат {externalRef} типа {eventType} уже учтён событием {id}.',
      cause:
        'Результат с внешним номером и результат запуска сценария учитываются один раз, кто бы ' +
        'их ни заявил.',
      fix: [
        'Прочитайте событие, которое его учло; если это тот же результат, делать ничего не ' +
          'нужно.',
        'Дайте другому результату собственный внешний номер.',
      ],
    },
  },
} as const satisfies Record<string, ErrorRow>;
