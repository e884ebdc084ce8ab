import { dropCheckpoint, takeFront } from './batch.js';
import { isAwaited, takes, type Waiting } from './waiting.js';

const BATCH_OPS_MAX = 256;

/** What has been accepted and is in no batch yet, in its order. */
export class Backlog {
  /** What takes money. */
  readonly holds: Waiting[] = [];
  readonly settles: Waiting[] = [];

  get length(): number {
    return this.holds.length + this.settles.length;
  }

  get isFull(): boolean {
    return this.length >= BATCH_OPS_MAX;
  }

  /** True where the next batch need not wait for others: somebody waits for it, or it is full. */
  get isDue(): boolean {
    return this.isFull || this.holds.length > 0 || this.settles.some(isAwaited);
  }

  /** Of a request's checkpoints the last one counts. */
  add(waiting: Waiting): void {
    if (waiting.kind === 'checkpoint') dropCheckpoint(this.settles, waiting.ref);
    (takes(waiting.kind) ? this.holds : this.settles).push(waiting);
  }

  /**
   * Takes the operations of the next batch. Settles go before holds: they free money, and their
   * streams are waiting to end.
   */
  take(): readonly Waiting[] {
    const first = takeFront(this.settles, BATCH_OPS_MAX);
    return first.concat(takeFront(this.holds, BATCH_OPS_MAX - first.length));
  }

  /** Takes everything. */
  clear(): readonly Waiting[] {
    return [...this.settles.splice(0), ...this.holds.splice(0)];
  }
}
