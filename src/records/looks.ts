/** How long a follower waits between two looks, in milliseconds. */
export interface LookTimes {
  /** While the ledger of this node writes, or a look has left something. */
  readonly busyMs: number;
  /** While it does not: for what a node has left that died right after it wrote. */
  readonly quietMs: number;
}

/** What follows the rows of requests beside them. */
export interface Follower {
  readonly times: LookTimes;
  /** Reads what is worth it. @returns true where nothing is left that a further look would find */
  readonly look: () => Promise<boolean>;
}

/**
 * When a follower looks. What this node writes it counts itself, so that a gateway without requests
 * asks the database hardly anything; and under load the time between two looks is what makes of
 * many rows one batch.
 */
export class Looks {
  private isLooking = false;
  /** What the ledger of this node had written before a look that left nothing. */
  private seenOps = -1;
  private lookedMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly follower: Follower,
    private readonly writtenOps: () => number,
  ) {}

  /** Looks where it is time to; called more often than that it does nothing. */
  async lookWhenDue(nowMs = performance.now()): Promise<void> {
    const ops = this.writtenOps();
    const { busyMs, quietMs } = this.follower.times;
    const waitMs = ops === this.seenOps ? quietMs : busyMs;
    if (this.isLooking || nowMs - this.lookedMs < waitMs) return;
    this.isLooking = true;
    this.lookedMs = nowMs;
    try {
      if (await this.follower.look()) this.seenOps = ops;
    } finally {
      this.isLooking = false;
    }
  }
}
