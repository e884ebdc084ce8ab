import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Arrival } from '../../rest-compat/arrival.js';
import type { RestCredential } from '../../rest-compat/rest-directive.js';
import { shownCredential } from '../access/auth/basic.js';
import type { Identified } from '../access/auth/credentials.js';
import type { Ctx, Services, Transport } from '../graph/ctx.js';
import { newId } from '../kernel/ids.js';
import { OWN_REQUEST_HEADER } from '../platform/own-address.js';

/** Names the workspace under which a request is made. */
const WORKSPACE_HEADER = 'x-gw-workspace';

/** The workspace that a request names; an empty header names one that does not exist. */
function workspaceOf({ headers }: IncomingMessage): string | undefined {
  const named = headers[WORKSPACE_HEADER];
  return Array.isArray(named) ? named.join(',') : named;
}

/** The address of a client. */
function addressOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? '';
}

/** The base address as the client reached it, or as the operator set it. */
export function baseUrlOf(services: Services, request: IncomingMessage): string {
  const stated = services.config.GW_PUBLIC_URL;
  if (stated) return stated.replace(/\/$/, '');
  return `http://${request.headers.host ?? 'localhost'}`;
}

/** The request behind a REST row, whose column says how its credential is looked at. */
export function restContext(
  services: Services,
  request: IncomingMessage,
  arrival: Arrival,
  credential: RestCredential,
): Ctx | Promise<Ctx> {
  const authorization = shownCredential(request.headers);
  const identified = services.authenticator.identify(authorization, credential === 'FRESH');
  if (identified instanceof Promise) {
    return identified.then((found) => restCtx(services, request, arrival, found));
  }
  return restCtx(services, request, arrival, identified);
}

function restCtx(
  services: Services,
  request: IncomingMessage,
  arrival: Arrival,
  { who, whoFailure }: Identified,
): Ctx {
  const { response } = arrival;
  services.keySightings.see(who, addressOf(request));
  return {
    requestId: arrival.requestId,
    startedMs: arrival.startedMs,
    who,
    whoFailure,
    authorization: shownCredential(request.headers),
    origin: isOwnRequest(services, request) ? 'cockpit' : undefined,
    services,
    get signal() {
      return arrival.signal;
    },
    transport: {
      kind: 'rest',
      address: addressOf(request),
      baseUrl: baseUrlOf(services, request),
      acceptLanguage: request.headers['accept-language'],
      workspace: workspaceOf(request),
      get rawBody() {
        return arrival.rawBody;
      },
      headers: {},
      onFinished(callback) {
        if (response.closed) callback();
        else response.once('close', callback);
      },
    },
  };
}

/** The cockpit alone makes requests of this process to itself over the network. */
function isOwnRequest({ ownAddress }: Services, { headers }: IncomingMessage): boolean {
  return headers[OWN_REQUEST_HEADER] === ownAddress.mark;
}

/** The request behind a GraphQL operation, over HTTP or a socket. */
export async function graphqlContext(
  services: Services,
  request: IncomingMessage,
  authorization: string | undefined,
  kind: Transport['kind'],
  signal: AbortSignal,
  onFinished: Transport['onFinished'],
): Promise<Ctx & { readonly expiresAtMs?: number }> {
  const startedMs = performance.now();
  const identified = await services.authenticator.identify(authorization, true);
  services.keySightings.see(identified.who, addressOf(request));
  return {
    requestId: newId('Request'),
    startedMs,
    ...identified,
    who: identified.who,
    authorization,
    services,
    signal,
    transport: {
      kind,
      address: addressOf(request),
      baseUrl: baseUrlOf(services, request),
      acceptLanguage: request.headers['accept-language'],
      workspace: workspaceOf(request),
      headers: {},
      onFinished,
    },
  };
}

/** Tells when the last byte of an answer over HTTP has left; of many callers with one listener. */
export function finishOf(response: ServerResponse): NonNullable<Transport['onFinished']> {
  const waiting: (() => void)[] = [];
  return (callback) => {
    if (response.closed) {
      callback();
      return;
    }
    if (waiting.push(callback) > 1) return;
    response.once('close', () => {
      for (const each of waiting) each();
    });
  };
}
