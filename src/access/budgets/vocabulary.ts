/** The periods of the budgets of a policy. Days and months are those of Moscow. */
export const BUDGET_PERIODS = [
  { code: 'day', description: 'The daily budget; an exception holds until midnight in Moscow.' },
  { code: 'month', description: 'The monthly budget; an exception holds until the month ends.' },
] as const;

/** A period of a budget. */
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]['code'];

/** The states of an exception from a budget. All but `pending` are final. */
export const EXCEPTION_STATUSES = [
  { code: 'pending', description: 'It waits in the approval queue and grants nothing yet.' },
  { code: 'granted', description: 'Its amount is added to the cap of its period.' },
  { code: 'rejected', description: 'A member rejected it; it grants nothing.' },
  {
    code: 'expired',
    description: 'Nobody decided in time, or who asked no longer waits; it grants nothing.',
  },
] as const;

/** The state of an exception. */
export type ExceptionStatus = (typeof EXCEPTION_STATUSES)[number]['code'];

/** Bounds of a request for an exception. Amounts in micro-rubles. */
export const EXCEPTION_BOUNDS = {
  amountMicroMax: 1_000_000_000_000_000n,
  reason: { lengthMin: 1, lengthMax: 500 },
  /** Undecided requests for one budget and period, but for those that ask at the same moment. */
  pendingMax: 100,
  /** How long a request waits at most; never beyond the end of its period. */
  waitSecondsMax: 7 * 24 * 60 * 60,
} as const;
