import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Arrival } from '../../rest-compat/arrival.js';
import type { RestCredential } from '../../rest-compat/rest-directive.js';
import { fromAddress } from '../access/auth/allowed-address.js';
import { shownCredential } from '../access/auth/basic.js';
import type { Identified } from '../access/auth/credentials.js';
import type { Ctx, Services, StatedHeader, Transport } from '../graph/ctx.js';
import { meansDataClass } from '../kernel/firewall/data-class.rules.js';
import { traceOf } from '../kernel/trace.rules.js';
import { clientAddress } from '../platform/network/client-address.js';
import { OWN_REQUEST_HEADER } from '../platform/own-address.js';

/** Names the workspace under which a request is made. */
const WORKSPACE_HEADER = 'x-gw-workspace';
/** Names the effect of a request, so that it happens once. */
const KEYED_HEADER = 'idempotency-key';

/** The workspace that a request names; an empty header names one that does not exist. */
function workspaceOf({ headers }: IncomingMessage): string | undefined {
  const named = headers[WORKSPACE_HEADER];
  return Array.isArray(named) ? named.join(',') : named;
}

/** Headers by which somebody means to state a class of data. */
function classHeadersOf({ headers }: IncomingMessage): readonly StatedHeader[] {
  const found: StatedHeader[] = [];
  for (const name in headers) {
    if (meansDataClass(name)) found.push({ name, value: String(headers[name]) });
  }
  return found;
}

/** The address of a client, for limits and for what is remembered of keys: the one place. */
export function addressOf({ config }: Services, { socket, headers }: IncomingMessage): string {
  const forwarded = headers['x-forwarded-for'];
  const chain = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
  return clientAddress(socket.remoteAddress ?? '', chain, config.trustedProxies);
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
  // An answer that was kept under a key is given again without a hold that would ask once more.
  const isFresh = credential === 'FRESH' || request.headers[KEYED_HEADER] !== undefined;
  const identified = services.authenticator.identify(authorization, isFresh);
  if (identified instanceof Promise) {
    return identified.then((found) => restCtx(services, request, arrival, found));
  }
  return restCtx(services, request, arrival, identified);
}

function restCtx(
  services: Services,
  request: IncomingMessage,
  arrival: Arrival,
  identified: Identified,
): Ctx {
  const { response } = arrival;
  const address = addressOf(services, request);
  const isOwn = isOwnRequest(services, request);
  // The caller of a request that the gateway makes to itself was let in from its address before.
  const { who, whoFailure } = isOwn ? identified : fromAddress(identified, address);
  services.keySightings.see(who, address);
  if (who) services.callers.learn(request.headers, who.tenantId);
  const { trace, spans } = traced(services, request);
  return {
    requestId: arrival.requestId,
    startedMs: arrival.startedMs,
    who,
    whoFailure,
    authorization: shownCredential(request.headers),
    origin: isOwn ? 'cockpit' : undefined,
    services,
    get signal() {
      return arrival.signal;
    },
    transport: {
      kind: 'rest',
      address,
      baseUrl: baseUrlOf(services, request),
      acceptLanguage: request.headers['accept-language'],
      userAgent: request.headers['user-agent'],
      workspace: workspaceOf(request),
      cacheControl: request.headers['cache-control'],
      get classHeaders() {
        return classHeadersOf(request);
      },
      trace,
      spans,
      get rawBody() {
        return arrival.rawBody;
      },
      headers: {},
      idles: () => arrival.place?.idles(),
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

/** What is known of a request before its caller is. */
interface Arrived extends Pick<Transport, 'trace' | 'spans'> {
  readonly requestId: string;
}

/** The trace that a request goes on under, and what is noted of it where spans are exported. */
export function traced(
  { telemetry }: Pick<Services, 'telemetry'>,
  { headers }: IncomingMessage,
): Pick<Transport, 'trace' | 'spans'> {
  const named = traceOf(headers.traceparent, headers.tracestate);
  const spans = telemetry?.begin(named);
  return { trace: spans ? spans.trace : named, spans };
}

/** The request behind a GraphQL operation, over HTTP or a socket. */
export async function graphqlContext(
  services: Services,
  arrival: Arrived,
  request: IncomingMessage,
  authorization: string | undefined,
  kind: Transport['kind'],
  signal: AbortSignal,
  { onFinished, idles }: Pick<Transport, 'onFinished' | 'idles'>,
): Promise<Ctx & { readonly expiresAtMs?: number }> {
  const startedMs = performance.now();
  const address = addressOf(services, request);
  const found = await services.authenticator.identify(authorization, true);
  const identified = fromAddress(found, address);
  services.keySightings.see(identified.who, address);
  if (identified.who) services.callers.learn(request.headers, identified.who.tenantId);
  return {
    requestId: arrival.requestId,
    startedMs,
    ...identified,
    who: identified.who,
    authorization,
    services,
    signal,
    transport: {
      kind,
      address,
      baseUrl: baseUrlOf(services, request),
      acceptLanguage: request.headers['accept-language'],
      userAgent: request.headers['user-agent'],
      workspace: workspaceOf(request),
      cacheControl: request.headers['cache-control'],
      get classHeaders() {
        return classHeadersOf(request);
      },
      trace: arrival.trace,
      spans: arrival.spans,
      headers: {},
      onFinished,
      idles,
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
