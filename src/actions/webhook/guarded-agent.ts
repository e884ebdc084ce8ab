import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { ConnectionRefused, failureOf } from './failures.js';
import { mayConnect, type WebhookAllowance, type WebhookTarget } from './target.js';

/** How names become addresses, and whose certificates count. */
export interface WebhookNetwork {
  /** All addresses of a host. @throws when it has none */
  readonly resolve: (host: string) => Promise<readonly LookupAddress[]>;
  /** PEM of the authority to trust instead of those that the process trusts. */
  readonly authority?: string;
}

/** How long a connection may take, with the question for addresses and the handshake. */
const CONNECT_MS_MAX = 5_000;

/** The resolver of the system and the authorities of the process. */
export const SYSTEM_NETWORK: WebhookNetwork = {
  resolve: (host) => lookup(host, { all: true, verbatim: true }),
};

/**
 * Sockets that go to one endpoint and nowhere else. The addresses of the host are asked for once in
 * a connection and judged all together: one that is not public refuses the host. The socket gets
 * the judged addresses themselves, so there is no second question that could be answered otherwise,
 * and the address that it really has is judged again before anything is sent. Proxies of the
 * environment do not matter here, and no connection outlives its request.
 */
export function guardedAgent(
  target: WebhookTarget,
  allowance: WebhookAllowance,
  network: WebhookNetwork,
): Agent {
  const allowed = (address: string) => target.hostAllowed || mayConnect(address, allowance);
  const connect = buildConnector({
    lookup: judgedLookup(network, allowed),
    ca: network.authority,
    timeout: CONNECT_MS_MAX,
    rejectUnauthorized: true,
    maxCachedSessions: 0,
  });
  return new Agent({
    pipelining: 0,
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !allowed(host)) {
        callback(new ConnectionRefused('address_refused'), null);
        return;
      }
      connect(options, (error, socket) => {
        if (error) callback(error, null);
        else giveJudged(socket, allowed, callback);
      });
    },
  });
}

function giveJudged(
  socket: Socket,
  allowed: (address: string) => boolean,
  callback: buildConnector.Callback,
): void {
  if (allowed(socket.remoteAddress ?? '')) {
    callback(null, socket);
    return;
  }
  socket.destroy();
  callback(new ConnectionRefused('address_refused'), null);
}

function judgedLookup(
  { resolve }: WebhookNetwork,
  allowed: (address: string) => boolean,
): LookupFunction {
  return (host, options, callback) => {
    const judge = (addresses: readonly LookupAddress[]) => {
      const [first] = addresses;
      if (!first) throw new ConnectionRefused('name_unresolved');
      if (!addresses.every(({ address }) => allowed(address))) {
        throw new ConnectionRefused('address_refused');
      }
      return { all: [...addresses], first };
    };
    resolve(host)
      .catch(() => [])
      .then(judge)
      .then(
        ({ all, first }) =>
          options.all ? callback(null, all) : callback(null, first.address, first.family),
        (error: unknown) => callback(asRefusal(error), options.all ? [] : ''),
      );
  };
}

function asRefusal(error: unknown): ConnectionRefused {
  return error instanceof ConnectionRefused ? error : new ConnectionRefused(failureOf(error));
}
