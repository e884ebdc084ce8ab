import type { Deployment } from '../../catalog/providers/model.js';
import type { ErrorCode } from '../../kernel/errors/catalogue.js';
import { type FailDetails, GatewayError } from '../../kernel/errors/fail.js';
import type { AttemptFailure } from './attempt-failure.js';
import { ATTEMPT_ERRORS, type Attempt, type Skip } from './call.js';
import { countsAgainst } from './retry.js';

/** Every deployment of the chain failed; carries what was tried, for the record of the request. */
export class UpstreamFailure extends GatewayError {
  constructor(
    code: ErrorCode,
    details: FailDetails,
    readonly attempts: readonly Attempt[],
    readonly skipped: readonly Skip[],
  ) {
    super(code, details);
    this.name = 'UpstreamFailure';
  }

  /** The same failure with the words of the provider read as the client may read them. */
  withWords(read: (words: string) => string): UpstreamFailure {
    const message = this.details.values?.message;
    if (typeof message !== 'string') return this;
    const details = { ...this.details, values: { ...this.details.values, message: read(message) } };
    return new UpstreamFailure(this.code, details, this.attempts, this.skipped);
  }
}

/** The client went away before the first content byte. Nobody is there to read an answer. */
export class UpstreamAborted extends Error {
  constructor(readonly attempts: readonly Attempt[]) {
    super('the client closed the request');
    this.name = 'UpstreamAborted';
  }
}

/** What is known when a chain has ended without an answer. */
export interface ChainEnd {
  readonly model: string;
  readonly last: { readonly deployment: Deployment; readonly failure: AttemptFailure } | undefined;
  readonly attempts: readonly Attempt[];
  readonly skipped: readonly Skip[];
  /** The last failure of each deployment that was called. */
  readonly lastWords: readonly AttemptFailure[];
  /** Until the first that was passed over at its limit may be asked; undefined where none was. */
  readonly limitedMs: number | undefined;
  /** Until the first of the open breakers lets a probe through. */
  readonly breakerWaitMs: number;
}

const RETRY_AFTER_MS = 1_000;

/**
 * The failure that the customer sees. A rejected request keeps the provider's status class and its
 * words; of other failures only the kind is told: a provider's inner words are not for customers.
 */
export function failureOfChain(end: ChainEnd): UpstreamFailure {
  const { model, last, attempts, skipped } = end;
  const make = (code: ErrorCode, details: FailDetails) =>
    new UpstreamFailure(code, details, attempts, skipped);
  if (isRateLimited(end)) {
    return make('upstream_rate_limited', { values: { model }, retryAfterMs: waitMsOf(end) });
  }
  if (last === undefined) {
    const outside = skipped.length > 0 && skipped.every((skip) => skip.reason === 'jurisdiction');
    return outside
      ? make('data_route_forbidden', { values: { reason: `${model} is only served outside` } })
      : make('upstream_unavailable', {
          values: { model },
          retryAfterMs: Math.max(RETRY_AFTER_MS, end.breakerWaitMs),
        });
  }
  const { deployment, failure } = last;
  if (failure.error === 'rejected') {
    return make('upstream_rejected', { values: { message: failure.message } });
  }
  if (failure.error === 'internal') return make('internal_error', { cause: failure });
  if (failure.error.endsWith('_timeout')) {
    const slowest = attempts[attempts.length - 1]?.latencyMs ?? 0;
    return make('upstream_timeout', { values: { seconds: Math.ceil(slowest / 1_000) } });
  }
  const reason = `${deployment.providerName}: ${ATTEMPT_ERRORS[failure.error].told}`;
  return make('upstream_failed', { values: { reason }, cause: failure });
}

/**
 * True when waiting for a quota is what helps: the last word of the chain was 429, or every
 * deployment that does not fail otherwise said so or was known to be at its limit.
 */
function isRateLimited({ last, lastWords, limitedMs }: ChainEnd): boolean {
  if (last?.failure.error === 'rejected' || last?.failure.error === 'internal') return false;
  if (last?.failure.error === 'rate_limited') return true;
  const able = lastWords.filter(
    ({ error }) => !countsAgainst(error) && error !== 'credentials_refused',
  );
  const isKnown = able.length > 0 || limitedMs !== undefined;
  return isKnown && able.every(({ error }) => error === 'rate_limited');
}

/** The shortest of the times that were named or are known; a second where none is. */
function waitMsOf({ lastWords, limitedMs = Number.POSITIVE_INFINITY }: ChainEnd): number {
  const named = lastWords.flatMap(({ error, retryAfterMs }) =>
    error === 'rate_limited' && retryAfterMs !== undefined ? [retryAfterMs] : [],
  );
  const least = Math.min(limitedMs, ...named);
  return Number.isFinite(least) ? least : RETRY_AFTER_MS;
}
