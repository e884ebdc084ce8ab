import type { ErrorRow } from './row.js';

/** Receipts, approvals and other recurring records. */
export const RECORD_ERRORS = {
  invalid_receipt_id: {
    status: 400,
    type: 'invalid_request_error',
    message: 'A receipt id is a uuid; "{id}" is not.',
    cause: 'Receipts are looked up by their uuid only.',
    fix: ['Use the id that the sealing answer returned.'],
  },
  approval_already_decided: {
    status: 422,
    type: 'invalid_request_error',
    message: 'This approval is already {status}.',
    cause: 'A pending action is approved or rejected exactly once.',
    fix: ['Read the approval to see who decided it; ask for the action again if needed.'],
  },
  approval_self_forbidden: {
    status: 403,
    type: 'permission_error',
    message: 'The requester cannot approve this; another member with the right must.',
    cause: 'Four eyes: another eligible member exists or the organization always requires one.',
    fix: ['Ask a member with the role security, admin or owner.'],
  },
  lifecycle_refused: {
    status: 422,
    type: 'invalid_request_error',
    message: '"{event}" is not possible in the state "{state}"; possible: {allowed}.',
    cause: 'The state table of the object has no such step.',
    fix: ['Use one of the events that the message lists.'],
  },
} as const satisfies Record<string, ErrorRow>;
