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
  'The services of a month of one rate, operation and model; refunds are taken off.',
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
  chargesMicro: money('Charged for requests.'),
  closingMicro: money('What the account owned when the month ended.'),
});

const REMAINDER = fieldTable(
  'MonthAdvanceRemainder',
  'What was paid and not used by the end of the month; what the operator gave is used first.',
  { rateFrom: day('From which day on the rate of the last day is in force.'), ...TAXED },
);

const TOTAL = fieldTable('MonthTotal', 'The services of the month: the sum of its lines.', {
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
    date: day('The last day of the month in Moscow.'),
    currency: text('The currency of all amounts: always `RUB`.'),
    buyerName: text('The organization, as it has registered.'),
    lines: list(object(DOCUMENT_LINE, 'A line.'), 'What was supplied, or received in advance.'),
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
  total: object(TOTAL, 'The services of the month.'),
  advances: list(object(ADVANCE, 'Advances of one rate.'), 'What was received, by rate.'),
  remainder: object(REMAINDER, 'The advance on the remainder.'),
  documents: list(object(DOCUMENT, 'A document.'), 'Invoice, act, УПД and invoice of the advance.'),
  provenance: code(PROVENANCES, '`live_measured`: from the lines and rows of the organization.'),
} as const;

/** A closed month as it is sealed. */
export type MonthCloseContent = ValuesOf<typeof CLOSE_CONTENT>;
/** Services of one rate, operation and model. */
export type UsageLine = MonthCloseContent['lines'][number];
/** The fields of a document. */
export type MonthDocument = MonthCloseContent['documents'][number];
