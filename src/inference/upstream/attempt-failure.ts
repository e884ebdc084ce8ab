import { asObject, parsedJson } from '../../kernel/json.js';
import { codeOf, tlsCauseOf } from '../../platform/network/tls-cause.js';
import { beginningOf } from '../firewall/cut.js';
import type { AttemptError, StreamEnd } from './call.js';
import { errorOfStatus } from './retry.js';

const MESSAGE_LENGTH_MAX = 500;

/** Why one attempt failed. The message may be the provider's own. */
export class AttemptFailure extends Error {
  constructor(
    readonly error: AttemptError,
    message: string,
    readonly status: number | null = null,
    readonly retryAfterMs?: number,
    /** What the socket says, such as `CERT_HAS_EXPIRED`: for the log, never for customers. */
    readonly code?: string,
  ) {
    super(message);
    this.name = 'AttemptFailure';
  }

  /** The same failure without credentials, in case the provider repeated one. */
  maskedBy(mask: (text: string) => string): AttemptFailure {
    const message = mask(this.message);
    if (message === this.message) return this;
    return new AttemptFailure(this.error, message, this.status, this.retryAfterMs, this.code);
  }
}

/** The failure that an answer with a status other than 2xx means. */
export function failureOfStatus(
  status: number,
  text: string,
  retryAfterMs: number | undefined,
): AttemptFailure {
  const error = errorOfStatus(status) ?? 'invalid_answer';
  const message = messageOf(parsedJson(text)) ?? `the provider answered ${status}`;
  return new AttemptFailure(error, message, status, retryAfterMs);
}

/**
 * The failure that a body with an `error` means although its status was 200. Such text is never
 * part of an answer. The code inside counts as the status where it is one.
 */
export function failureOfErrorBody(body: unknown): AttemptFailure | undefined {
  const error = asObject(body)?.error;
  if (error === null || error === undefined || error === false) return undefined;
  const code = Number(asObject(error)?.code);
  const status = Number.isInteger(code) && code >= 400 && code < 600 ? code : null;
  const kind = status === null ? 'server_error' : (errorOfStatus(status) ?? 'server_error');
  return new AttemptFailure(kind, messageOf(body) ?? 'the provider sent an error', status);
}

/** What happens to sockets here: none left, or the pool was closed because the process stops. */
const OF_THIS_PROCESS: readonly string[] = [
  ...['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'],
  ...['UND_ERR_DESTROYED', 'UND_ERR_CLOSED', 'UND_ERR_INVALID_ARG'],
];

/** The failure that an error of the socket means. */
export function failureOfSocket(error: Error, answered: boolean): AttemptFailure {
  // A login that failed before the request could be sent says by itself what that means.
  if (error instanceof AttemptFailure) return error;
  const code = codeOf(error);
  const make = (kind: AttemptError, message: string) =>
    new AttemptFailure(kind, message, null, undefined, code);
  if (OF_THIS_PROCESS.includes(code)) {
    return make('internal', 'this server could not make the call');
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return make('connect_timeout', 'the provider could not be reached in time');
  }
  const tls = tlsCauseOf(error);
  if (tls) return make('tls_failed', `no secure connection to the provider: ${tls.words}`);
  if (UNREACHED.includes(code)) return make('connect_failed', 'the provider could not be reached');
  if (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return make('invalid_answer', 'the provider did not speak HTTP');
  }
  return answered
    ? make('cut', 'the provider cut its answer')
    : make('reset', 'the provider closed the connection');
}

const UNREACHED: readonly string[] = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
];

/** The text of an error as providers shape it, cut to 500 characters and inside of no value. */
function messageOf(body: unknown): string | undefined {
  const { error, message, detail } = asObject(body) ?? {};
  const words = [asObject(error)?.message, error, message, detail];
  const text = words.find((one) => typeof one === 'string' && one !== '');
  return typeof text === 'string' ? beginningOf(text, MESSAGE_LENGTH_MAX) : undefined;
}

/** How a stream ends that fails; `cause` is what its sink threw. */
export function endOf(failure: AttemptFailure, cause?: unknown): StreamEnd {
  if (failure.error === 'aborted') return { kind: 'aborted' };
  const { error, message } = failure;
  return { kind: 'failed', error, message, ...(cause === undefined ? {} : { cause }) };
}
