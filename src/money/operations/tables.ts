import {
  code,
  day,
  fieldTable,
  instant,
  list,
  money,
  number,
  object,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { MONTH_DOCUMENTS } from '../month-close/vocabulary.js';
import {
  BALANCE_OPERATIONS,
  OPERATION_BOUNDS,
  OPERATION_DOCUMENTS,
  OPERATION_STATUSES,
} from './vocabulary.js';

const { microMax, reasonChars } = OPERATION_BOUNDS;

const WHOSE = {
  tenantId: uuid('The id of the organization whose balance it is.'),
} as const;

const WHY = {
  reason: text('Why, as the customer reads it in the ledger.', { min: 1, max: reasonChars }),
} as const;

const AMOUNT = { min: 1n, max: microMax } as const;

/** A refund to make. */
export const REFUND_INPUT = fieldTable('BalanceRefundInput', 'Which charge is given back.', {
  ...WHOSE,
  requestId: uuid('The request that was charged.'),
  amountMicro: optional(
    money('How much, VAT included; all that is left of it by default.', AMOUNT),
  ),
  ...WHY,
});

/** A credit to give. */
export const CREDIT_INPUT = fieldTable('BalanceCreditInput', 'What bonus is given.', {
  ...WHOSE,
  amountMicro: money('How much is given.', AMOUNT),
  ...WHY,
});

/** An adjustment to make. */
export const ADJUSTMENT_INPUT = fieldTable('BalanceAdjustmentInput', 'What is corrected.', {
  ...WHOSE,
  amountMicro: money('How much; negative to take.', { min: -microMax, max: microMax }),
  ...WHY,
});

/** A return to make. */
export const RETURN_INPUT = fieldTable('BalanceReturnInput', 'What is returned.', {
  ...WHOSE,
  amountMicro: optional(
    money('How much, in whole kopecks; all that can be returned by default.', AMOUNT),
  ),
  ...WHY,
});

const LOT_MOVE = fieldTable('BalanceOperationLot', 'What an operation did to an advance.', {
  lotId: uuid('The request id of the top-up.'),
  receivedOn: day('The day of its receipt in Moscow.'),
  vatRatePercent: number('The VAT rate of that day.'),
  restoredMicro: money('What it put back, to the micro-ruble.'),
  returnedMicro: money('What it took, to the micro-ruble.'),
  grossMicro: money('The same in whole kopecks; what was put back is negative.'),
  vatMicro: money('The VAT of that by the invoice: to be deducted, negative to be restored.'),
});

const STANDING = fieldTable(
  'BalanceOperationStanding',
  'A document of a month that an operation stands in. It is made by the close of the month.',
  {
    kind: code(MONTH_DOCUMENTS, 'Which document it is.'),
    month: text('The month whose close makes it, `YYYY-MM`.'),
    basisMonth: optional(text('The month whose УПД it corrects; null where it corrects none.')),
    lotId: optional(uuid('The request id of the top-up that it is about; null where of none.')),
  },
);

const DOCUMENT = fieldTable('BalanceOperationPaper', 'The document of an earlier operation.', {
  kind: code(OPERATION_DOCUMENTS, 'Which document it is.'),
  title: text('How the document is called in Russian.'),
  date: day('The day of the operation in Moscow.'),
  basis: optional(text('What it refers to, such as the УПД of a month; null where to nothing.')),
  netMicro: money('The amount without VAT.'),
  vatMicro: money('The VAT of the amount.'),
  grossMicro: money('The amount, VAT included.'),
});

/** What the receipt of an operation seals. */
export const OPERATION_CONTENT = {
  operation: code(BALANCE_OPERATIONS, 'What was done to the balance.'),
  requestId: uuid('The id of its line in the ledger.'),
  amountMicro: money('How the balance has changed.'),
  netMicro: money('The amount without VAT, never negative.'),
  vatMicro: money('The VAT inside the amount; 0 where nothing was supplied.'),
  vatRatePercent: optional(number('The rate of the charge; null where nothing was supplied.')),
  chargedRequestId: optional(uuid('The request that was charged; null for all but refunds.')),
  chargedAt: optional(instant('When it was charged.')),
  chargedMicro: optional(money('What it was charged.')),
  chargeLeftMicro: optional(money('What is left of the charge after all its refunds.')),
  reason: text('Why, as it was stated.'),
  requestedBy: uuid('The administrator of the platform who asked for it.'),
  approvedBy: optional(uuid('The other one who approved it; null below the limit.')),
  postedAfterMicro: money('What the account owned after it.'),
  bonusMicro: money('How much of the change went to the bonus; negative for what came from it.'),
  lots: list(object(LOT_MOVE, 'An advance.'), 'The advances that it moved.'),
  documents: list(
    object(STANDING, 'A document.'),
    'The documents of its month that it stands in; empty where it made one by itself.',
  ),
  document: optional(
    object(
      DOCUMENT,
      'The document that it made by itself; null since the documents of a month are the only ones.',
    ),
  ),
} as const;

/** An operation as it is sealed. */
export type OperationContent = ValuesOf<typeof OPERATION_CONTENT>;

/** What was done, or waits. */
export const OUTCOME = fieldTable('BalanceOperationOutcome', 'What became of an operation.', {
  operationId: uuid('Its id: that of its line in the ledger once it is posted.'),
  status: code(OPERATION_STATUSES, 'How far it has come.'),
  operation: code(BALANCE_OPERATIONS, 'What is done to the balance.'),
  tenantId: uuid('The organization whose balance it is.'),
  amountMicro: money('How the balance changes.'),
  vatMicro: optional(money('The VAT inside the amount; null where nothing was posted.')),
  postedAfterMicro: optional(
    money('What the account owned after it; null where nothing was posted.'),
  ),
  receiptId: optional(uuid('Its receipt in that organization; null where nothing was posted.')),
  approvalId: optional(uuid('What decides it; null where none was needed.')),
});

/** What became of an operation. */
export type OperationOutcome = ValuesOf<typeof OUTCOME.fields>;
