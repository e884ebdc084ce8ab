import type { StatedError } from '../../kernel/errors/row.js';
import { REPORTS_A_DAY_MAX } from './vocabulary.js';

/** Reports of listings. */
export const MARKETPLACE_ERRORS = {
  listing_report_open: {
    status: 409,
    message: 'The organization has reported this listing already: {id}.',
    cause: 'An organization has one open report of a listing.',
    fix: ['Wait for the decision of an operator.'],
    ru: {
      message: 'Организация уже пожаловалась на эту карточку: {id}.',
      cause: 'У организации может быть одна открытая жалоба на карточку.',
      fix: ['Дождитесь решения оператора.'],
    },
  },
  listing_report_limit_reached: {
    status: 429,
    message: 'An organization makes at most {max} reports in 24 hours, one at a time.',
    cause: `Reports are read by people: an organization makes ${REPORTS_A_DAY_MAX} of them a day.`,
    fix: ['Wait, or write to the operator of this server.'],
    ru: {
      message: 'Не больше {max|жалобы|жалоб|жалоб} от организации за 24 часа, по одной за раз.',
      cause: `Жалобы читают люди: от организации принимают ${REPORTS_A_DAY_MAX} в день.`,
      fix: ['Подождите или напишите оператору этого сервера.'],
    },
  },
} as const satisfies Record<string, StatedError>;
