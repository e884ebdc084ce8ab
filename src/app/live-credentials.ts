import type { Services } from '../graph/ctx.js';

/** Something that lives on a credential: a socket or a running subscription. */
export interface Lease {
  readonly authorization: string;
  readonly tenantId: string;
  readonly expiresAtMs: number | undefined;
  /** True for feeds, which end when the node stops; answers of models go on to their end. */
  readonly isFeed: boolean;
  /** Ends it. */
  readonly end: () => void;
}

const CHECK_EVERY_MS = 5_000;

/**
 * Sockets and subscriptions outlive the request that opened them. They end when their credential
 * expires, and as soon as a change of their tenant has closed it.
 */
export class LiveCredentials {
  private readonly leases = new Set<Lease>();
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
    // What was notified while the connection was down is lost, so everybody is looked at.
    listener.onConnected(() => this.check(() => true));
  }

  /** Watches a lease until the returned function is called. */
  add(lease: Lease): () => void {
    this.leases.add(lease);
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
    for (const lease of this.leases) if (concerned(lease)) void this.recheck(lease);
  }

  private async recheck(lease: Lease): Promise<void> {
    const { authenticator, log } = this.services;
    try {
      const { who } = await authenticator.identify(lease.authorization, true);
      if (!who) this.end(lease);
    } catch (error) {
      log.warn({ err: error }, 'a live credential could not be checked: it is closed');
      this.end(lease);
    }
  }

  private expire(): void {
    const nowMs = Date.now();
    for (const lease of this.leases) {
      if (lease.expiresAtMs !== undefined && lease.expiresAtMs <= nowMs) this.end(lease);
    }
  }

  private end(lease: Lease): void {
    if (this.leases.delete(lease)) lease.end();
  }
}
