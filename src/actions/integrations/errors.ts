import type { ErrorRow } from '../../kernel/errors/row.js';

/** Actions of integrations. */
export const INTEGRATION_ERRORS = {
  integration_preview_expired: {
    status: 422,
    type: 'invalid_request_error',
    message: 'This preview could be executed until {expiresAt}.',
    cause: 'A preview shows a record as it was; it can be executed for an hour.',
    fix: ['Preview the action again, and execute the new preview.'],
  },
  integration_target_moved: {
    status: 409,
    type: 'conflict_error',
    message: 'The record is now at version {version}; this is about version {expected}.',
    cause: 'The record has changed since it was looked at: by an execution, or by a newer preview.',
    fix: ['Preview the action again with the record as it is now.'],
  },
  integration_rollback_refused: {
    status: 422,
    type: 'invalid_request_error',
    message: 'This action cannot be rolled back: {reason}.',
    cause: 'Only reversible actions can be undone, and an agent cannot undo what was approved.',
    fix: ['Read `rollback` in the receipt; ask a member where a person must decide.'],
  },
} as const satisfies Record<string, ErrorRow>;
