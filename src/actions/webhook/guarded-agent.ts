import type { LookupAddress } from 'node:dns';
import { Agent } from 'undici';
import { judgedConnector, systemAddresses } from '../../platform/network/judged-connect.js';
import { ConnectionRefused } from './failures.js';
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
export const SYSTEM_NETWORK: WebhookNetwork = { resolve: systemAddresses };

/**
 * Sockets that go to one endpoint and nowhere else, at addresses that were judged. Proxies of the
 * environment do not matter here, and no connection outlives its request.
 */
export function guardedAgent(
  target: WebhookTarget,
  allowance: WebhookAllowance,
  network: WebhookNetwork,
): Agent {
  return new Agent({
    pipelining: 0,
    connect: judgedConnector({
      ...network,
      allowed: (address) => target.hostAllowed || mayConnect(address, allowance),
      refusal: (why) => new ConnectionRefused(why),
      connectMsMax: CONNECT_MS_MAX,
    }),
  });
}
