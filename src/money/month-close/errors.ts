import type { StatedError } from '../../kernel/errors/row.js';

/** What the close of a month refuses. */
export const MONTH_CLOSE_ERRORS = {
  month_unbalanced: {
    status: 409,
    message: 'The month {month} cannot be closed: {reasons}.',
    cause: 'The books of the month do not add up, so its documents would not either.',
    fix: [
      'Ask GET /v1/gw/billing-integrity/completeness and GET /v1/gw/billing-integrity/dual-meter ' +
        'for the requests.',
      'Have the operator correct the books, and close the month then.',
    ],
    ru: {
      message: 'Месяц {month} нельзя закрыть: {reasons}.',
      cause: 'Книги за месяц не сходятся, поэтому не сошлись бы и документы.',
      fix: [
        'Найдите запросы через GET /v1/gw/billing-integrity/completeness и GET ' +
          '/v1/gw/billing-integrity/dual-meter.',
        'Попросите оператора исправить книги, затем закройте месяц.',
      ],
    },
  },
} as const satisfies Record<string, StatedError>;
