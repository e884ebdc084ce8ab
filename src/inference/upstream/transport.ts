import type { ConnectionOptions } from 'node:tls';
import { buildConnector, Pool } from 'undici';
import type { Deployment } from '../../catalog/providers/model.js';
import type { Jurisdiction } from '../../catalog/providers/vocabulary.js';
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
import { HttpExchange } from './http-exchange.js';
import { LoggedInExchange } from './logged-in-exchange.js';
import { Login } from './login.js';
import { TlsRefusals } from './tls-refusals.js';

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
  readonly explained: (error: Error) => Error;
  connections: number;
  requests: number;
}

interface Route {
  readonly deployment: Deployment;
  readonly origin: Origin;
  readonly headers: string[];
  /** Where the bearer comes from a login. */
  readonly login: Login | undefined;
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
  /** By what makes two of them one: a login outlives an exchange of the registry. */
  readonly #logins = new Map<string, { readonly login: Login; readonly origin: Origin }>();

  constructor(private readonly parts: HttpCarrierParts) {}

  /** Makes routes to deployments; those of before stay open for the requests that hold them. */
  adopt(deployments: Iterable<Deployment>): void {
    this.#byKey.clear();
    for (const deployment of deployments) {
      if (deployment.protocol !== 'chat_completions') continue;
      const origin = this.#originOf(deployment);
      const login = this.#loginOf(deployment);
      const route = { deployment, origin, headers: headersOf(deployment), login };
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
    const { origin, login } = route;
    const headers = request.trace ? tracedHeaders(route.headers, request) : route.headers;
    const path = route.deployment.basePath + PATHS[request.operation];
    const dispatch = (bearer: readonly string[], to: CarrierReceiver) => {
      origin.requests += 1;
      const exchange = new HttpExchange(to, origin.explained);
      const sent = bearer.length === 0 ? headers : [...headers, ...bearer];
      origin.pool.dispatch({ path, method: 'POST', headers: sent, body: request.body }, exchange);
      return exchange;
    };
    return login ? new LoggedInExchange(receiver, login, dispatch) : dispatch([], receiver);
  }

  #originOf(deployment: Deployment): Origin {
    const { origin: address, jurisdiction, operator, providerId, addressJudged } = deployment;
    const name = [address, jurisdiction, operator, providerId, addressJudged].join(' ');
    const origin = this.#origins.get(name) ?? makeOrigin(deployment, this.parts);
    this.#origins.set(name, origin);
    return origin;
  }

  #loginOf(deployment: Deployment): Login | undefined {
    const { login } = deployment.connection ?? {};
    if (login === undefined) return undefined;
    const { tokenUrl, scope, credentials } = login;
    const { jurisdiction, operator, providerId } = deployment;
    const name = JSON.stringify([providerId, jurisdiction, operator, tokenUrl, scope]);
    const known = this.#logins.get(name + credentials.reveal());
    if (known) return known.login;
    // The address of the tokens is a host that data leaves to, and is listed like every other one.
    const origin = makeOrigin({ ...deployment, origin: new URL(tokenUrl).origin }, this.parts);
    const made = new Login({
      deployment,
      pool: origin.pool,
      onRequest: () => {
        origin.requests += 1;
      },
    });
    this.#logins.set(name + credentials.reveal(), { login: made, origin });
    this.#origins.set(`login ${name}`, origin);
    return made;
  }

  masked(deployment: Deployment, text: string): string {
    const { apiKey, connection } = deployment;
    const login = this.#routes.get(deployment)?.login ?? this.#byKey.get(deployment.key)?.login;
    const secrets = [
      ...(apiKey ? [apiKey] : []),
      ...(connection?.headers ?? []).flatMap(({ value }) =>
        typeof value === 'string' ? [] : value,
      ),
      ...(login?.secrets() ?? []),
    ];
    return secrets.reduce((masked, secret) => secret.maskIn(masked), text);
  }

  /** The hosts that were contacted since the start. */
  egress(): EgressRecord[] {
    return [...this.#origins.values()]
      .filter((origin) => origin.connections > 0 || origin.requests > 0)
      .map(({ pool: _pool, explained: _explained, ...record }) => record);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#origins.values()].map(({ pool }) => pool.destroy()));
  }
}

function makeOrigin(deployment: Deployment, parts: HttpCarrierParts): Origin {
  const connect = connectorOf(deployment, parts);
  const refusals = new TlsRefusals();
  const origin: Origin = {
    host: new URL(deployment.origin).host,
    jurisdiction: deployment.jurisdiction,
    operator: deployment.operator,
    providerId: deployment.providerId,
    connections: 0,
    requests: 0,
    explained: (error) => refusals.explained(error),
    pool: new Pool(deployment.origin, {
      connect: (options, callback) => {
        origin.connections += 1;
        connect(options, refusals.watching(callback));
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
  { addressJudged, origin, connection }: Deployment,
  { connectTimeoutMs, hostsAllowed }: HttpCarrierParts,
): buildConnector.connector {
  if (!addressJudged) return buildConnector({ timeout: connectTimeoutMs, ...tlsOf(connection) });
  const isVouched = isAmong(hostOf(new URL(origin)), hostsAllowed);
  return judgedConnector({
    allowed: (address) => isVouched || isPublicAddress(address) || isAmong(address, hostsAllowed),
    refusal: (why) => Object.assign(new Error(why), { code: 'EHOSTUNREACH' }),
    connectMsMax: connectTimeoutMs,
  });
}

/**
 * Logs in to a provider once.
 * @returns how long the token is good, in milliseconds; rejects as AttemptFailure
 */
export async function loginOnce(deployment: Deployment, timeoutMs: number): Promise<number> {
  const address = new URL(deployment.connection?.login?.tokenUrl ?? '').origin;
  const parts = { connectTimeoutMs: timeoutMs, hostsAllowed: new Set<string>() };
  const { pool } = makeOrigin({ ...deployment, origin: address }, parts);
  try {
    return await new Login({ deployment, pool, onRequest: () => undefined }).once();
  } finally {
    await pool.destroy();
  }
}

/** The TLS settings of a connection, as Node takes them. */
export function tlsOf(connection: Deployment['connection']): ConnectionOptions {
  if (connection === undefined) return {};
  const { authorities, certificate, privateKey, passphrase } = connection;
  return {
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey.reveal() }),
    ...(passphrase === undefined ? {} : { passphrase: passphrase.reveal() }),
  };
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
  const own = deployment.connection?.headers ?? [];
  const stated = own.flatMap(({ name, value }) => [
    name,
    typeof value === 'string' ? value : value.reveal(),
  ]);
  if (key === undefined) return [...headers, ...stated];
  return [...headers, ...stated, 'authorization', `Bearer ${key}`];
}
