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

/** The type of a status; any other of the client's faults is `invalid_request_error`. */
const TYPE_OF_STATUS: Readonly<Partial<Record<number, ErrorType>>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  429: 'rate_limit_error',
};

/** What is said about a code. `message` may hold `{name}` places that the thrower fills. */
export interface ErrorTexts {
  readonly message: string;
  readonly cause: string;
  readonly fix: readonly string[];
}

/** One row of the error catalogue: everything that is said about a code, once, in English. */
export interface ErrorRow extends ErrorTexts {
  readonly status: number;
  readonly type: ErrorType;
  /** The same in Russian, with the same places. */
  readonly ru: ErrorTexts;
}

/** A row as its module states it: the type follows from the status unless it is another one. */
export type StatedError = Omit<ErrorRow, 'type'> & Partial<Pick<ErrorRow, 'type'>>;

/** The whole row. */
export function wholeRow(stated: StatedError): ErrorRow {
  const { status } = stated;
  const type = status >= 500 ? 'api_error' : (TYPE_OF_STATUS[status] ?? 'invalid_request_error');
  return { type, ...stated };
}
