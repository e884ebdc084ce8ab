import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { fail } from '../../kernel/errors/fail.js';
import { run } from './connection.js';
import { faultOf } from './faults.js';
import type { Ledger, PostOp, PostOutcome, RefundOp, RequestRef } from './ledger.js';
import { POST } from './statements.js';

/** No posting is sent again after this long; one that waits for its answer may take 2 s more. */
const POST_MS_MAX = 1_000;

/** The postings of people and of the platform. */
export function postings(pool: Pool): Pick<Ledger, 'topUp' | 'refund' | 'adjust' | 'credit'> {
  return {
    topUp: (op) => post(pool, 'top_up', op),
    refund: (op) => post(pool, 'refund', op),
    adjust: (op) => post(pool, 'adjustment', op),
    credit: (op) => post(pool, 'credit', op),
  };
}

interface PostRow {
  readonly status: PostOutcome['status'];
  readonly posted: string;
  readonly held: string;
  readonly version: string;
}

/** Idempotent, so a posting whose answer was lost is sent again. */
async function post(pool: Pool, type: string, op: PostOp & RefundOp): Promise<PostOutcome> {
  const { accountId, requestId, amountMicro, description, actorId, chargedRequestId } = op;
  const values = [accountId, requestId, type, amountMicro, description, actorId, chargedRequestId];
  const deadlineMs = performance.now() + POST_MS_MAX;
  for (;;) {
    try {
      const [row] = await run<PostRow & Record<string, unknown>>(pool, POST, values);
      if (!row) throw new Error('ledger_post gave no row');
      return {
        status: row.status,
        postedMicro: BigInt(row.posted),
        heldMicro: BigInt(row.held),
        accountVersion: BigInt(row.version),
      };
    } catch (error) {
      if (faultOf(error) === 'statement') throw error;
      if (performance.now() > deadlineMs) {
        fail('ledger_unavailable', { retryAfterMs: 1_000, cause: error });
      }
      await sleep(100);
    }
  }
}

/** As recovery describes the same refund, of which there is one a request. */
const UNREAD = 'The answer did not reach the client';
const AGAIN_MS = 1_000;

/**
 * Refunds of charges whose answer nobody gets. They are tried until they stand; what is left when
 * the process ends is refunded by recovery, since no mark has made the charge final.
 */
export class UnreadRefunds {
  #isStopped = false;

  /** @param ended told of each charge that has been given back whole */
  constructor(
    private readonly pool: Pool,
    private readonly log: Logger,
    private readonly ended: (ref: RequestRef) => void,
  ) {}

  async refund(ref: RequestRef, amountMicro: bigint): Promise<void> {
    if (amountMicro === 0n) return this.ended(ref);
    const facts = { ...ref, amountMicro, description: UNREAD, chargedRequestId: ref.requestId };
    while (!this.#isStopped) {
      try {
        const { status } = await post(this.pool, 'refund', facts);
        const words = { request_id: ref.requestId, status };
        this.log.warn(words, 'a charge that was answered too late is refunded');
        // Where somebody has refunded a part of it meanwhile, recovery refunds the rest.
        if (status === 'ok' || status === 'duplicate') this.ended(ref);
        return;
      } catch (error) {
        if (faultOf(error) === 'statement') {
          const words = { err: error, request_id: ref.requestId };
          this.log.error(words, 'a charge that was answered too late is not refunded');
          return;
        }
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}
