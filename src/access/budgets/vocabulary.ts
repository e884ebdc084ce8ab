import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';
/** The periods of budgets. Days and months are those of Moscow; policies know these two alone. */
export const BUDGET_PERIODS = vocabulary('BudgetPeriod', 'The period of a budget.', [
  { code: 'day', description: 'The daily budget; an exception holds until midnight in Moscow.' },
  { code: 'month', description: 'The monthly budget; an exception holds until the month ends.' },
  { code: 'total', description: 'All time together; an exception holds for good.' },
]);

/** A period of a budget. */
export type BudgetPeriod = CodeOf<typeof BUDGET_PERIODS>;

/** The states of an exception from a budget. All but `pending` are final. */
export const EXCEPTION_STATUSES = vocabulary(
  'BudgetExceptionStatus',
  'The state of an exception from a budget. All but `pending` are final.',
  [
    { code: 'pending', description: 'It waits in the approval queue and grants nothing yet.' },
    { code: 'granted', description: 'Its amount is added to the cap of its period.' },
    { code: 'rejected', description: 'A member rejected it; it grants nothing.' },
    {
      code: 'expired',
      description: 'Nobody decided in time, or who asked no longer waits; it grants nothing.',
    },
  ],
);

/** The state of an exception. */
export type ExceptionStatus = CodeOf<typeof EXCEPTION_STATUSES>;

/** Bounds of a request for an exception. Amounts in micro-rubles. */
export const EXCEPTION_BOUNDS = {
  amountMicroMax: 1_000_000_000_000_000n,
  reason: { lengthMin: 1, lengthMax: 500 },
  /** Undecided requests for one budget and period, but for those that ask at the same moment. */
  pendingMax: 100,
  /** How long a request waits at most; never beyond the end of its period. */
  waitSecondsMax: 7 * 24 * 60 * 60,
} as const;
