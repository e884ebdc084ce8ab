import type { StatedError } from './row.js';

/** What is answered where personal data was erased. */
export const PERSONAL_DATA_ERRORS = {
  personal_data_erased: {
    status: 409,
    message: 'The personal data of this was erased.',
    cause:
      'The organization has erased its personal data, and with it what this needs. Hashes, ' +
      'amounts and the chain of receipts stand as they were.',
    fix: ['Ask for it anew, with the data that it needs.'],
    ru: {
      message: 'Персональные данные этой записи стёрты.',
      cause:
        'Организация стёрла свои персональные данные, а с ними и то, что здесь нужно. Хеши, ' +
        'суммы и цепочка квитанций остались прежними.',
      fix: ['Запросите это заново, передав нужные данные.'],
    },
  },
  personal_data_key_changed: {
    status: 503,
    message: 'Personal data of the organization was erased just now.',
    cause: 'The request wrote personal data while the organization erased it; nothing was kept.',
    fix: ['Send the request again.'],
    ru: {
      message: 'Персональные данные организации только что стёрты.',
      cause:
        'Запрос записывал персональные данные в то время, когда организация их стирала; ничего ' +
        'не сохранено.',
      fix: ['Отправьте запрос ещё раз.'],
    },
  },
} as const satisfies Record<string, StatedError>;
