import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Place } from '../../rest-compat/arrival.js';
import type { Services, Transport } from '../graph/ctx.js';
import { docUrl } from '../kernel/errors/doc-url.js';
import type { GatewayError } from '../kernel/errors/fail.js';
import { told } from '../kernel/errors/told.js';
import { newId } from '../kernel/ids.js';
import { languageHeaders, preferredLanguage } from '../kernel/language/languages.js';
import { baseUrlOf, traced } from './context.js';
import type { GraphqlParams } from './graphql-params.js';
import { noFacts, type OperationFacts } from './operation-facts.js';

/** The methods that GraphQL answers. */
export const METHODS_ALLOWED = 'GET, POST, OPTIONS';

/** What is known of a request before its caller is. */
export interface GraphqlArrival extends Pick<Transport, 'trace' | 'spans'> {
  readonly requestId: string;
  /** The address by which the client reached the gateway. */
  readonly baseUrl: string;
  readonly acceptLanguage: string | undefined;
  /** When it arrived, by performance.now(). */
  readonly startedMs: number;
  readonly facts: OperationFacts;
}

/** What is known of a request, over HTTP or over a socket. */
export function graphqlArrival(services: Services, request: IncomingMessage): GraphqlArrival {
  return {
    requestId: newId('Request'),
    baseUrl: baseUrlOf(services, request),
    acceptLanguage: request.headers['accept-language'],
    startedMs: performance.now(),
    ...traced(services, request),
    facts: noFacts(),
  };
}

/** Where GraphQL is served, over HTTP, server-sent events and sockets. */
export const GRAPHQL_PATH = '/graphql';

/** Whether a request asks the endpoint of GraphQL. */
export function isGraphqlPath({ url = '' }: Pick<IncomingMessage, 'url'>): boolean {
  return url === GRAPHQL_PATH || url.startsWith(`${GRAPHQL_PATH}?`);
}

/** A request that was let in, as the engine gets it. */
export interface LetIn {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly arrival: GraphqlArrival;
  readonly params: GraphqlParams;
  readonly rawBody: Buffer;
  readonly place: Place;
}

/** A refusal as an answer: its status, headers and body. */
export function refusalOf(failure: GatewayError, arrival: GraphqlArrival) {
  const language = preferredLanguage(arrival.acceptLanguage);
  const { message, faults } = told(failure, language);
  const { retryAfterMs, param, data } = failure.details;
  const extensions = {
    ...data,
    code: failure.code,
    requestId: arrival.requestId,
    docUrl: docUrl(arrival.baseUrl, failure.code),
    ...(param === undefined ? {} : { param }),
    ...(faults === undefined ? {} : { faults }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  const headers: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
    ...languageHeaders(language),
    ...retryHeaders(retryAfterMs),
  };
  if (failure.status === 405) headers.allow = METHODS_ALLOWED;
  return {
    status: failure.status,
    headers,
    body: JSON.stringify({ errors: [{ message, extensions }] }),
  };
}

/** When a client may ask again, in the headers that clients read. */
export function retryHeaders(retryAfterMs: number | undefined): Record<string, string> {
  if (retryAfterMs === undefined) return {};
  return {
    'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))),
    'retry-after-ms': String(Math.max(1, Math.ceil(retryAfterMs))),
  };
}
