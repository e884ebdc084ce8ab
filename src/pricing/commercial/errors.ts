import type { ErrorRow } from '../../kernel/errors/row.js';

/** Deals and the top-ups that are evidence for them. */
export const COMMERCIAL_ERRORS = {
  wtp_evidence_sealed: {
    status: 409,
    type: 'conflict_error',
    message: 'The top-up is evidence in the sealed receipt of the deal {id}.',
    cause:
      'A ruble counts for one deal, and a sealed receipt keeps what counted when it was sealed.',
    fix: ['State top-ups for their deals before their receipts are sealed.'],
    ru: {
      message: 'Пополнение уже учтено в запечатанной квитанции сделки {id}.',
      cause:
        'Каждый рубль учитывается только в одной сделке, а запечатанная квитанция сохраняет то, ' +
        'что было учтено при её выпуске.',
      fix: ['Указывайте сделку для пополнения до того, как запечатаете квитанцию другой сделки.'],
    },
  },
} as const satisfies Record<string, ErrorRow>;
