import type { ErrorRow } from '../../kernel/errors/row.js';

/** Sealed periods. */
export const INTEGRITY_ERRORS = {
  integrity_seal_pending: {
    status: 409,
    type: 'conflict_error',
    message: 'The rows of the period are being read, so its receipt is not sealed yet.',
    cause:
      'A period with many rows is read behind the request. The sealing {id} says how far it is.',
    fix: [
      'Ask for the progress with billingIntegritySeal(id: "{id}").',
      'Send the same call again when its status is sealed.',
    ],
    ru: {
      message: 'Строки периода ещё читаются, поэтому квитанция пока не выпущена.',
      cause: 'Период с большим числом строк читается в фоне. Ход чтения показывает запись {id}.',
      fix: [
        'Узнайте ход чтения запросом billingIntegritySeal с id {id}.',
        'Повторите вызов, когда чтение закончится.',
      ],
    },
  },
} as const satisfies Record<string, ErrorRow>;
