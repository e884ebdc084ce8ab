import { LRUCache } from 'lru-cache';

const TENANTS_MAX = 10_000;

interface Counted<T> {
  readonly counts: T;
  readonly countedMs: number;
}

/**
 * What is counted of the rows of tenants, in the memory of a node. While it is counted again, the
 * last counts serve: a request waits for the first ones alone.
 */
export class TenantCounts<T extends object> {
  private readonly known = new LRUCache<string, Counted<T>>({ max: TENANTS_MAX });
  private readonly counting = new Map<string, Promise<T>>();

  /**
   * @param load counts the rows of a tenant
   * @param freshMs after so long they are counted again
   */
  constructor(
    private readonly load: (tenantId: string) => Promise<T>,
    private readonly freshMs: number,
  ) {}

  /** The counts of a tenant. */
  forTenant(tenantId: string): T | Promise<T> {
    const known = this.known.get(tenantId);
    if (known === undefined) return this.count(tenantId);
    const isOld = performance.now() - known.countedMs > this.freshMs;
    if (isOld) this.count(tenantId).catch(() => undefined);
    return known.counts;
  }

  /** Drops the counts of a tenant: they are counted anew for the next decision. */
  forget(tenantId: string): void {
    this.known.delete(tenantId);
    this.counting.delete(tenantId);
  }

  private count(tenantId: string): Promise<T> {
    const running = this.counting.get(tenantId);
    if (running !== undefined) return running;
    const started = this.load(tenantId)
      .then((counts) => {
        const isCurrent = this.counting.get(tenantId) === started;
        if (isCurrent) this.known.set(tenantId, { counts, countedMs: performance.now() });
        return counts;
      })
      .finally(() => {
        if (this.counting.get(tenantId) === started) this.counting.delete(tenantId);
      });
    this.counting.set(tenantId, started);
    return started;
  }
}
