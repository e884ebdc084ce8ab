import { setTimeout as sleep } from 'node:timers/promises';
import { fail } from '../kernel/errors/fail.js';
import type { Places } from '../routing/workloads/admission.rules.js';

const RETRY_AFTER_MS = 1_000;
const LOOK_EVERY_MS = 10;

/** What a node carries, and the point at which it refuses more. */
export class Load implements Places {
  private running = 0;
  private draining = false;

  constructor(readonly inFlightMax: number) {}

  /** Requests under way. */
  get inFlight(): number {
    return this.running;
  }

  /** True once the node stops to take requests. */
  get isDraining(): boolean {
    return this.draining;
  }

  /**
   * Counts a request in, before its body is read. `done` follows, also when it was refused.
   * @throws overloaded
   */
  admit(): void {
    this.running += 1;
    if (this.running > this.inFlightMax) fail('overloaded', { retryAfterMs: RETRY_AFTER_MS });
  }

  /** Counts a request out. */
  done(): void {
    this.running = Math.max(0, this.running - 1);
  }

  /** From now on the node is not ready for new requests. */
  drain(): void {
    this.draining = true;
  }

  /** Resolves when nothing is under way, or after the given milliseconds. */
  async idle(waitMs: number): Promise<void> {
    const deadlineMs = performance.now() + waitMs;
    while (this.running > 0 && performance.now() < deadlineMs) await sleep(LOOK_EVERY_MS);
  }
}
