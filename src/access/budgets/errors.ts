import type { StatedError } from '../../kernel/errors/row.js';

/** Exceptions from budgets. */
export const BUDGET_ERRORS = {
  budget_not_set: {
    status: 422,
    message: 'The policy "{policy}" has no budget for a {period}.',
    cause: 'An exception adds to a cap, and the policy caps no such period or is switched off.',
    fix: ['Read the budgets of the policy with GET /v1/gw/policies.', 'Ask for another period.'],
  },
  budget_exceptions_waiting: {
    status: 409,
    message: '{count} exceptions from the budget "{budget}" wait for a decision already.',
    cause: 'The queue takes so many undecided exceptions for one budget and period.',
    fix: ['Have what waits decided: GET /v1/gw/approvals with kind=budget_exception.'],
  },
  approval_rejected: {
    status: 403,
    message: 'The approval that this request waited for was rejected: {reason}.',
    cause: 'The request did not fit a budget, and a member refused an exception from it.',
    fix: ['Speak to who decided: GET /v1/gw/approvals/{id} with the approval_id of the error.'],
  },
  approval_wait_timeout: {
    status: 402,
    message:
      'The request does not fit the budget "{budget}", and nobody decided about an exception ' +
      'within {seconds} seconds.',
    cause: 'The request waited for an approval as long as its gw_approval.wait_seconds allowed.',
    fix: [
      'Ask a member with the right approvals.decide to watch the queue, and repeat the request.',
      'Ask ahead with POST /v1/gw/policies/{id}/budget-exceptions.',
    ],
  },
} as const satisfies Record<string, StatedError>;
