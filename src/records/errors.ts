import type { StatedError } from '../kernel/errors/row.js';

/** Sealed receipts. */
export const RECORD_ERRORS = {
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
} as const satisfies Record<string, StatedError>;
