import { fromAddress } from '../access/auth/allowed-address.js';
import type { Identified } from '../access/auth/credentials.js';
import type { Services } from '../graph/ctx.js';
import { sharedNowMs } from '../kernel/clock.js';
import { InFlightLimiter } from '../records/in-flight-limiter.js';

/** Something that lives on a credential: a socket or a running subscription. */
export interface Lease {
  readonly authorization: string;
  readonly tenantId: string;
  /** From where the client has connected. */
  readonly address: string;
  readonly expiresAtMs: number | undefined;
  /** True for feeds, which end when the node stops; answers of models go on to their end. */
  readonly isFeed: boolean;
  /** What its caller could do when it began, where it ends as soon as any of that is lost. */
  readonly permissions?: ReadonlySet<string>;
  /** Ends it. */
  readonly end: () => void;
}

const CHECK_EVERY_MS = 5_000;
/** So many credentials are looked at together: requests need the connections. */
const AT_ONCE_MAX = 2;

/** Whether a credential still carries what lives on it. */
function carries(found: Identified, { address, permissions }: Lease): boolean {
  const { who } = fromAddress(found, address);
  if (!who || who.mustEnrol) return false;
  const rights: ReadonlySet<string> = who.permissions;
  return [...(permissions ?? [])].every((each) => rights.has(each));
}

/**
 * Sockets and subscriptions outlive the request that opened them. They end when their credential
 * expires, and as soon as a change of their tenant has closed it; a subscription also when its
 * caller has lost rights.
 */
export class LiveCredentials {
  private readonly leases = new Set<Lease>();
  /** Credentials that are being looked at; true where one has to be looked at once more. */
  private readonly asking = new Map<string, boolean>();
  private readonly turns = new InFlightLimiter(AT_ONCE_MAX);
  /** Raised by whatever may have ended a credential. */
  private changes = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly services: Services) {
    this.timer = setInterval(() => this.expire(), CHECK_EVERY_MS).unref();
  }

  /** Begins to watch for changes. */
  async follow(): Promise<void> {
    const { listener } = this.services;
    await listener.listen('gw_access', (tenantId) =>
      this.check((lease) => lease.tenantId === tenantId),
    );
    // A key that was retired has signed the tokens of members of all tenants.
    await listener.listen('gw_signing_keys', () => this.check(() => true));
    // What was notified while the connection was down is lost, so everybody is looked at.
    listener.onConnected(() => this.check(() => true));
  }

  /** What is told to `add` of a credential that is looked at from now on. */
  get lookedAt(): number {
    return this.changes;
  }

  /**
   * Watches a lease until the returned function is called.
   * @param lookedAt what `lookedAt` was before its credential was looked at: a change since then
   * was told when nobody watched yet, so that it is looked at again
   */
  add(lease: Lease, lookedAt: number): () => void {
    this.leases.add(lease);
    if (lookedAt !== this.changes) void this.recheck(lease.authorization);
    return () => this.leases.delete(lease);
  }

  /** Ends the feeds, so that their clients go to another node. */
  endFeeds(): void {
    for (const lease of this.leases) if (lease.isFeed) this.end(lease);
  }

  /** Stops the clock. */
  close(): void {
    clearInterval(this.timer);
  }

  private check(concerned: (lease: Lease) => boolean): void {
    this.changes += 1;
    const shown = new Set<string>();
    for (const lease of this.leases) if (concerned(lease)) shown.add(lease.authorization);
    for (const authorization of shown) void this.recheck(authorization);
  }

  /**
   * Looks at a credential once for all that lives on it, however much that is and however many
   * changes come meanwhile: behind those it is looked at once more.
   */
  private async recheck(authorization: string): Promise<void> {
    if (this.asking.has(authorization)) {
      this.asking.set(authorization, true);
      return;
    }
    do {
      this.asking.set(authorization, false);
      await this.turns.take(() => this.look(authorization));
    } while (this.asking.get(authorization));
    this.asking.delete(authorization);
  }

  /** Ends what a credential carries no more. */
  private async look(authorization: string): Promise<void> {
    const { authenticator, log } = this.services;
    const of = () => [...this.leases].filter((lease) => lease.authorization === authorization);
    if (of().length === 0) return;
    try {
      this.asking.set(authorization, false);
      const found = await authenticator.identify(authorization, true);
      for (const lease of of()) if (!carries(found, lease)) this.end(lease);
    } catch (error) {
      log.warn({ err: error }, 'a live credential could not be checked: it is closed');
      for (const lease of of()) this.end(lease);
    }
  }

  private expire(): void {
    const nowMs = sharedNowMs();
    for (const lease of this.leases) {
      if (lease.expiresAtMs !== undefined && lease.expiresAtMs <= nowMs) this.end(lease);
    }
  }

  private end(lease: Lease): void {
    if (this.leases.delete(lease)) lease.end();
  }
}
