import { LRUCache } from 'lru-cache';
import type { Listener } from './database/listen.js';

/** What is kept, and the tenant whose changes drop it. */
export interface Kept<V> {
  readonly tenantId: string;
  readonly value: V;
}

const VALUES_MAX = 50_000;

/** The channel on which the database tells that keys, members or policies of a tenant changed. */
export const CHANGES = 'gw_access';

/**
 * Values of tenants in the memory of a node. A change of a tenant drops its values on every node;
 * while notifications may be lost nothing is kept, and a read that a change overtook is not kept
 * either. Many who ask for the same at once share one read.
 */
export class TenantMemory<V> {
  /** Counted as sizes, since with `max` all of the room would be taken at the start. */
  private readonly values = new LRUCache<string, Kept<V>>({
    maxSize: VALUES_MAX,
    sizeCalculation: () => 1,
  });
  private readonly keysByTenant = new Map<string, Set<string>>();
  private readonly reading = new Map<string, Promise<unknown>>();
  private keeping = true;
  /** Raised by each change. */
  private changes = 0;

  /** Keeps the memory true from now on. */
  async follow(listener: Listener): Promise<void> {
    await listener.listen(CHANGES, (tenantId) => this.forget(tenantId));
    listener.onDisconnected(() => {
      this.keeping = false;
      this.forgetAll();
    });
    listener.onConnected(() => {
      this.forgetAll();
      this.keeping = true;
    });
  }

  /** What is known under a key. */
  known(key: string): V | undefined {
    return this.values.get(key)?.value;
  }

  /** Reads what is not known, once for all who ask meanwhile; `keep` says what of it to keep. */
  read<R>(key: string, read: () => Promise<R>, keep: (read: R) => Kept<V> | undefined) {
    const running = this.reading.get(key) as Promise<R> | undefined;
    if (running !== undefined) return running;
    const before = this.changes;
    const started = read()
      .then((result) => {
        const kept = keep(result);
        if (kept && this.keeping && before === this.changes) this.put(key, kept);
        return result;
      })
      .finally(() => {
        if (this.reading.get(key) === started) this.reading.delete(key);
      });
    this.reading.set(key, started);
    return started;
  }

  /** Drops what is known of a tenant; reads under way are not joined by those who ask later. */
  forget(tenantId: string): void {
    this.changes += 1;
    this.reading.clear();
    for (const key of this.keysByTenant.get(tenantId) ?? []) this.values.delete(key);
    this.keysByTenant.delete(tenantId);
  }

  private forgetAll(): void {
    this.changes += 1;
    this.reading.clear();
    this.values.clear();
    this.keysByTenant.clear();
  }

  private put(key: string, kept: Kept<V>): void {
    this.values.set(key, kept);
    const known = this.keysByTenant.get(kept.tenantId) ?? new Set();
    this.keysByTenant.set(kept.tenantId, known.add(key));
  }
}
