import { buildConnector, type Dispatcher, Pool } from 'undici';
import type { Deployment } from '../../catalog/providers/model.js';
import type { Jurisdiction } from '../../catalog/providers/vocabulary.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { traceparent } from '../../kernel/trace.rules.js';
import { judgedConnector } from '../../platform/network/judged-connect.js';
import { hostOf, isAmong, isPublicAddress } from '../../platform/network/public-address.js';
import { newSpanId } from '../../platform/request-spans.js';
import {
  type Carrier,
  type CarrierHandle,
  type CarrierReceiver,
  type CarrierRequest,
  ForbiddenRoute,
} from './carrier.js';
import { toldBy } from './told.rules.js';

const KEEP_ALIVE_MS = 15_000;
const PATHS = { chat: '/chat/completions', embeddings: '/embeddings' } as const;

/** A host that was really contacted since the process started. */
export interface EgressRecord {
  readonly host: string;
  readonly jurisdiction: Jurisdiction;
  readonly operator: string;
  readonly providerId: string;
  readonly connections: number;
  readonly requests: number;
}

interface Origin extends EgressRecord {
  readonly pool: Pool;
  connections: number;
  requests: number;
}

interface Route {
  readonly deployment: Deployment;
  readonly origin: Origin;
  readonly headers: string[];
}

/** What sockets are made by. */
export interface HttpCarrierParts {
  readonly connectTimeoutMs: number;
  /** Hosts inside that providers may be at which operators add at runtime. */
  readonly hostsAllowed: ReadonlySet<string>;
}

/**
 * Sends requests over sockets. Pools and headers are made ahead, one pool for each provider, origin
 * and jurisdiction, so that a socket of a route inside is never one of a route outside, also where
 * one vendor serves both from one address, and whoever was contacted is named by its own id.
 * Redirects are not followed: one is an answer like any.
 */
export class HttpCarrier implements Carrier {
  /** By the very object of the registry: a request in flight keeps the route it began with. */
  readonly #routes = new WeakMap<Deployment, Route>();
  readonly #byKey = new Map<string, Route>();
  readonly #origins = new Map<string, Origin>();

  constructor(private readonly parts: HttpCarrierParts) {}

  /** Makes routes to deployments; those of before stay open for the requests that hold them. */
  adopt(deployments: Iterable<Deployment>): void {
    this.#byKey.clear();
    for (const deployment of deployments) {
      if (deployment.protocol !== 'chat_completions') continue;
      const { origin: address, jurisdiction, operator, providerId, addressJudged } = deployment;
      const name = [address, jurisdiction, operator, providerId, addressJudged].join(' ');
      const origin = this.#origins.get(name) ?? makeOrigin(deployment, this.parts);
      this.#origins.set(name, origin);
      const route = { deployment, origin, headers: headersOf(deployment) };
      this.#routes.set(deployment, route);
      this.#byKey.set(deployment.key, route);
    }
  }

  send(request: CarrierRequest, receiver: CarrierReceiver): CarrierHandle {
    const { deployment } = request;
    const route = this.#routes.get(deployment) ?? this.#byKey.get(deployment.key);
    if (route === undefined) throw new Error(`no route ${request.deployment.key} was registered`);
    // The registered deployment decides, not the one that the caller holds.
    if (!request.jurisdictionsAllowed.includes(route.deployment.jurisdiction)) {
      throw new ForbiddenRoute(route.deployment);
    }
    route.origin.requests += 1;
    const exchange = new HttpExchange(receiver);
    route.origin.pool.dispatch(
      {
        path: route.deployment.basePath + PATHS[request.operation],
        method: 'POST',
        headers: request.trace ? tracedHeaders(route.headers, request) : route.headers,
        body: request.body,
      },
      exchange,
    );
    return exchange;
  }

  /** The hosts that were contacted since the start. */
  egress(): EgressRecord[] {
    return [...this.#origins.values()]
      .filter((origin) => origin.connections > 0 || origin.requests > 0)
      .map(({ pool: _pool, ...record }) => record);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#origins.values()].map(({ pool }) => pool.destroy()));
  }
}

function makeOrigin(deployment: Deployment, parts: HttpCarrierParts): Origin {
  const connect = connectorOf(deployment, parts);
  const origin: Origin = {
    host: new URL(deployment.origin).host,
    jurisdiction: deployment.jurisdiction,
    operator: deployment.operator,
    providerId: deployment.providerId,
    connections: 0,
    requests: 0,
    pool: new Pool(deployment.origin, {
      connect: (options, callback) => {
        origin.connections += 1;
        connect(options, callback);
      },
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // One watch for each exchange keeps the deadlines, so the pool's own timers are off.
      headersTimeout: 0,
      bodyTimeout: 0,
    }),
  };
  return origin;
}

/** The owner of the server vouches for the addresses of its file, and for no others. */
function connectorOf(
  { addressJudged, origin }: Deployment,
  { connectTimeoutMs, hostsAllowed }: HttpCarrierParts,
): buildConnector.connector {
  if (!addressJudged) return buildConnector({ timeout: connectTimeoutMs });
  const isVouched = isAmong(hostOf(new URL(origin)), hostsAllowed);
  return judgedConnector({
    allowed: (address) => isVouched || isPublicAddress(address) || isAmong(address, hostsAllowed),
    refusal: (why) => Object.assign(new Error(why), { code: 'EHOSTUNREACH' }),
    connectMsMax: connectTimeoutMs,
  });
}

/** Each attempt is a call of its own, and names itself as the parent. */
function tracedHeaders(
  headers: readonly string[],
  { trace, spanId = newSpanId() }: CarrierRequest,
): string[] {
  if (!trace) return [...headers];
  const own = traceparent(trace, spanId);
  if (trace.state === undefined) return [...headers, 'traceparent', own];
  return [...headers, 'traceparent', own, 'tracestate', trace.state];
}

function headersOf(deployment: Deployment): string[] {
  const headers = ['content-type', 'application/json', 'accept', '*/*', 'user-agent', 'gw/1'];
  const key = deployment.apiKey?.reveal();
  return key === undefined ? headers : [...headers, 'authorization', `Bearer ${key}`];
}

/** One exchange over a socket: undici's callbacks on one side, the receiver's on the other. */
class HttpExchange implements Dispatcher.DispatchHandler, CarrierHandle {
  #abort: (() => void) | undefined;
  #resume: (() => void) | undefined;
  #over = false;

  constructor(private readonly receiver: CarrierReceiver) {}

  onConnect(abort: () => void): void {
    // A request may be aborted while it waits for a socket; it then ends where it would begin.
    if (this.#over) abort();
    else this.#abort = abort;
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    this.#resume = resume;
    if (status >= 200 && !this.#over) {
      const asked = status < 400 ? undefined : retryAfterMs(headers);
      this.receiver.onStatus(status, asked, toldBy(headers));
    }
    return true;
  }

  onData(chunk: Buffer): boolean {
    return this.#over ? true : this.receiver.onData(chunk);
  }

  onComplete(): void {
    if (this.#over) return;
    this.#over = true;
    this.receiver.onEnd();
  }

  onError(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    // Undici may refuse a request inside `dispatch`; the receiver is never called that early.
    queueMicrotask(() => this.receiver.onError(error));
  }

  resume(): void {
    if (!this.#over) this.#resume?.();
  }

  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#abort?.();
  }
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date, in milliseconds from now. */
function retryAfterMs(headers: readonly Buffer[]): number | undefined {
  let asked: number | undefined;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index]?.toString('latin1').toLowerCase();
    const value = headers[index + 1]?.toString('latin1') ?? '';
    if (name === 'retry-after-ms' && /^\d{1,9}(\.\d+)?$/.test(value))
      return Math.ceil(Number(value));
    if (name !== 'retry-after') continue;
    if (/^\d{1,6}$/.test(value)) asked = Number(value) * 1_000;
    else {
      const date = Date.parse(value);
      if (!Number.isNaN(date)) asked = Math.max(0, date - sharedNowMs());
    }
  }
  return asked;
}
