import type { IncomingMessage } from 'node:http';
import type { Principal, Services } from '../graph/ctx.js';
import { GatewayError } from '../kernel/errors/fail.js';
import { limitedAddress } from '../platform/network/client-address.js';
import { addressOf } from './context.js';
import { graphqlArrival, refusalOf } from './graphql-refusal.js';
import { Tally } from './load/tally.js';

const RETRY_AFTER_MS = 5_000;

/** What the handshake of a socket is answered with where it is refused. */
type Verified = (
  isTaken: boolean,
  status?: number,
  body?: string,
  headers?: Record<string, string>,
) => void;

/** How many sockets an address and a credential have open on this node, and how many they may. */
export class SocketLimits {
  private readonly byAddress = new Tally();
  private readonly byCredential = new Tally();

  constructor(private readonly services: Services) {}

  /** How many sockets are open. */
  get size(): number {
    return this.byAddress.total;
  }

  /** Lets a handshake pass, or refuses it with an error of the catalogue. */
  verify(request: IncomingMessage, verified: Verified): void {
    const max = this.services.config.GW_SOCKETS_PER_ADDRESS_MAX;
    const address = limitedAddress(addressOf(this.services, request));
    if (this.byAddress.use(address).own >= max) {
      const failure = new GatewayError('too_many_sockets', {
        values: { max },
        retryAfterMs: RETRY_AFTER_MS,
      });
      const refusal = refusalOf(failure, graphqlArrival(this.services, request));
      verified(false, refusal.status, refusal.body, refusal.headers);
      return;
    }
    this.byAddress.enter(address);
    request.socket.once('close', () => this.byAddress.leave(address));
    verified(true);
  }

  /**
   * Counts a socket under its caller, however the credential was spelt: a key with all its secrets
   * is one, and so is a login with all its tokens.
   * @returns a function that counts it out; undefined where there are as many as there may be
   */
  enter({ id, sessionId = id }: Pick<Principal, 'id' | 'sessionId'>): (() => void) | undefined {
    const max = this.services.config.GW_SOCKETS_PER_CREDENTIAL_MAX;
    if (this.byCredential.use(sessionId).own >= max) return undefined;
    this.byCredential.enter(sessionId);
    return () => this.byCredential.leave(sessionId);
  }
}
