/** The values of `type` that clients of the chat-completions wire expect beside a code. */
const ERROR_TYPES = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'conflict_error',
  'insufficient_quota',
  'rate_limit_error',
  'upstream_error',
  'api_error',
] as const;

/** The `type` of an error. */
export type ErrorType = (typeof ERROR_TYPES)[number];

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

/**
 * The rows of a data file.
 * @throws TypeError for a row that lacks a part, when the process starts
 */
export function errorRows<C extends string>(
  file: Readonly<Record<C, object>>,
): Readonly<Record<C, ErrorRow>> {
  for (const [code, row] of Object.entries(file)) {
    const { status, type, message, cause, fix = [''] } = row as Partial<ErrorRow>;
    const isTold = [message, cause, ...fix].every((text) => typeof text === 'string' && text);
    const isKnown = ERROR_TYPES.some((each) => each === type) && Number.isInteger(status);
    if (!isTold || !isKnown) throw new TypeError(`the error ${code} is not told in full`);
  }
  return file as Readonly<Record<C, ErrorRow>>;
}
