import type { Deployment } from '../../catalog/providers/model.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { type GatewayError, toGatewayError } from '../../kernel/errors/fail.js';
import type { AnswerFacts } from '../../platform/request-spans.js';
import type { Bill, Prepared } from '../bill.js';
import { ControlsChanged } from '../controls-changed.js';
import { sealAnswer } from '../kept-answer.js';
import { tokensIn } from '../measure.js';
import type { ModelOutcome } from '../model-metrics.js';
import { chargeKept } from '../response-cache/at-once.js';
import type { Attempt } from '../upstream/call.js';
import { UpstreamAborted, UpstreamFailure } from '../upstream/failure.js';
import { failedRow, usageRow } from '../usage-row.js';
import { admitAnew, giveTokensBack } from './admit.js';
import type { ChosenRoute } from './route.js';

/** How an answer goes to its client. */
export interface Delivery {
  /** The bytes of the answer; a keyed request keeps them with its charge. */
  readonly answer: Buffer;
  /** True when nobody waits for it any more. */
  readonly unread?: boolean;
}

/**
 * Charges a bill and writes its usage row, in one transaction. The charge is final when the answer
 * has left, or at once where the answer is kept for its key.
 */
export async function settle(
  prepared: Prepared,
  bill: Bill,
  { answer, unread = false }: Delivery,
): Promise<void> {
  const { ctx, claim } = prepared;
  const tokens = tokensIn(bill.outcome.usage);
  if (!claim.close(tokens)) return;
  const kept = sealAnswer(ctx, answer);
  const isFinal = unread || kept !== undefined || ctx.transport.onFinished === undefined;
  try {
    const settled = prepared.kept
      ? await chargeKept(prepared, bill, isFinal)
      : await ctx.services.ledger.settle({
          accountId: ctx.who.accountId,
          requestId: ctx.requestId,
          amountMicro: bill.costMicro,
          usage: usageRow(prepared, bill),
          delivered: isFinal,
          ...(bill.overrun && { overrun: bill.overrun }),
          ...(kept && { answer: kept }),
        });
    // What an earlier attempt under the key has charged was counted then.
    const isFirst = settled.status === 'ok' || settled.status === 'journaled';
    if (isFirst) ctx.services.modelMetrics.charged(bill, settled.chargedMicro);
    const { spans } = ctx.transport;
    if (spans) {
      spans.passed('settle');
      spans.answer = answerFacts(prepared, bill);
    }
    if (!isFinal) claim.charged();
    if (bill.overrun) tellOverrun(ctx, bill);
    if (settled.uncollectedMicro > 0n) {
      const uncollectedMicro = settled.uncollectedMicro.toString();
      const facts = { requestId: ctx.requestId, uncollectedMicro };
      ctx.services.log.error(facts, 'a request cost more than its hold');
    }
  } catch (thrown) {
    // The ledger could not write the charge. Nothing is charged then, and nothing stays held.
    // A kept answer has used no tokens either: nobody gets it.
    if (prepared.kept) giveTokensBack(ctx, prepared.admission, tokens);
    await giveHoldBack(prepared, thrown);
    throw thrown;
  } finally {
    claim.settled();
  }
}

function answerFacts({ startedMs }: Prepared, { outcome }: Bill): AnswerFacts {
  const { usage, finishReason, timeToFirstTokenMs: firstMs } = outcome;
  return {
    inputTokens: usage.input_uncached + usage.input_cached + usage.cache_write,
    cachedTokens: usage.input_cached,
    outputTokens: usage.output_text + usage.output_reasoning,
    reasoningTokens: usage.output_reasoning,
    finishReason,
    firstTokenAtMs: firstMs === undefined ? undefined : startedMs + firstMs,
  };
}

/** A deployment that claims more than was asked for is told to the operator, and discredited. */
function tellOverrun(ctx: AuthorizedCtx, { outcome, overrun, costMicro }: Bill): void {
  ctx.services.upstream.discredit(outcome.deployment, 'usage_beyond_bounds');
  const facts = {
    requestId: ctx.requestId,
    deployment: outcome.deployment.key,
    chargedMicro: costMicro.toString(),
    reportedMicro: overrun?.costMicro.toString(),
  };
  ctx.services.log.warn(facts, 'an upstream reported more than the request allowed');
}

/** Gives the hold of a failed request back and records the failure. It costs nothing. */
export async function release(prepared: Prepared, thrown: unknown): Promise<void> {
  const { claim } = prepared;
  if (!claim.close(0)) return;
  await giveHoldBack(prepared, thrown).finally(() => claim.settled());
}

async function giveHoldBack(prepared: Prepared, thrown: unknown): Promise<void> {
  const { ctx, route, admission } = prepared;
  // Nothing was held for a kept answer; where it is decided again, it has not ended.
  if (prepared.kept && thrown instanceof ControlsChanged) return admitAnew(ctx, admission);
  const attempts =
    thrown instanceof UpstreamFailure || thrown instanceof UpstreamAborted ? thrown.attempts : [];
  const aborted = thrown instanceof UpstreamAborted;
  const error = aborted ? undefined : toGatewayError(thrown);
  const deployment = lastTried(route, attempts);
  const { modelMetrics } = ctx.services;
  modelMetrics.ended(deployment?.providerId, deployment?.id ?? route.chosen.id, outcomeOf(error));
  if (prepared.kept) return;
  await ctx.services.ledger.release({
    accountId: ctx.who.accountId,
    requestId: ctx.requestId,
    usage: failedRow(prepared, {
      deployment,
      errorCode: error?.code ?? 'client_closed_request',
      httpStatus: error?.status ?? CLIENT_CLOSED_REQUEST,
      attempts: attempts.length,
    }),
  });
}

/** @param error undefined where the client has left */
export function outcomeOf(error: GatewayError | undefined): ModelOutcome {
  if (error === undefined) return 'left';
  const isFault = error.status >= 500 || error.code.startsWith('upstream_');
  return isFault ? 'failed' : 'refused';
}

/** The status that proxies log for a client that went away; it is never sent. */
const CLIENT_CLOSED_REQUEST = 499;

function lastTried(route: ChosenRoute, attempts: readonly Attempt[]): Deployment | undefined {
  const key = attempts.at(-1)?.deployment;
  return route.chain.find((deployment) => deployment.key === key) ?? route.chain[0];
}
