import { MICRO_PER_RUB } from '../../kernel/money.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What administrators of the platform do to the balance of an organization. */
export const BALANCE_OPERATIONS = vocabulary(
  'BalanceOperationKind',
  'What an administrator of the platform does to the balance of an organization.',
  [
    {
      code: 'request_refund',
      description:
        'The charge of a request is given back, whole or in part, with the VAT that it bore. It ' +
        'goes back to the advances that paid for it.',
      type: 'refund',
      noun: 'Refund of a request',
      action: 'balanceRefund',
    },
    {
      code: 'goodwill_credit',
      description:
        'A bonus: no payment and no discount. It bears no VAT, is used before what was paid, and ' +
        'is never paid out.',
      type: 'credit',
      noun: 'Credit',
      action: 'balanceCredit',
    },
    {
      code: 'sla_credit',
      description: 'A bonus for a month in which the service level was missed, by published terms.',
      type: 'credit',
      noun: 'Credit for the service level',
      action: 'slaCreditIssue',
    },
    {
      code: 'adjustment',
      description:
        'A correction. What it adds is a bonus; what it takes comes from the bonus first, then ' +
        'from the newest advances, whose VAT is to be deducted.',
      type: 'adjustment',
      noun: 'Adjustment',
      action: 'balanceAdjust',
    },
    {
      code: 'balance_return',
      description:
        'Unused funds leave the account, in whole kopecks: from the newest advances first, whose ' +
        'VAT is to be deducted. A bonus and what open requests hold stay.',
      type: 'balance_return',
      noun: 'Return of the balance',
      action: 'balanceReturn',
    },
  ],
);

/** A kind of operation. */
export type BalanceOperationKind = CodeOf<typeof BALANCE_OPERATIONS>;

/** The row of a kind: the type of its line, what the ledger calls it, and its mutation. */
export function operationRow(kind: BalanceOperationKind) {
  const row = BALANCE_OPERATIONS.find(kind);
  if (!row) throw new TypeError(`${kind} is no operation`);
  return row;
}

/** How far an operation has come. */
export const OPERATION_STATUSES = vocabulary(
  'BalanceOperationStatus',
  'How far an operation has come.',
  [
    { code: 'posted', description: 'The ledger has its line, and its receipt is sealed.' },
    {
      code: 'waiting_for_approval',
      description: 'It is above the limit: another administrator of the platform decides.',
    },
    { code: 'not_due', description: 'The published terms credit nothing, so nothing was posted.' },
  ],
);

/** The documents that operations made by themselves, before those of a month were the only ones. */
export const OPERATION_DOCUMENTS = vocabulary(
  'BalanceOperationDocument',
  'The document that an earlier operation made by itself.',
  [
    {
      code: 'services_reduced',
      description: 'The УПД of the same month, which is not out yet, shows the services less this.',
      title: 'Уменьшение услуг текущего месяца',
    },
    {
      code: 'correction',
      description: 'УКД: the УПД of an earlier month is corrected, with the VAT of the charge.',
      title: 'Универсальный корректировочный документ (уменьшение стоимости)',
    },
    {
      code: 'bonus_notice',
      description: 'Уведомление о бонусе: no payment, no discount, no VAT.',
      title: 'Уведомление о начислении бонуса',
    },
    {
      code: 'adjustment_notice',
      description: 'A notice of a correction of the balance.',
      title: 'Уведомление о корректировке баланса',
    },
    {
      code: 'advance_return',
      description: 'Возврат аванса: the VAT of the advance is to be deducted at its own rate.',
      title: 'Возврат аванса',
    },
  ],
);

/** Bounds of operations. */
export const OPERATION_BOUNDS = {
  reasonChars: 500,
  /** The largest amount: that of a top-up. */
  microMax: 100_000_000n * MICRO_PER_RUB,
  /** How long an operation waits for its approval: seven days. */
  waitSeconds: 7 * 86_400,
  /** What one administrator does without another one is counted over these hours. */
  countedHours: 24,
} as const;

/** What is said of the service level of a class in a month. */
export const SLA_VERDICTS = vocabulary(
  'SlaVerdict',
  'What is said of the service level of a class in a month.',
  [
    { code: 'met', description: 'The share of requests in time reached the target.' },
    { code: 'missed', description: 'It did not; the terms say what is credited.' },
    { code: 'cannot_certify', description: 'Too few requests were measured to say either.' },
  ],
);

/**
 * What is credited of the charges of a class, by how far its share lies below the target: the first
 * row that is reached.
 */
export const SLA_CREDIT_STEPS = vocabulary(
  'SlaCreditStep',
  'What is credited for a missed target.',
  [
    {
      code: 'far_below',
      description: 'Ten points or more below the target.',
      belowBasisPoints: 1_000,
      creditPercent: 50,
    },
    {
      code: 'well_below',
      description: 'Three points or more below the target.',
      belowBasisPoints: 300,
      creditPercent: 25,
    },
    { code: 'below', description: 'Below the target.', belowBasisPoints: 1, creditPercent: 10 },
  ],
);

/** Fewer measured requests of a class in a month certify nothing. */
export const SLA_REQUESTS_MIN = 100;
