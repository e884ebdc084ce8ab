import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { outageOf, warnUnlessAway } from '../../platform/database/outage.js';
import { run } from './connection.js';
import { faultOf } from './faults.js';
import { BEAT, NODE_STATE, RECOVER, RETIRE, SWEEP, TAKE_OVER } from './statements.js';

/** How often and how long, in milliseconds. */
export interface NodeEpochTimes {
  /** Between two signs of life. */
  readonly beatMs: number;
  /** Between two looks for nodes that are gone. */
  readonly sweepMs: number;
  /** A node that was not seen for this long, by the database's clock, is gone. */
  readonly unseenMs: number;
}

const RECOVER_OPS_MAX = 500;

/**
 * This process as one of the nodes: its epoch, its signs of life, and the recovery of what others
 * left behind when they died.
 */
export class NodeEpoch {
  readonly #pool: Pool;
  readonly #nodeId: string;
  readonly #log: Logger;
  readonly #times: NodeEpochTimes;
  #owner = randomUUID();
  #epoch = 0n;
  #superseded = false;
  #beating = false;
  /** Since when this process has been seen by the database without a gap. */
  #steadySinceMs = performance.now();
  #timers: NodeJS.Timeout[] = [];
  #reachable = true;

  constructor(pool: Pool, nodeId: string, log: Logger, times: NodeEpochTimes) {
    this.#pool = pool;
    this.#nodeId = nodeId;
    this.#log = log;
    this.#times = times;
  }

  get epoch(): bigint {
    return this.#epoch;
  }

  get superseded(): boolean {
    return this.#superseded;
  }

  /** False when the last sign of life did not get through. */
  get reachable(): boolean {
    return this.#reachable;
  }

  /** Makes this process the node's only one; every earlier one is refused from now on. */
  async takeOver(): Promise<void> {
    const [row] = await run<{ epoch: string }>(this.#pool, TAKE_OVER, [this.#nodeId, this.#owner]);
    this.#epoch = BigInt(row?.epoch ?? 0);
    this.#steadySinceMs = performance.now();
  }

  /** As takeOver, and what this process itself has left open until now belongs to recovery. */
  async takeOverAnew(): Promise<void> {
    this.#owner = randomUUID();
    await this.takeOver();
  }

  /**
   * Called when a statement was refused for its epoch. A process that was taken for dead comes back
   * with its open requests; one whose name another process has taken stops for ever.
   */
  async rejoin(): Promise<void> {
    const [row] = await run<{ owner: string; retired: boolean }>(this.#pool, NODE_STATE, [
      this.#nodeId,
    ]);
    if (row && row.owner !== this.#owner) {
      this.#superseded = true;
      this.#log.fatal({ node_id: this.#nodeId }, 'another process serves under this node id');
      return;
    }
    await this.takeOver();
    this.#log.warn({ epoch: this.#epoch.toString() }, 'ledger epoch taken over again');
  }

  /** Resolves every request that ended epochs left open, of this node and of others. */
  async recover(): Promise<void> {
    for (;;) {
      const [row] = await run<{ released: number; finalized: number; refunded: number }>(
        this.#pool,
        RECOVER,
        [this.#nodeId, this.#epoch, RECOVER_OPS_MAX],
      );
      if (!row || row.released + row.finalized + row.refunded === 0) return;
      this.#log.warn({ ...row }, 'ledger requests of ended epochs resolved');
    }
  }

  startTimers(): void {
    const every = (ms: number, task: () => Promise<void>) =>
      this.#timers.push(setInterval(() => void task(), ms).unref());
    every(this.#times.beatMs, () => this.#beat());
    every(this.#times.sweepMs, () => this.#sweep());
  }

  stopTimers(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
  }

  /** Ends the epoch of this process. */
  async retire(): Promise<void> {
    await run(this.#pool, RETIRE, [this.#nodeId, this.#epoch]);
  }

  async #beat(): Promise<void> {
    if (this.#beating || this.#superseded) return;
    this.#beating = true;
    try {
      const [row] = await run<{ gap_ms: number }>(this.#pool, BEAT, [this.#nodeId, this.#epoch]);
      this.#reachable = true;
      outageOf(this.#log).answered();
      if ((row?.gap_ms ?? 0) > this.#times.unseenMs / 2) this.#steadySinceMs = performance.now();
    } catch (error) {
      this.#reachable = false;
      warnUnlessAway(this.#log, error, 'ledger beat not answered');
      if (faultOf(error) === 'fenced') await this.rejoin().catch(() => {});
    } finally {
      this.#beating = false;
    }
  }

  /**
   * After the database itself was away, every node looks unseen. So only a process that has been
   * seen for as long as it takes to be gone may judge others.
   */
  async #sweep(): Promise<void> {
    if (this.#superseded || !this.#reachable) return;
    if (performance.now() - this.#steadySinceMs < this.#times.unseenMs) return;
    try {
      const [row] = await run<{ nodes: string[] }>(this.#pool, SWEEP, [this.#times.unseenMs]);
      const nodes = row?.nodes ?? [];
      if (nodes.length > 0) this.#log.warn({ nodes }, 'ledger nodes are gone');
      await this.recover();
    } catch (error) {
      warnUnlessAway(this.#log, error, 'ledger sweep failed');
    }
  }
}
