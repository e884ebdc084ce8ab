import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Ctx } from '../graph/ctx.js';
import { docUrl } from '../kernel/errors/doc-url.js';
import { GatewayError, toGatewayError } from '../kernel/errors/fail.js';
import { told } from '../kernel/errors/told.js';
import { newId } from '../kernel/ids.js';
import { preferredLanguage } from '../kernel/language/languages.js';

/** Errors that clients may see as they are; the fields of a document present their own. */
const shown = new WeakSet<GraphQLError>();

/** Marks an error as one that clients may see as it is. */
export function asShown(error: GraphQLError): GraphQLError {
  shown.add(error);
  return error;
}

/** What is there before the context of an operation: the request, where there is one of HTTP. */
interface Early {
  readonly request?: Request;
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
  const failure = failureOf(error);
  if (failure.code === 'internal_error') {
    ctx?.services.log.error({ err: failure.cause, requestId: ctx.requestId }, 'internal error');
  }
  const { param, data, retryAfterMs } = failure.details;
  const { message, faults } = told(failure, preferredLanguage(acceptedBy(ctx, given)));
  const presented = new GraphQLError(message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: {
      ...(error.extensions.http ? { http: error.extensions.http } : {}),
      ...data,
      code: failure.code,
      requestId: ctx?.requestId ?? newId('Request'),
      docUrl: docUrl(ctx?.transport.baseUrl ?? '', failure.code),
      ...(param === undefined ? {} : { param }),
      ...(faults === undefined ? {} : { faults }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  });
  return asShown(presented);
}

function acceptedBy(ctx: Ctx | undefined, given: object | undefined): string | undefined {
  if (ctx) return ctx.transport.acceptLanguage;
  const { request } = (given ?? {}) as Early;
  return request?.headers.get('accept-language') ?? undefined;
}

/** The failure of the catalogue that an error is. */
export function failureOf(error: GraphQLError): GatewayError {
  const original = rootCause(error);
  if (original === undefined || original instanceof GraphQLError) {
    const tooLarge = /more (than|that) \d+ tokens/.test(error.message);
    const code = tooLarge ? 'query_too_complex' : 'graphql_invalid';
    return new GatewayError(code, { values: { reason: error.message } });
  }
  return toGatewayError(original);
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
