import { filled } from '../language/template.js';
import { type ErrorCode, errorRow } from './catalogue.js';
import type { ErrorRow } from './row.js';
import { summaryOf } from './summary.js';

/** One fault of a bad request. `path` is the field as the caller wrote it, dotted. */
export interface Fault {
  readonly path: string;
  readonly code: 'missing' | 'wrong_type' | 'out_of_range' | 'unknown_value' | 'invalid';
  readonly message: string;
}

/** What a thrower may add to a catalogue row. */
export interface FailDetails {
  /** Fills the `{name}` places of the row's message. */
  readonly values?: Readonly<Record<string, string | number | bigint>>;
  /** The field that is at fault, as the caller wrote it. */
  readonly param?: string;
  readonly faults?: readonly Fault[];
  /** When a retry makes sense; becomes `retry-after` and `retry-after-ms`. */
  readonly retryAfterMs?: number;
  /** More facts for the caller, such as the id of a pending approval. Never prompt text. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** Replaces the row's status where an upstream's own status must be kept. */
  readonly status?: number;
}

/**
 * A failure with a code of the catalogue. Everything that callers may see of it is public; its
 * message is English, and `told` says it in another language.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly row: ErrorRow;
  readonly status: number;
  readonly details: FailDetails;

  constructor(code: ErrorCode, details: FailDetails = {}) {
    const row = errorRow(code);
    super(filled(row.message, details.values ?? {}, 'en'), { cause: details.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.row = row;
    this.status = details.status ?? row.status;
    this.details = details;
  }
}

/**
 * Throws the failure `code` of the catalogue.
 * @throws GatewayError always
 */
export function fail(code: ErrorCode, details?: FailDetails): never {
  throw new GatewayError(code, details);
}

/** A body of nothing but faults must not make an answer many times its size. */
export const FAULTS_MAX = 200;

/**
 * Throws `invalid_request` with every fault named, 200 at most, or does nothing when there is none.
 */
export function failOnFaults(all: readonly Fault[]): void {
  const faults = all.slice(0, FAULTS_MAX);
  const first = faults[0];
  if (!first) return;
  const summary = summaryOf(
    faults.map(({ message }) => message),
    'en',
  );
  fail('invalid_request', { values: { summary }, param: first.path, faults });
}

/** When it makes sense to ask a database again that did not answer. Milliseconds. */
export const AWAY_RETRY_AFTER_MS = 1_000;

/**
 * The failure to show for anything that was thrown: unknown errors become `internal_error`. What a
 * connection threw under Prisma arrives as an error of Prisma's own, of which the code is left.
 */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const { code } = thrown instanceof Error ? (thrown as Error & { code?: unknown }) : {};
  if (code === 'ledger_unavailable') {
    return new GatewayError(code, { retryAfterMs: AWAY_RETRY_AFTER_MS, cause: thrown });
  }
  if (code === 'report_timed_out') return new GatewayError(code, { cause: thrown });
  return new GatewayError('internal_error', { cause: thrown });
}
