import { vocabulary } from '../../kernel/vocabulary.js';

/** The documents that a closed month has the figures of. */
export const MONTH_DOCUMENTS = vocabulary(
  'MonthDocumentKind',
  'A document of a Russian seller that a closed month has the figures of.',
  [
    {
      code: 'invoice',
      description:
        'Счёт-фактура: the services of the month with their tax. Issued with the act, or ' +
        'neither of both where the УПД is.',
      title: 'Счёт-фактура',
      subject: 'services',
      inPlaceOf: [],
    },
    {
      code: 'act',
      description:
        'Акт: the services of the month, to be signed by both sides. Issued with the invoice, or ' +
        'neither of both where the УПД is.',
      title: 'Акт об оказании услуг',
      subject: 'services',
      inPlaceOf: [],
    },
    {
      code: 'upd',
      description: 'УПД of status 1: invoice and act in one document, in place of both.',
      title: 'Универсальный передаточный документ, статус 1',
      subject: 'services',
      inPlaceOf: ['invoice', 'act'],
    },
    {
      code: 'correction',
      description:
        'УКД: what refunds of this month take off the services of an earlier month, whose УПД is ' +
        'out already; with the VAT of the charges.',
      title: 'Универсальный корректировочный документ (уменьшение стоимости)',
      subject: 'correction',
      inPlaceOf: [],
    },
    {
      code: 'advance_invoice',
      description:
        'Счёт-фактура на аванс: one for each top-up, of the day of its receipt, at the rate of ' +
        'that day (20/120 or 22/122).',
      title: 'Счёт-фактура на аванс',
      subject: 'advance',
      inPlaceOf: [],
    },
    {
      code: 'advance_offset',
      description:
        'Зачёт авансов: what services have used of each advance, with the VAT to be deducted at ' +
        'the rate of its receipt.',
      title: 'Зачёт авансов',
      subject: 'offset',
      inPlaceOf: [],
    },
    {
      code: 'advance_return',
      description:
        'Возврат аванса: what left each advance unused, with the VAT to be deducted at the rate ' +
        'of its receipt.',
      title: 'Возврат авансов',
      subject: 'return',
      inPlaceOf: [],
    },
    {
      code: 'bonus_notice',
      description:
        'Уведомление о бонусе: what the operator gave. It is no payment and no discount: the ' +
        'services that it pays for are invoiced in full, and it bears no VAT.',
      title: 'Уведомление о начислении бонуса',
      subject: 'bonus',
      inPlaceOf: [],
    },
    {
      code: 'bonus_withdrawal',
      description: 'Уведомление об уменьшении бонуса: what an adjustment took of it.',
      title: 'Уведомление об уменьшении бонуса',
      subject: 'withdrawal',
      inPlaceOf: [],
    },
  ],
);

/** How the documents of a month round. */
export const MONTH_ROUNDINGS = vocabulary('MonthRounding', 'How micro-rubles become kopecks.', [
  {
    code: 'half_up_largest_remainder',
    description:
      'A sum is rounded half up to the kopeck; its lines are rounded down, and the kopecks that ' +
      'are left go to the lines with the largest remainders, so that lines add up to it. What ' +
      'is taken from an advance is the kopecks of all that was taken by then less those of before.',
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

/** More groups of rate, operation and model than these are a fault of the books. */
export const LINES_MAX = 1_000;
/** More advances than these cannot move in a month that is to be closed. */
export const LOTS_MAX = 5_000;
