import type { Pool } from 'pg';
import { GatewayError } from '../kernel/errors/fail.js';
import { named } from '../platform/database/pool.js';

/** A statement that must be written, now or when the database is back. */
export interface Write {
  readonly name: string;
  readonly sql: string;
  readonly values: readonly unknown[];
}

interface LaterWrite extends Write {
  /** Called when it was written, or given up. */
  done(): void;
}

const RETRY_MS_MIN = 200;
const RETRY_MS_MAX = 5_000;
/** More are given up at once: their requests are found by their effects. */
const WRITES_MAX = 10_000;

/** Writes in the background what could not be written, one after the other, in order. */
export class LaterWrites {
  private readonly waiting: LaterWrite[] = [];
  private timer: NodeJS.Timeout | undefined;
  private waitMs = RETRY_MS_MIN;
  private closed = false;

  constructor(private readonly pool: Pool) {}

  add(write: LaterWrite): void {
    const isTaken = !this.closed && this.waiting.length < WRITES_MAX;
    if (!isTaken) {
      write.done();
      return;
    }
    this.waiting.push(write);
    this.schedule();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    for (const write of this.waiting.splice(0)) write.done();
  }

  private schedule(): void {
    if (this.timer || this.closed) return;
    this.timer = setTimeout(() => void this.work(), this.waitMs).unref();
  }

  private async work(): Promise<void> {
    this.waitMs = (await this.writeAll()) ? RETRY_MS_MIN : Math.min(this.waitMs * 2, RETRY_MS_MAX);
    this.timer = undefined;
    if (this.waiting.length > 0) this.schedule();
  }

  /** @returns false when the database is still away */
  private async writeAll(): Promise<boolean> {
    for (let next = this.waiting[0]; next; next = this.waiting[0]) {
      try {
        await named(this.pool, next.name, next.sql, next.values);
      } catch (error) {
        // What the database refuses is not better the next time, and must not hold up the others.
        if (error instanceof GatewayError) return false;
      }
      if (this.waiting.shift()) next.done();
    }
    return true;
  }
}
