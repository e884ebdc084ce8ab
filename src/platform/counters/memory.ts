import { LRUCache } from 'lru-cache';
import {
  type Admission,
  type Counters,
  type Limit,
  type LimitState,
  SLOT_RETRY_MS,
  TOKENS_MISSING_MIN,
} from './counters.js';
import { RollingMinute } from './rolling-minute.js';

interface Bucket {
  tokens: number;
  atMs: number;
}

const KEYS_MAX = 100_000;
const MINUTE_MS = 60_000;

/** Counters of one process. `nowMs` is a monotonic clock in milliseconds. */
export class MemoryCounters implements Counters {
  /** Counted as sizes, since with `max` all of the room would be taken at the start. */
  private readonly buckets = new LRUCache<string, Bucket>({
    maxSize: KEYS_MAX,
    sizeCalculation: () => 1,
  });
  private readonly windows = new LRUCache<string, RollingMinute>({
    maxSize: KEYS_MAX,
    sizeCalculation: () => 1,
  });
  private readonly slots = new Map<string, Map<string, number>>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  take(limits: readonly Limit[]): Admission {
    const now = this.nowMs();
    for (const [index, limit] of limits.entries()) {
      const retryAfterMs = this.waitMs(limit, now);
      if (retryAfterMs === 0) continue;
      return { refused: index, retryAfterMs, states: this.states(limits, now) };
    }
    for (const limit of limits) this.consume(limit, now);
    const taken = { refused: undefined, retryAfterMs: 0, states: this.states(limits, now) };
    if (!limits.some(({ kind }) => kind === 'window')) return taken;
    return { ...taken, correct: (key, points) => this.correct(key, now, points) };
  }

  /** Corrects what was taken of a window at that moment of the clock. */
  correct(key: string, takenMs: number, points: number): void {
    this.windows.get(key)?.correct(takenMs, points);
  }

  adjust(key: string, perMinute: number, points: number): void {
    const bucket = this.bucket(key, perMinute, this.nowMs());
    bucket.tokens = Math.min(perMinute, bucket.tokens + points);
  }

  release(key: string, slot: string): void {
    const held = this.slots.get(key);
    held?.delete(slot);
    if (held?.size === 0) this.slots.delete(key);
  }

  async close(): Promise<void> {}

  private waitMs(limit: Limit, now: number): number {
    if (limit.kind === 'concurrency') {
      const { limit: most, alone = most } = limit;
      return this.heldSlots(limit.key, now) < alone ? 0 : SLOT_RETRY_MS;
    }
    if (limit.kind === 'window') {
      return this.window(limit.key).waitMs(now, limit.points, limit.alone ?? limit.limit);
    }
    const need = Math.min(limit.needed ?? limit.points, limit.perMinute);
    const missing = need - this.bucket(limit.key, limit.perMinute, now).tokens;
    return missing <= TOKENS_MISSING_MIN ? 0 : Math.ceil((missing * MINUTE_MS) / limit.perMinute);
  }

  private consume(limit: Limit, now: number): void {
    if (limit.kind === 'rate') {
      this.bucket(limit.key, limit.perMinute, now).tokens -= limit.points;
      return;
    }
    if (limit.kind === 'window') {
      this.window(limit.key).add(now, limit.points);
      return;
    }
    const held = this.slots.get(limit.key) ?? new Map<string, number>();
    this.slots.set(limit.key, held.set(limit.slot, now + limit.leaseMs));
  }

  private states(limits: readonly Limit[], now: number): LimitState[] {
    return limits.map((limit) => {
      if (limit.kind === 'concurrency') {
        const remaining = Math.max(0, limit.limit - this.heldSlots(limit.key, now));
        return { limit: limit.limit, remaining, resetMs: 0 };
      }
      if (limit.kind === 'window') {
        const { limit: most, alone = most } = limit;
        const { points, resetMs } = this.window(limit.key).state(now);
        return { limit: alone, remaining: Math.max(0, alone - points), resetMs };
      }
      const { tokens } = this.bucket(limit.key, limit.perMinute, now);
      const missing = limit.perMinute - tokens;
      const resetMs = Math.ceil((missing * MINUTE_MS) / limit.perMinute);
      return { limit: limit.perMinute, remaining: Math.max(0, Math.floor(tokens)), resetMs };
    });
  }

  private window(key: string): RollingMinute {
    const known = this.windows.get(key) ?? new RollingMinute();
    this.windows.set(key, known);
    return known;
  }

  private bucket(key: string, perMinute: number, now: number): Bucket {
    const known = this.buckets.get(key);
    if (!known) {
      const fresh = { tokens: perMinute, atMs: now };
      this.buckets.set(key, fresh);
      return fresh;
    }
    const refill = ((now - known.atMs) * perMinute) / MINUTE_MS;
    known.tokens = Math.min(perMinute, known.tokens + refill);
    known.atMs = now;
    return known;
  }

  private heldSlots(key: string, now: number): number {
    const held = this.slots.get(key);
    if (!held) return 0;
    for (const [slot, untilMs] of held) if (untilMs <= now) held.delete(slot);
    if (held.size === 0) this.slots.delete(key);
    return held.size;
  }
}
