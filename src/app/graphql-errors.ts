import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Ctx, Services } from '../graph/ctx.js';
import { docUrl } from '../kernel/errors/doc-url.js';
import { GatewayError, toGatewayError } from '../kernel/errors/fail.js';
import { told } from '../kernel/errors/told.js';
import { newId } from '../kernel/ids.js';
import { preferredLanguage } from '../kernel/language/languages.js';
import type { GraphqlArrival } from './graphql-refusal.js';

/** Errors that clients may see as they are; the fields of a document present their own. */
const shown = new WeakSet<GraphQLError>();

/** Marks an error as one that clients may see as it is. */
export function asShown(error: GraphQLError): GraphQLError {
  shown.add(error);
  return error;
}

/** What is there before the context of an operation. */
interface Early {
  readonly arrival?: GraphqlArrival;
  readonly services?: Pick<Services, 'log'>;
}

/**
 * A failure as GraphQL clients read it: the code of the catalogue, the request id, and the message
 * in the language that the client prefers.
 */
export function presentError(
  error: GraphQLError,
  given: Partial<Ctx> | Early | undefined,
): GraphQLError {
  if (shown.has(error)) return error;
  // Before an operation is validated its context is not there yet.
  const ctx = given && 'transport' in given ? (given as Ctx) : undefined;
  const { arrival, services } = (given ?? {}) as Early & Partial<Ctx>;
  const requestId = ctx?.requestId ?? arrival?.requestId ?? newId('Request');
  const failure = failureOf(error);
  if (failure.code === 'internal_error') {
    services?.log.error({ err: failure.cause, requestId }, 'internal error');
  }
  const { param, data, retryAfterMs } = failure.details;
  const { message, faults } = told(
    failure,
    preferredLanguage((ctx?.transport ?? arrival)?.acceptLanguage),
  );
  const presented = new GraphQLError(message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: {
      ...(error.extensions.http ? { http: error.extensions.http } : {}),
      ...data,
      code: failure.code,
      requestId,
      docUrl: docUrl((ctx?.transport ?? arrival)?.baseUrl ?? '', failure.code),
      ...(param === undefined ? {} : { param }),
      ...(faults === undefined ? {} : { faults }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  });
  return asShown(presented);
}

/** A failure before there is a context: its status is that of the catalogue, as over REST. */
export function unpreparedError(thrown: unknown, given: Early): GraphQLError {
  const originalError = toGatewayError(thrown);
  const extensions = { http: { status: originalError.status } };
  const { message } = originalError;
  return presentError(new GraphQLError(message, { originalError, extensions }), given);
}

/** The failure of the catalogue that an error is. */
export function failureOf(error: GraphQLError): GatewayError {
  const original = rootCause(error);
  if (original === undefined || original instanceof GraphQLError) {
    if (statusOf(error) === 405) return mutationByGet();
    const tooLarge = /more (than|that) \d+ tokens/.test(error.message);
    const code = tooLarge ? 'query_too_complex' : 'graphql_invalid';
    return new GatewayError(code, { values: { reason: error.message } });
  }
  return toGatewayError(original);
}

function mutationByGet(): GatewayError {
  const values = { path: 'A mutation', method: 'GET', allowed: 'POST' };
  return new GatewayError('method_not_allowed', { values });
}

/** The status that the engine gives to what it refuses by itself. */
function statusOf({ extensions }: GraphQLError): number | undefined {
  return (extensions.http as { readonly status?: number } | undefined)?.status;
}

function rootCause(error: GraphQLError): Error | undefined {
  let cause: Error | undefined = error.originalError;
  while (cause instanceof GraphQLError && cause.originalError) cause = cause.originalError;
  return cause;
}

/** A result with presentable errors. */
export function presentResult(result: ExecutionResult, ctx: Ctx | undefined): ExecutionResult {
  if (!result.errors) return result;
  return { ...result, errors: result.errors.map((error) => presentError(error, ctx)) };
}

/** Anything that was thrown, as an error of GraphQL with its cause. */
export function asGraphqlError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError });
}
