/** The `type` that clients of the chat-completions wire expect beside a code. */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'insufficient_quota'
  | 'rate_limit_error'
  | 'upstream_error'
  | 'api_error';

/**
 * One row of the error catalogue: everything that is said about a code, once.
 * `message` may hold `{name}` places that the thrower fills.
 */
export interface ErrorRow {
  readonly status: number;
  readonly type: ErrorType;
  readonly message: string;
  readonly cause: string;
  readonly fix: readonly string[];
}
