import type { Deployment } from '../../catalog/providers/model.js';
import { NO_USAGE } from '../../catalog/providers/price.js';
import { costOf, type Prepared, usageRecord } from '../stages/settle.js';
import { tokensAbout } from '../upstream/tokens.js';

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
    this.events += events;
    const nowMs = performance.now();
    if (nowMs - this.lastMs < EVERY_MS) return;
    this.lastMs = nowMs;
    const { ctx, request, route, startedMs } = this.prepared;
    const usage = {
      ...NO_USAGE,
      input_uncached: tokensAbout(request.size),
      output_text: this.events,
    };
    const { price, costMicro } = costOf({ deployment, usage }, route.day);
    const latencyMs = nowMs - startedMs;
    const outcome = {
      deployment,
      attempts: [],
      status: 'partial' as const,
      usage,
      usageSource: 'estimated' as const,
      rawUsage: null,
      finishReason: undefined,
      timeToFirstTokenMs: undefined,
      upstreamMs: latencyMs,
    };
    ctx.services.ledger.checkpoint({
      accountId: ctx.who.accountId,
      requestId: ctx.requestId,
      amountMicro: costMicro,
      usage: usageRecord(this.prepared, outcome, price, latencyMs, 0),
    });
  }
}
