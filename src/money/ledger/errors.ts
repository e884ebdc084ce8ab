import type { StatedError } from '../../kernel/errors/row.js';

/** Money and caps that a request would pass. */
export const LEDGER_ERRORS = {
  insufficient_balance: {
    status: 402,
    message:
      'The balance does not cover this request: {available} RUB are free, and it can cost ' +
      '{required} RUB even with a short answer. Top up the account, or send a shorter prompt or ' +
      'a lower max_tokens.',
    cause:
      'The balance, less what open requests hold, is not enough for the prompt with an answer of ' +
      '256 tokens, or of max_tokens where that is less. Where more is free, the limit of the ' +
      'answer is lowered to what it pays for instead of refusing.',
    fix: ['Top up the account.', 'Send a shorter prompt or a lower max_tokens.'],
  },
  budget_exhausted: {
    status: 402,
    message: 'The budget "{budget}" is spent: {spent} of {cap} RUB.',
    cause: 'A policy or a budget by scope caps spending for this period, and the cap is reached.',
    fix: [
      'Ask for an exception with POST /v1/gw/policies/{id}/budget-exceptions.',
      'Send gw_approval: {"wait_seconds": 300} with a chat request: it asks by itself, waits, ' +
        'and goes on when a member approves.',
      'Raise the cap of a policy with PATCH /v1/gw/policies/{id}, that of a scope with POST ' +
        '/v1/gw/finops/budgets, or wait for the next period.',
    ],
  },
  budget_too_small: {
    status: 402,
    message:
      'The budget "{budget}" is not spent, but too small for this request: {left} of {cap} RUB ' +
      'are left, and it can cost {required} RUB even with a short answer. Raise the cap, or send ' +
      'a shorter prompt or a lower max_tokens.',
    cause:
      'What is left of the budget does not cover the prompt with an answer of 256 tokens, or of ' +
      'max_tokens where that is less.',
    fix: [
      'Raise the cap with PATCH /v1/gw/policies/{id}, or ask for an exception.',
      'Send a shorter prompt or a lower max_tokens.',
    ],
  },
  budget_reserved: {
    status: 402,
    message: 'The budget "{budget}" is not spent, but open requests hold the rest of it.',
    cause: 'Requests in flight reserve their upper estimate until they settle.',
    fix: ['Retry when the open requests are done.', 'Lower max_tokens to reserve less.'],
  },
} as const satisfies Record<string, StatedError>;
