import type { StatedError } from '../../kernel/errors/row.js';

/** Approvals. */
export const APPROVAL_ERRORS = {
  approval_already_decided: {
    status: 422,
    message: 'This approval is already {status}.',
    cause: 'A pending action is approved or rejected exactly once.',
    fix: ['Read the approval to see who decided it; ask for the action again if needed.'],
  },
  approval_self_forbidden: {
    status: 403,
    message: 'The requester cannot approve this; another member with the right must.',
    cause: 'Four eyes: another eligible member exists or the organization always requires one.',
    fix: ['Ask a member with the role security, admin or owner.'],
  },
} as const satisfies Record<string, StatedError>;
