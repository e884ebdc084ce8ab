import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Place } from '../../rest-compat/arrival.js';
import { readBody, unreadHeaders } from '../../rest-compat/body.js';
import { shownCredential } from '../access/auth/basic.js';
import type { Services } from '../graph/ctx.js';
import { crossOriginHeaders, preflightHeaders, varyingBy } from '../kernel/cross-origin.js';
import { GatewayError, toGatewayError } from '../kernel/errors/fail.js';
import { addressOf } from './context.js';
import type { Yoga } from './graphql.js';
import { ANSWER_TYPES, takesAnswers } from './graphql-accept.js';
import { tellOperation } from './graphql-log.js';
import { paramsOf } from './graphql-params.js';
import {
  GRAPHQL_PATH,
  type GraphqlArrival,
  graphqlArrival,
  METHODS_ALLOWED,
  refusalOf,
} from './graphql-refusal.js';
import type { Load } from './load/load.js';
import { noteErrors } from './operation-facts.js';

/** What is told of a request whose client left before the answer, as over REST. */
const CLIENT_LEFT = 499;
/** With a valid credential: chat goes over GraphQL too. */
const BODY_BYTES_MAX = 10 * 1_048_576;
const ANONYMOUS_BODY_BYTES_MAX = 65_536;

/**
 * Stands before the engine of GraphQL: what is no request of it is refused by the catalogue, in the
 * language of the client, and nothing of a body that is not understood reaches a message.
 */
export function graphqlDoor(services: Services, load: Load, yoga: Yoga) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const arrival = graphqlArrival(services, req);
    setHeaders(services, req, res, arrival);
    if (req.method === 'OPTIONS') {
      res.writeHead(204).end();
      return;
    }
    res.once('close', () => {
      tellOperation(services, arrival, res.writableFinished ? res.statusCode : CLIENT_LEFT);
    });
    try {
      requireMethod(req);
      requireTaken(req);
      const place = await admit(services, req, load);
      res.once('close', () => place.leave());
      const rawBody = await readBody(req, await bodyBytesMax(services, req));
      const params = paramsOf(req, rawBody);
      // The engine would not hear of it any more that the client has left.
      if (res.closed) return;
      await yoga(req, res, { req, res, arrival, params, rawBody, place });
    } catch (error) {
      const failure = toGatewayError(error);
      noteErrors(arrival, [{ extensions: { code: failure.code } }]);
      if (failure.code === 'internal_error') {
        services.log.error({ err: failure.cause, requestId: arrival.requestId }, 'internal error');
      }
      refuse(req, res, failure, arrival);
    }
  };
}

function setHeaders(
  { config }: Services,
  { headers, method }: IncomingMessage,
  res: ServerResponse,
  { requestId }: GraphqlArrival,
): void {
  const { origin, 'access-control-request-headers': asked } = headers;
  const isPreflight = method === 'OPTIONS';
  const shared = isPreflight
    ? {
        ...preflightHeaders(config.site, { origin, asked }, METHODS_ALLOWED),
        allow: METHODS_ALLOWED,
      }
    : crossOriginHeaders(config.site, origin);
  const all = { ...config.site.headers, ...shared, 'x-request-id': requestId };
  for (const [name, value] of Object.entries(all)) res.setHeader(name, value);
}

function requireMethod({ method = '' }: IncomingMessage): void {
  if (method === 'GET' || method === 'POST') return;
  const values = { path: GRAPHQL_PATH, method, allowed: METHODS_ALLOWED };
  throw new GatewayError('method_not_allowed', { values });
}

/** Before anything runs whose answer the client would not take. @throws not_acceptable */
function requireTaken({ headers: { accept } }: IncomingMessage): void {
  if (takesAnswers(accept)) return;
  throw new GatewayError('not_acceptable', { values: { types: ANSWER_TYPES } });
}

/**
 * The limit of a body in bytes. A valid credential raises it. The credential is checked here only
 * if the body is long or does not state its length.
 * @throws conflicting_credentials
 */
async function bodyBytesMax(services: Services, { method, headers }: IncomingMessage) {
  const authorization = shownCredential(headers);
  if (method !== 'POST') return 0;
  const announced = headers['transfer-encoding']
    ? Infinity
    : Number(headers['content-length'] ?? 0);
  if (announced <= ANONYMOUS_BODY_BYTES_MAX || authorization === undefined) {
    return ANONYMOUS_BODY_BYTES_MAX;
  }
  const { who } = await services.authenticator.identify(authorization, false);
  return who ? BODY_BYTES_MAX : ANONYMOUS_BODY_BYTES_MAX;
}

/** Counts an operation in, before anybody knows which it is. @throws overloaded */
async function admit(services: Services, request: IncomingMessage, load: Load): Promise<Place> {
  const address = () => addressOf(services, request);
  return load.admit('general', services.callers.nameOf(request.headers, address));
}

function refuse(
  req: IncomingMessage,
  res: ServerResponse,
  failure: GatewayError,
  arrival: GraphqlArrival,
): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  const { status, headers, body } = refusalOf(failure, arrival);
  const vary = varyingBy(res.getHeader('vary')?.toString(), headers.vary);
  // The rest of a body that was not read would be taken for the next request.
  const isCut = status === 413 || status === 408;
  const unread = failure.code === 'overloaded' ? unreadHeaders(req) : {};
  const connection = isCut ? { connection: 'close' } : unread;
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  res.writeHead(status, { ...headers, ...(vary ? { vary } : {}), ...connection, ...length });
  res.end(body);
}
