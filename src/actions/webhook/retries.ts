import type { WebhookFailure } from './failures.js';

/** Most attempts of one call. */
export const ATTEMPTS_MAX = 3;

const BACKOFF_FIRST_MS = 200;
const RETRY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);
/** Failures that may be gone a moment later; a refusal stays one. */
const RETRY_FAILURES: ReadonlySet<WebhookFailure> = new Set([
  'name_unresolved',
  'connection_failed',
  'timeout',
  'status_failed',
]);

/** An attempt that did not deliver. */
export interface FailedAttempt {
  /** Its number, from 1. */
  readonly attempt: number;
  readonly failure: WebhookFailure;
  /** Null when the endpoint did not answer. */
  readonly status: number | null;
  /** What the endpoint asked for in `retry-after`, in milliseconds; null when it did not. */
  readonly retryAfterMs: number | null;
  /** What is left of the time of the call, in milliseconds. */
  readonly remainingMs: number;
  /** A random number from 0 to 1, exclusive. */
  readonly chance: number;
}

/**
 * How long to wait before the next attempt, in milliseconds, or null when there is none: 200 ms,
 * doubled with each attempt and spread by half, but never less than the endpoint asked for. There
 * is no attempt that could begin only after the time of the call is over.
 */
export function waitBeforeRetryMs(failed: FailedAttempt): number | null {
  const { attempt, failure, status, retryAfterMs, remainingMs, chance } = failed;
  const repeatable = RETRY_FAILURES.has(failure) || (status !== null && RETRY_STATUSES.has(status));
  if (!repeatable || attempt >= ATTEMPTS_MAX) return null;
  const backoffMs = BACKOFF_FIRST_MS * 2 ** (attempt - 1) * (0.5 + chance / 2);
  const waitMs = Math.max(Math.round(backoffMs), retryAfterMs ?? 0);
  return waitMs < remainingMs ? waitMs : null;
}

/** `retry-after` in seconds or as a date, in milliseconds from now; null for anything else. */
export function retryAfterMsOf(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  if (/^\d{1,6}$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
