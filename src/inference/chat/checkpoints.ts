import type { Deployment } from '../../catalog/providers/model.js';
import { NO_USAGE } from '../../catalog/providers/price.js';
import { billOf, type Prepared } from '../bill.js';
import { tokensAbout } from '../upstream/tokens.js';
import { usageRow } from '../usage-row.js';

const EVERY_MS = 1_000;

/**
 * The cost so far of a long stream, told to the ledger every second: after a crash the request is
 * charged about what had been produced. An event counts as a token.
 */
export class Checkpoints {
  private events = 0;
  private lastMs = performance.now();

  constructor(private readonly prepared: Prepared) {}

  /** Counts events, and tells the ledger when a second has passed. */
  advance(events: number, deployment: Deployment): void {
    const { ctx, request, startedMs } = this.prepared;
    this.events += events;
    const nowMs = performance.now();
    if (nowMs - this.lastMs < EVERY_MS) return;
    this.lastMs = nowMs;
    const input = tokensAbout(request.size);
    const bill = billOf(this.prepared, {
      deployment,
      attempts: [],
      status: 'partial',
      usage: { ...NO_USAGE, input_uncached: input, output_text: this.events },
      usageSource: 'estimated',
      rawUsage: null,
      finishReason: undefined,
      timeToFirstTokenMs: undefined,
      upstreamMs: nowMs - startedMs,
      cachedMs: undefined,
    });
    ctx.services.ledger.checkpoint({
      accountId: ctx.who.accountId,
      requestId: ctx.requestId,
      amountMicro: bill.costMicro,
      usage: usageRow(this.prepared, bill),
    });
  }
}
