import { vocabulary } from '../../kernel/vocabulary.js';

/** The documents that a closed month has the figures of. */
export const MONTH_DOCUMENTS = vocabulary(
  'MonthDocumentKind',
  'A document of a Russian seller that a closed month has the figures of.',
  [
    {
      code: 'invoice',
      description: 'Счёт-фактура: the services of the month with their tax.',
      title: 'Счёт-фактура',
      subject: 'services',
    },
    {
      code: 'act',
      description: 'Акт: the services of the month, to be signed by both sides.',
      title: 'Акт об оказании услуг',
      subject: 'services',
    },
    {
      code: 'upd',
      description: 'УПД of status 1: invoice and act in one document, in place of both.',
      title: 'Универсальный передаточный документ, статус 1',
      subject: 'services',
    },
    {
      code: 'advance_invoice',
      description: 'Счёт-фактура на аванс: what was paid and not used by the end of the month.',
      title: 'Счёт-фактура на аванс',
      subject: 'advance',
    },
  ],
);

/** How the documents of a month round. */
export const MONTH_ROUNDINGS = vocabulary('MonthRounding', 'How micro-rubles become kopecks.', [
  {
    code: 'half_up_largest_remainder',
    description:
      'A sum is rounded half up to the kopeck; its lines are rounded down, and the kopecks that ' +
      'are left go to the lines with the largest remainders, so that lines add up to the sum.',
  },
]);

/** What no row of the gateway knows and a document needs. */
export const MISSING_REQUISITES = [
  'number',
  'seller.name',
  'seller.inn',
  'seller.kpp',
  'seller.address',
  'buyer.inn',
  'buyer.kpp',
  'buyer.address',
  'signatures',
] as const;

/** One kopeck in micro-rubles. */
export const MICRO_PER_KOPECK = 10_000n;
/** More groups of rate, operation and model than these are a fault of the books. */
export const LINES_MAX = 1_000;
