import { ACCESS_ERRORS } from './access.js';
import { BLUEPRINT_ERRORS } from './blueprints.js';
import { BUDGET_ERRORS } from './budgets.js';
import { INFERENCE_ERRORS } from './inference.js';
import { INTEGRATION_ERRORS } from './integrations.js';
import { MIGRATION_ERRORS } from './migration.js';
import { MONEY_ERRORS } from './money.js';
import { POLICY_ERRORS } from './policy.js';
import { PROMPT_ERRORS } from './prompts.js';
import { RECORD_ERRORS } from './records.js';
import { REQUEST_ERRORS } from './request.js';
import type { ErrorRow } from './row.js';
import { TOOL_ERRORS } from './tools.js';

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
  ...BUDGET_ERRORS,
  ...PROMPT_ERRORS,
  ...TOOL_ERRORS,
  ...INTEGRATION_ERRORS,
  ...BLUEPRINT_ERRORS,
  ...MIGRATION_ERRORS,
} as const satisfies Record<string, ErrorRow>;

/** A code of the catalogue. */
export type ErrorCode = keyof typeof ERRORS;

/** The row of a code. */
export function errorRow(code: ErrorCode): ErrorRow {
  return ERRORS[code];
}
