import {
  day,
  defaulting,
  fieldTable,
  flag,
  list,
  money,
  number,
  object,
  optional,
  periodBegin,
  periodEnd,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';

/** Which advances are asked for. */
export const ADVANCES_QUESTION = {
  from: optional(periodBegin('Only advances that were received from then on.')),
  to: optional(periodEnd('Only advances that were received before the end of it.')),
  openOnly: defaulting(flag('Whether advances of which nothing is left are omitted.'), true),
} as const;

/** A top-up as an advance. */
const ADVANCE_LOT = fieldTable(
  'AdvanceLot',
  'A top-up as an advance: received on one day, at one rate of VAT, and invoiced once.',
  {
    lotId: uuid('The request id of the top-up.'),
    receivedOn: day('The day of its receipt in Moscow.'),
    vatRatePercent: number('The VAT rate of that day.'),
    paidMicro: money('What was paid by the top-up.'),
    settledMicro: money('How much of it paid for services of before: that is no advance.'),
    invoiceGrossMicro: money('The advance as it is invoiced, in whole kopecks.'),
    invoiceVatMicro: money('The VAT of the invoice: gross × rate / (100 + rate), half up.'),
    offsetGrossMicro: money('What services have used, less refunds; in whole kopecks.'),
    offsetVatMicro: money('The VAT of that by the invoice.'),
    returnGrossMicro: money('What left the account unused, in whole kopecks.'),
    returnVatMicro: money('The VAT of that by the invoice.'),
    restGrossMicro: money('What the invoice says less what was used and returned.'),
    restVatMicro: money('The VAT of that.'),
    leftMicro: money('What is left, to the micro-ruble.'),
  },
);

/** An advance as it is shown. */
export type AdvanceLot = ValuesOf<typeof ADVANCE_LOT.fields>;

/** Where the balance of an account comes from. */
export const ADVANCES = fieldTable(
  'Advances',
  'Where the balance comes from: what was paid and is left, what the operator gave, less debt.',
  {
    postedMicro: money('What the account owns.'),
    paidLeftMicro: money('What is left of all advances.'),
    bonusLeftMicro: money('What is left of what the operator gave; it is used first.'),
    owedMicro: money('What the account owes; 0 without a credit limit.'),
    lots: list(object(ADVANCE_LOT, 'An advance.'), 'The advances, oldest first; at most 1,000.'),
  },
);
