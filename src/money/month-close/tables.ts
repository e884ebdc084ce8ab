import {
  bigInteger,
  code,
  day,
  fieldTable,
  instant,
  integer,
  list,
  money,
  number,
  object,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { USAGE_OPERATIONS } from '../billing/vocabulary.js';
import { MONTH_DOCUMENTS, MONTH_ROUNDINGS } from './vocabulary.js';

/** Which month is closed. */
export const CLOSE_INPUT = fieldTable(
  'MonthCloseInput',
  'Which calendar month of Moscow is closed.',
  { month: optional(text('The month, `YYYY-MM`; the last that has ended by default.')) },
);

const TAXED = {
  vatRatePercent: number('The VAT rate by date of supply.'),
  netMicro: money('In whole kopecks, without VAT.'),
  vatMicro: money('The VAT, in whole kopecks.'),
  grossMicro: money('In whole kopecks, VAT included.'),
} as const;

const USAGE_LINE = fieldTable(
  'MonthUsageLine',
  'Services of one rate, operation and model. Refunds of charges of the same month are taken off.',
  {
    rateFrom: day('From which day of supply on the rate is in force.'),
    operation: optional(code(USAGE_OPERATIONS, 'What was asked; null for what names no request.')),
    model: optional(text('The model that answered; null for what names no request.')),
    requests: bigInteger('Requests that were charged.'),
    ...TAXED,
    exactMicro: money('The gross amount as the ledger has it, to the micro-ruble.'),
    exactVatMicro: money('The VAT as the ledger has it, to the micro-ruble.'),
  },
);

const CORRECTION = fieldTable(
  'MonthCorrectionLine',
  'What refunds of the month take off services of an earlier month; amounts are what it falls by.',
  {
    month: text('The month of the services, `YYYY-MM`, whose УПД is corrected.'),
    rateFrom: day('From which day of supply on the rate is in force.'),
    operation: optional(code(USAGE_OPERATIONS, 'What was asked; null where its usage is dropped.')),
    model: optional(text('The model that answered; null where its usage is dropped.')),
    ...TAXED,
    exactMicro: money('The gross amount as the ledger has it, to the micro-ruble.'),
    exactVatMicro: money('The VAT as the ledger has it, to the micro-ruble.'),
  },
);

const ADVANCE = fieldTable('MonthAdvance', 'Advances of one rate.', {
  rateFrom: day('From which day of receipt on the rate is in force.'),
  payments: integer('Top-ups that were received.'),
  ...TAXED,
});

const MOVES = fieldTable('MonthMovements', 'How the balance has moved, to the micro-ruble.', {
  openingMicro: money('What the account owned when the month began.'),
  topUpsMicro: money('Received by top-ups.'),
  creditsMicro: money('Given by the operator.'),
  adjustmentsMicro: money('Corrections by the operator, either way.'),
  refundsMicro: money('Charges that were given back.'),
  returnsMicro: money('Returned to the customer, out of the account.'),
  chargesMicro: money('Charged for requests.'),
  closingMicro: money('What the account owned when the month ended.'),
});

const LOT = fieldTable(
  'MonthLot',
  'A top-up as an advance, and how the month has moved it. Exact amounts are to the micro-ruble; ' +
    'those of documents are in whole kopecks, and add up to its invoice.',
  {
    lotId: uuid('The request id of the top-up.'),
    receivedOn: day('The day of its receipt in Moscow.'),
    rateFrom: day('From which day of receipt on its rate is in force.'),
    vatRatePercent: number('The VAT rate of the day of receipt.'),
    paidMicro: money('What was paid by the top-up.'),
    settledMicro: money('How much of it paid for services of before: that is no advance.'),
    invoiceGrossMicro: money('The advance as it is invoiced, in whole kopecks.'),
    invoiceVatMicro: money('The VAT of the invoice: gross × rate / (100 + rate), half up.'),
    openingMicro: money('What was left when the month began, or what was received in it. Exact.'),
    consumedMicro: money('What charges have used. Exact.'),
    restoredMicro: money('What refunds have put back. Exact.'),
    returnedMicro: money('What left the account unused. Exact.'),
    closingMicro: money('What was left when the month ended. Exact.'),
    offsetGrossMicro: money('Used less put back, in whole kopecks.'),
    offsetVatMicro: money(
      'The VAT of that by the invoice, to be deducted; negative to be restored.',
    ),
    returnGrossMicro: money('Returned, in whole kopecks.'),
    returnVatMicro: money('The VAT of that by the invoice, to be deducted.'),
    restGrossMicro: money('What the invoice says less all that was moved by the end of the month.'),
    restVatMicro: money('The VAT of that.'),
  },
);

const REMAINDER = fieldTable(
  'MonthAdvanceRemainder',
  'What was paid and not used by the end of the month, of advances of one rate. It was invoiced ' +
    'when it was received, and is not invoiced again.',
  { rateFrom: day('From which day of receipt on the rate is in force.'), ...TAXED },
);

const TRANSITION = fieldTable(
  'MonthRateTransition',
  'Advances of one rate that have paid for services of another one.',
  {
    receivedAtPercent: number('The VAT rate at which the advances were received.'),
    suppliedAtPercent: number('The VAT rate of the services, of the last day of the month.'),
    grossMicro: money('What was used of the advances less what was put back.'),
    advanceVatMicro: money('The VAT of it that was paid on receipt, to be deducted.'),
    supplyVatMicro: money('The VAT inside the same gross amount at the rate of the services.'),
    differenceMicro: money('VAT of the services less VAT of the advances: what the change costs.'),
  },
);

const BONUS = fieldTable('MonthBonus', 'What the operator gave, and what it paid for. Exact.', {
  openingMicro: money('What was left of it when the month began.'),
  givenMicro: money('Credits, and adjustments in favour of the customer.'),
  usedMicro: money('Charges that it has paid for; it is used before what was paid.'),
  restoredMicro: money('What refunds of such charges have put back.'),
  withdrawnMicro: money('What adjustments have taken back.'),
  closingMicro: money('What was left of it when the month ended.'),
});

const TOTAL = fieldTable('MonthTotal', 'The sum of the lines.', {
  netMicro: money('The sum of the lines without VAT.'),
  vatMicro: money('The sum of the VAT of the lines.'),
  grossMicro: money('VAT included; the ledger, rounded half up to the kopeck.'),
  rounding: code(MONTH_ROUNDINGS, 'How micro-rubles became kopecks.'),
  remainderMicro: money('Gross of the ledger less gross of the lines: what rounding has left.'),
  vatRemainderMicro: money('VAT of the ledger less VAT of the lines: what rounding has left.'),
});

const DOCUMENT_LINE = fieldTable('MonthDocumentLine', 'A line of a document.', {
  position: integer('Its number, from 1 on.'),
  name: text('What was supplied, in the words of the document.'),
  ...TAXED,
});

const DOCUMENT = fieldTable(
  'MonthDocument',
  'The fields of a Russian document as far as the gateway knows them.',
  {
    kind: code(MONTH_DOCUMENTS, 'Which document it is.'),
    title: text('How the document is called in Russian.'),
    date: day(
      'Of an advance the day of its receipt, of all else the last day of the month, in Moscow.',
    ),
    basis: optional(text('What it refers to, such as the УПД of a month; null where to nothing.')),
    lotId: optional(uuid('The request id of the top-up that an advance invoice is of.')),
    inPlaceOf: optional(
      list(
        code(MONTH_DOCUMENTS, 'A document.'),
        'The documents of the same month in whose place it stands: either it is issued, or these ' +
          'are. Null in months that were closed before it was said.',
      ),
    ),
    currency: text('The currency of all amounts: always `RUB`.'),
    buyerName: text('The organization, as it has registered.'),
    lines: list(
      object(DOCUMENT_LINE, 'A line.'),
      'What was supplied, received, moved or corrected.',
    ),
    netMicro: money('The sum of the lines without VAT.'),
    vatMicro: money('The sum of their VAT.'),
    grossMicro: money('The sum of the lines, VAT included.'),
    missing: list(text('A field.'), 'Fields that the gateway has no record of: to be filled in.'),
  },
);

/** What a closed month seals. */
export const CLOSE_CONTENT = {
  month: text('The calendar month of Moscow, `YYYY-MM`.'),
  from: instant('The begin of the month.'),
  to: instant('The end of the month; it is not part of it.'),
  movements: object(MOVES, 'How the balance has moved.'),
  lines: list(object(USAGE_LINE, 'Services of one kind.'), 'By rate, operation and model.'),
  total: object(TOTAL, 'The services of the month: the sum of its lines.'),
  corrections: list(
    object(CORRECTION, 'What falls.'),
    'What refunds of the month take off earlier months.',
  ),
  correctionTotal: object(TOTAL, 'The sum of the corrections.'),
  advances: list(object(ADVANCE, 'Advances of one rate.'), 'What was received, by rate.'),
  lots: list(object(LOT, 'An advance.'), 'The advances that were open in the month, oldest first.'),
  remainder: object(
    REMAINDER,
    'All that is left of advances, with the VAT of their invoices, beside the rate of the last ' +
      'day; `remainders` shows it by the rates of receipt.',
  ),
  remainders: list(object(REMAINDER, 'What is left.'), 'What is left of advances, by rate.'),
  transitions: list(
    object(TRANSITION, 'One rate after another.'),
    'Advances of one rate that were used at another one.',
  ),
  bonus: object(BONUS, 'What the operator gave.'),
  owedMicro: money('What the customer owed when the month ended; 0 without a credit limit.'),
  documents: list(
    object(DOCUMENT, 'A document.'),
    'Invoice, act, УПД, corrections, invoices of advances, their offset and return, bonus.',
  ),
  provenance: code(PROVENANCES, '`live_measured`: from the lines and rows of the organization.'),
} as const;

/** A closed month as it is sealed. */
export type MonthCloseContent = ValuesOf<typeof CLOSE_CONTENT>;
/** Services of one rate, operation and model. */
export type UsageLine = MonthCloseContent['lines'][number];
/** The fields of a document. */
export type MonthDocument = MonthCloseContent['documents'][number];
/** What is taken off an earlier month. */
export type CorrectionLine = MonthCloseContent['corrections'][number];
/** An advance as a month has moved it. */
export type MonthLot = MonthCloseContent['lots'][number];
/** Advances that were used at another rate. */
export type RateTransition = MonthCloseContent['transitions'][number];
