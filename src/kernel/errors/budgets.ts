import type { ErrorRow } from './row.js';

/** Exceptions from budgets. */
export const BUDGET_ERRORS = {} as const satisfies Record<string, ErrorRow>;
