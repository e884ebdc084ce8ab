import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Pool } from 'pg';
import type { Ledger } from '../../money/ledger/ledger.js';

/** How late a node is, as a multiple of the aim: 1 where it is just as late as it may be. */
export interface Pressures {
  /** Of everything that a request needs: the event loop and the batches of the ledger. */
  readonly work: number;
  /** The same, and the wait for a connection to the database. */
  readonly reports: number;
}

/** Measures how late a node is. */
export interface PressureGauge {
  /** Begins to measure. */
  start(): void;
  stop(): void;
  /** What stood since the last reading. */
  read(): Pressures;
}

/** A timer of the event loop that is due so often tells how long a turn takes. */
const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;

/** What is aimed at, in milliseconds beyond which requests are refused. */
const AIMS_MS = { loop: 20, ledger: 250, pool: 100 } as const;

/** Measures the node by its event loop, its ledger and the queues of its pools. */
export class NodePressure implements PressureGauge {
  private readonly loop: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private readonly queues: readonly PoolQueue[];

  constructor(
    private readonly ledger: Ledger,
    pools: readonly Pool[],
  ) {
    this.queues = pools.map((pool) => new PoolQueue(pool));
  }

  start(): void {
    this.loop.reset();
    this.loop.enable();
  }

  stop(): void {
    this.loop.disable();
  }

  read(): Pressures {
    const work = Math.max(this.loopDelayMs() / AIMS_MS.loop, this.ledgerDelayMs() / AIMS_MS.ledger);
    const waitMs = Math.max(...this.queues.map((queue) => queue.waitMs()));
    return { work, reports: Math.max(work, waitMs / AIMS_MS.pool) };
  }

  /** The shortest of the turns: one long turn among short ones is no queue. */
  private loopDelayMs(): number {
    const { count, min } = this.loop;
    this.loop.reset();
    return count === 0 ? 0 : Math.max(0, min / NS_PER_MS - RESOLUTION_MS);
  }

  /** What has to wait for a batch waits at least for the one before. */
  private ledgerDelayMs(): number {
    const { queuedOps, lastBatchMs } = this.ledger.gauges();
    return queuedOps > 0 && this.ledger.healthy() ? lastBatchMs : 0;
  }
}

/** How long one has to wait for a connection of a pool: where somebody waits, it queues as well. */
class PoolQueue {
  private askedMs: number | undefined;
  private lastMs = 0;

  constructor(private readonly pool: Pool) {}

  waitMs(): number {
    const nowMs = performance.now();
    if (this.askedMs !== undefined) return Math.max(this.lastMs, nowMs - this.askedMs);
    if (this.pool.waitingCount === 0) this.lastMs = 0;
    else this.ask(nowMs);
    return this.lastMs;
  }

  private ask(nowMs: number): void {
    this.askedMs = nowMs;
    const answered = () => {
      this.lastMs = performance.now() - nowMs;
      this.askedMs = undefined;
    };
    this.pool.connect().then((client) => {
      client.release();
      answered();
    }, answered);
  }
}
