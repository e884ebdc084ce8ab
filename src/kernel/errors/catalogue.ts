import { ACCESS_ERRORS } from './access.js';
import { INFERENCE_ERRORS } from './inference.js';
import { MONEY_ERRORS } from './money.js';
import { POLICY_ERRORS } from './policy.js';
import { RECORD_ERRORS } from './records.js';
import { REQUEST_ERRORS } from './request.js';
import type { ErrorRow } from './row.js';

/**
 * The error catalogue: the one list of codes that GraphQL, REST, GET /v1/gw/errors and the
 * documents read. A test holds it against the code both ways.
 */
export const ERRORS = {
  ...REQUEST_ERRORS,
  ...ACCESS_ERRORS,
  ...MONEY_ERRORS,
  ...POLICY_ERRORS,
  ...INFERENCE_ERRORS,
  ...RECORD_ERRORS,
} as const satisfies Record<string, ErrorRow>;

/** A code of the catalogue. */
export type ErrorCode = keyof typeof ERRORS;

/** The row of a code. */
export function errorRow(code: ErrorCode): ErrorRow {
  return ERRORS[code];
}
