import { GraphQLError } from 'graphql';
import { ERRORS, type ErrorCode } from '../src/kernel/errors/catalogue.js';
import { GatewayError, toGatewayError } from '../src/kernel/errors/fail.js';

/**
 * The failure to answer with for whatever a resolver, a plugin or graphql-js threw. Errors of the
 * library that carry a code of the catalogue keep it; anything else is `internal_error`.
 */
export function toFailure(thrown: unknown): GatewayError {
  let error = thrown;
  while (error instanceof GraphQLError && error.originalError) error = error.originalError;
  if (!(error instanceof GraphQLError)) return toGatewayError(error);
  const code = error.extensions.code;
  if (!isCode(code)) return new GatewayError('internal_error', { cause: thrown });
  const reason = error.message;
  return new GatewayError(code, { values: { reason, summary: reason }, cause: thrown });
}

/** The failure of an execution: a fault of the gateway before one of the request. */
export function firstFailure(errors: readonly GraphQLError[]): GatewayError {
  const failures = errors.map(toFailure);
  const ownFault = failures.find((failure) => failure.code === 'internal_error');
  return ownFault ?? failures[0] ?? new GatewayError('internal_error');
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}
