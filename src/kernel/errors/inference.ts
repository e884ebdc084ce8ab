import type { ErrorRow } from './row.js';

/** Models and the providers behind them. */
export const INFERENCE_ERRORS = {
  model_not_found: {
    status: 404,
    type: 'not_found_error',
    message: 'The model {model} does not exist. {hint}',
    cause: 'No configured provider serves a model of this name.',
    fix: ['Use a name from GET /v1/models, or gw:auto.'],
  },
  capability_unsupported: {
    status: 400,
    type: 'invalid_request_error',
    message: 'No permitted model can do what the request uses: {capabilities}.',
    cause: 'The request uses a capability that the chosen model, or every allowed model, lacks.',
    fix: ['Choose a model with the capability in GET /v1/gw/devex/model-capabilities.'],
  },
  context_length_exceeded: {
    status: 400,
    type: 'invalid_request_error',
    message: 'About {tokens} tokens are more than the {limit} that the model takes.',
    cause: 'Prompt and answer together pass the context window of the model.',
    fix: ['Shorten the prompt, lower max_tokens or choose a model with a longer window.'],
  },
  model_without_price: {
    status: 503,
    type: 'api_error',
    message: 'The model {model} has no price in force, so it is not called.',
    cause:
      'A usage dimension without a dated price is refused before the call, never billed as zero.',
    fix: ['Choose another model; the operator must add a price row.'],
  },
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
      'otherwise. Nothing is charged.',
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
  overloaded: {
    status: 503,
    type: 'api_error',
    message: 'The gateway is at its capacity.',
    cause: 'The node sheds load before it reads the body, to keep running requests fast.',
    fix: ['Retry after the time in `retry-after`.'],
  },
} as const satisfies Record<string, ErrorRow>;
