import type { Pool } from 'pg';
import { named } from '../../../platform/database/pool.js';

/** How long a node delivers without saying again that it lives, in milliseconds. */
const LEASE_MS = 5_000;

const UNTIL = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`;

/**
 * A name belongs to one living process (platform/node-name), so a node that finds its own name has
 * been restarted and need not wait for the end of the lease.
 */
const TAKE = `UPDATE webhook_worker SET node_id = $1, term = term + 1, expires_at = ${UNTIL}
  WHERE node_id = $1 OR expires_at < clock_timestamp() RETURNING term`;
const RENEW = `UPDATE webhook_worker SET expires_at = ${UNTIL} WHERE node_id = $1 AND term = $2
  RETURNING term`;
const RELEASE = `UPDATE webhook_worker SET expires_at = 'epoch' WHERE node_id = $1 AND term = $2`;

/** The right to deliver, which one node at a time has. */
export class WorkerLease {
  private term: bigint | undefined;
  private untilMs = 0;

  constructor(
    private readonly pool: Pool,
    private readonly nodeId: string,
  ) {}

  /** True until the lease ends by this process's own clock, which began to count before. */
  get held(): boolean {
    return this.term !== undefined && performance.now() < this.untilMs;
  }

  /** Takes the lease if nobody has it. @returns true when it was taken just now */
  async take(): Promise<boolean> {
    const sinceMs = performance.now();
    const { rows } = await named<{ term: bigint }>(this.pool, 'webhook_worker_take', TAKE, [
      this.nodeId,
    ]);
    this.keep(rows[0]?.term, sinceMs);
    return this.held;
  }

  /** Says that this node lives; without the lease afterwards somebody else has taken it. */
  async renew(): Promise<void> {
    const sinceMs = performance.now();
    const values = [this.nodeId, this.term];
    const { rows } = await named<{ term: bigint }>(
      this.pool,
      'webhook_worker_renew',
      RENEW,
      values,
    );
    this.keep(rows[0]?.term, sinceMs);
  }

  /** Gives the lease up, so that another node need not wait. */
  async release(): Promise<void> {
    if (this.term === undefined) return;
    const values = [this.nodeId, this.term];
    this.term = undefined;
    await named(this.pool, 'webhook_worker_release', RELEASE, values);
  }

  private keep(term: bigint | undefined, sinceMs: number): void {
    this.term = term;
    this.untilMs = sinceMs + LEASE_MS;
  }
}
