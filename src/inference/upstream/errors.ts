import type { ErrorRow } from '../../kernel/errors/row.js';

/** Failures of the providers. */
export const UPSTREAM_ERRORS = {
  upstream_rejected: {
    status: 400,
    type: 'invalid_request_error',
    message: '{message}',
    cause: 'The provider refused the request as invalid. Nothing is charged.',
    fix: ['Correct the field that the message names.'],
  },
  upstream_rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    message: 'The providers of {model} are at their rate limit.',
    cause:
      'The last deployment of the fallback chain answered 429, or all did that did not fail ' +
      'otherwise, or one more request would pass the limits of those that are left. Nothing is ' +
      'charged.',
    fix: ['Retry after the time in `retry-after`, or allow more models.'],
  },
  upstream_failed: {
    status: 502,
    type: 'upstream_error',
    message: 'The provider failed: {reason}.',
    cause: 'Every deployment in the fallback chain failed. Nothing is charged.',
    fix: ['Retry; add a fallback model to the route.'],
  },
  upstream_unavailable: {
    status: 503,
    type: 'upstream_error',
    message: 'No provider of {model} is available now.',
    cause: 'The circuit breakers of all deployments are open. Nothing is charged.',
    fix: ['Retry after the time in `retry-after`, or allow more models.'],
  },
  upstream_timeout: {
    status: 504,
    type: 'upstream_error',
    message: 'The provider did not answer within {seconds} s.',
    cause:
      'A deadline passed before the first byte, between chunks, or in all. Nothing undelivered ' +
      'is charged.',
    fix: ['Retry; ask for less output, or stream the answer.'],
  },
} as const satisfies Record<string, ErrorRow>;
