import type { AuthorizedCtx, Ctx } from '../graph/ctx.js';
import { GatewayError } from '../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../kernel/json.js';
import { WireBody } from '../kernel/wire.js';
import { type Bill, billOf, type Prepared } from './bill.js';
import { ControlsChanged } from './controls-changed.js';
import { attemptUnderKey } from './kept-answer.js';
import type { Measured } from './measure.js';
import { prepare } from './prepare.js';
import type { InferenceRequest } from './request.js';
import { fetchAnswer, isKeepable } from './response-cache/fetch.js';
import type { CacheTurn } from './response-cache/response-cache.js';
import { receiptHeaders } from './stages/receipts.js';
import { release, settle } from './stages/settle.js';
import type { WholeAnswer } from './upstream/call.js';

/** A provider's whole answer to a prepared request. */
export interface Called {
  readonly prepared: Prepared;
  readonly answer: WholeAnswer;
  readonly upstreamMs: number;
  /** How old an answer from the cache is. */
  readonly cachedMs: number | undefined;
}

/** An answer that is ready to leave, with its bill. */
export interface Finished {
  readonly body: Buffer;
  readonly bill: Bill;
}

/**
 * Takes a request through the stages up to the provider's answer, makes the client's answer of it
 * by `finish`, and charges it. Whatever fails before the charge gives the hold back; after it
 * nothing can fail, as the answer is complete by then.
 * @throws whatever a stage refuses with; then nothing is charged
 */
export async function answerWhole(
  caller: AuthorizedCtx,
  request: InferenceRequest,
  finish: Finish,
): Promise<WireBody> {
  try {
    return await answerPrepared(await prepare(caller, request), finish);
  } catch (thrown) {
    if (!(thrown instanceof ControlsChanged)) throw thrown;
    // A change has overtaken the charge of a kept answer: now it is decided with a hold first.
    caller.services.controls.forget(caller.who.tenantId);
    return answerPrepared(await prepare(caller, request, 'hold_first'), finish);
  }
}

/** Makes the client's answer of a provider's. */
type Finish = (called: Called) => Finished | Promise<Finished>;

async function answerPrepared(prepared: Prepared, finish: Finish): Promise<WireBody> {
  const { ctx } = prepared;
  let turn: CacheTurn | undefined;
  try {
    const calledMs = performance.now();
    turn = await fetchAnswer(prepared);
    const { answer, cachedMs } = turn;
    const { spans } = ctx.transport;
    spans?.passed('call');
    if (answer.kind !== 'whole') throw new TypeError('a whole answer was asked for');
    const upstreamMs = performance.now() - calledMs;
    const called = { prepared, answer, upstreamMs, cachedMs };
    const { body, bill } = await withinDepth(() => finish(called));
    spans?.passed('answer');
    await settle(prepared, bill, { answer: body });
    turn.done(isKeepable(prepared, bill) ? 'kept' : 'own');
    Object.assign(ctx.transport.headers, receiptHeaders(prepared, bill));
    return new WireBody(body);
  } catch (thrown) {
    turn?.done('left');
    await release(prepared, thrown);
    throw thrown;
  }
}

/** What is nested deeper than the stack is no answer of the wire, and no fault of ours. */
async function withinDepth<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new GatewayError('upstream_failed', {
      values: { reason: 'its answer is nested too deep' },
    });
  }
}

/**
 * The same under the key of the request, where it has one: an answer that stands is given again.
 * @throws idempotency_in_progress, idempotency_answer_not_kept
 */
export async function answerOnce(
  caller: AuthorizedCtx,
  make: (ctx: AuthorizedCtx) => Promise<WireBody>,
): Promise<WireBody> {
  if (!caller.keyed) return make(caller);
  const attempt = await attemptUnderKey(caller, caller.keyed);
  return attempt.kind === 'answered' ? new WireBody(attempt.answer) : make(attempt.ctx);
}

/** The bill of a whole answer. */
export function billWhole(
  { prepared, answer, upstreamMs, cachedMs }: Called,
  measured: Measured,
  finishReason: string | undefined,
  schemaValid?: boolean,
): Bill {
  return billOf(prepared, {
    usage: measured.usage,
    usageSource: measured.usageSource,
    rawUsage: measured.rawUsage,
    usageFault: measured.usageFault,
    claimed: measured.claimed,
    deployment: answer.deployment,
    attempts: answer.attempts,
    status: 'complete',
    finishReason,
    schemaValid,
    timeToFirstTokenMs: undefined,
    upstreamMs,
    cachedMs,
  });
}

/**
 * A provider's answer, which must be a JSON object with this list in it.
 * @throws upstream_failed
 */
export function parseAnswer(body: Buffer, list: string, meaning: string): JsonObject {
  try {
    const parsed = asObject(JSON.parse(body.toString('utf8')));
    if (parsed && Array.isArray(parsed[list])) return parsed;
  } catch {
    // Falls through: what is not JSON is no answer.
  }
  throw new GatewayError('upstream_failed', {
    values: { reason: `its answer is not ${meaning}` },
  });
}

/** The size of a body: as it came, or as it would be written. */
export function bodyBytesOf(ctx: Ctx, body: unknown): number {
  return ctx.transport.rawBody?.length ?? Buffer.byteLength(JSON.stringify(body) ?? '');
}
