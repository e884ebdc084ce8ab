import type { IncomingMessage, ServerResponse } from 'node:http';
import { Arrival } from '../../rest-compat/arrival.js';
import { errorAnswer, errorBody, writeAnswer } from '../../rest-compat/reply.js';
import type { Services } from '../graph/ctx.js';
import { docUrl } from '../kernel/errors/doc-url.js';
import { GatewayError } from '../kernel/errors/fail.js';
import { newId } from '../kernel/ids.js';
import { baseUrlOf } from './context.js';
import { graphqlArrival, isGraphqlPath, refusalOf } from './graphql-refusal.js';

/** A name, an IPv4 address or an IPv6 address in brackets, and a port (RFC 9110, section 7.2). */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** Hosts that were found well-formed; clients of a node name few. */
const known = new Set<string>();
const KNOWN_MAX = 100;

/** Whether a request names at most one host, and that one in a form that an address can have. */
export function isWellAddressed({ headers, rawHeaders }: IncomingMessage): boolean {
  const { host } = headers;
  if (host === undefined) return true;
  return isHost(host) && countOfHosts(rawHeaders) === 1;
}

function isHost(host: string): boolean {
  if (known.has(host)) return true;
  if (!HOST.test(host) || !URL.canParse(`http://${host}`)) return false;
  if (known.size >= KNOWN_MAX) known.clear();
  known.add(host);
  return true;
}

function countOfHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/**
 * Refuses a request that names no usable host, in the form of the API that it asks. The connection
 * is closed: proxies may disagree about where such a request ends up.
 */
export function refuseHost(
  services: Services,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  // Nothing of it is shown, in no address either.
  delete request.headers.host;
  response.shouldKeepAlive = false;
  const failure = new GatewayError('invalid_host');
  if (isGraphqlPath(request)) {
    const { status, headers, body } = refusalOf(failure, graphqlArrival(services, request));
    response.writeHead(status, headers).end(body);
    return;
  }
  const arrival = new Arrival(newId('Request'), request, response, services.config.site);
  const body = errorBody(failure, arrival, docUrl(baseUrlOf(services, request), failure.code));
  writeAnswer(arrival, errorAnswer(failure, body, arrival.language));
}
