import type { StatedError } from '../kernel/errors/row.js';

/** Sealed receipts, and rows that are kept for a time. */
export const RECORD_ERRORS = {
  change_contended: {
    status: 503,
    message: 'Other changes of the organization were in the way; nothing was changed.',
    cause: 'The change was tried several times, and each time another one held what it needed.',
    fix: ['Retry after the time in `retry-after`; make fewer changes at the same time.'],
    ru: {
      message: 'Помешали другие изменения организации; ничего не изменено.',
      cause: 'Попыток было несколько, и каждый раз нужные данные держало другое изменение.',
      fix: [
        'Повторите запрос через время из `retry-after`; вносите меньше изменений одновременно.',
      ],
    },
  },
  invalid_receipt_id: {
    status: 400,
    message: 'A receipt id is a uuid; "{id}" is not.',
    cause: 'Receipts are looked up by their uuid only.',
    fix: ['Use the id that the sealing answer returned.'],
    ru: {
      message: 'Идентификатор квитанции должен быть в формате UUID, а «{id}» — нет.',
      cause: 'Квитанции ищут только по их UUID.',
      fix: ['Возьмите идентификатор из ответа, в котором квитанция была выдана.'],
    },
  },
  detail_dropped: {
    status: 422,
    message: 'Requests of before {kept_from} are not kept one by one any more.',
    cause: 'The operator has exported and dropped them; reports over kept sums still have them.',
    fix: [
      'Ask for a window that begins at that time or later.',
      'For sums of earlier months use the usage reports, for single requests ask the operator.',
    ],
    ru: {
      message: 'Отдельные запросы до {kept_from} больше не хранятся.',
      cause: 'Оператор выгрузил и удалил их; в отчётах по накопленным суммам они остались.',
      fix: [
        'Запросите период, который начинается с этого момента или позже.',
        'Суммы за прежние месяцы смотрите в отчётах, отдельные запросы спросите у оператора.',
      ],
    },
  },
  cursor_too_old: {
    status: 400,
    message: 'Events after this cursor have been dropped, the last of them with those of {month}.',
    cause: 'Events are kept for a time; a reader that comes later would miss some unseen.',
    fix: ['Read anew without a cursor, and compare with the lists of what the events tell.'],
    ru: {
      message: 'События после этого курсора удалены, последние — вместе с событиями за {month}.',
      cause: 'События хранятся ограниченное время; более поздний читатель не заметил бы пропуска.',
      fix: ['Начните чтение без курсора и сверьтесь со списками того, о чём говорят события.'],
    },
  },
} as const satisfies Record<string, StatedError>;
