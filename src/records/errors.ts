import type { StatedError } from '../kernel/errors/row.js';

/** Sealed receipts. */
export const RECORD_ERRORS = {
  invalid_receipt_id: {
    status: 400,
    message: 'A receipt id is a uuid; "{id}" is not.',
    cause: 'Receipts are looked up by their uuid only.',
    fix: ['Use the id that the sealing answer returned.'],
  },
} as const satisfies Record<string, StatedError>;
