import type { ErrorRow } from './row.js';

/** Funds, budgets and the books. */
export const MONEY_ERRORS = {
  insufficient_balance: {
    status: 402,
    type: 'insufficient_quota',
    message:
      'The balance does not cover this request: {available} RUB available, {required} RUB ' +
      'required.',
    cause:
      'The upper estimate of the request is more than the balance less what open requests hold.',
    fix: ['Top up the account.', 'Lower max_tokens: the hold is an upper estimate from it.'],
  },
  budget_exhausted: {
    status: 402,
    type: 'insufficient_quota',
    message: 'The budget "{budget}" is spent: {spent} of {cap} RUB.',
    cause: 'A policy caps spending for this period and the cap is reached.',
    fix: [
      'Ask for an exception with POST /v1/gw/policies/{id}/budget-exceptions.',
      'Send gw_approval: {"wait_seconds": 300} with a chat request: it asks by itself, waits, ' +
        'and goes on when a member approves.',
      'Raise the cap with PATCH /v1/gw/policies/{id}, or wait for the next period.',
    ],
  },
  budget_reserved: {
    status: 402,
    type: 'insufficient_quota',
    message: 'The budget "{budget}" is not spent, but open requests hold the rest of it.',
    cause: 'Requests in flight reserve their upper estimate until they settle.',
    fix: ['Retry when the open requests are done.', 'Lower max_tokens to reserve less.'],
  },
  ledger_unavailable: {
    status: 503,
    type: 'api_error',
    message: 'The ledger cannot be written; nothing was called and nothing is charged.',
    cause: 'The database does not answer. Admission fails closed.',
    fix: ['Retry after the time in `retry-after`.'],
  },
  manual_top_up_disabled: {
    status: 403,
    type: 'permission_error',
    message: 'Manual top-up is off on this server.',
    cause: 'In production manual top-up needs the server flag GW_ALLOW_MANUAL_TOP_UP.',
    fix: ['Pay by invoice; for a test installation set GW_ALLOW_MANUAL_TOP_UP=on.'],
  },
} as const satisfies Record<string, ErrorRow>;
