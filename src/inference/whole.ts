import type { AuthorizedCtx, Ctx } from '../graph/ctx.js';
import { GatewayError } from '../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../kernel/json.js';
import type { WireBody } from '../kernel/wire.js';
import { type Measured, tokensIn } from './measure.js';
import { abandon, prepare } from './prepare.js';
import type { InferenceRequest } from './request.js';
import { giveBack } from './stages/admit.js';
import { call } from './stages/call.js';
import { receiptHeaders } from './stages/receipts.js';
import { type Prepared, type Settled, settle } from './stages/settle.js';
import type { WholeAnswer } from './upstream/call.js';

/** A provider's whole answer to a prepared request. */
export interface Called {
  readonly prepared: Prepared;
  readonly answer: WholeAnswer;
  readonly upstreamMs: number;
}

/**
 * Takes a request through the stages up to the provider's answer; `finish` makes the client's
 * answer of it and settles. Whatever fails before that gives the hold back.
 * @throws whatever a stage refuses with; then nothing is charged
 */
export async function answerWhole(
  caller: AuthorizedCtx,
  request: InferenceRequest,
  finish: (called: Called) => Promise<WireBody>,
): Promise<WireBody> {
  const prepared = await prepare(caller, request);
  try {
    const calledMs = performance.now();
    const answer = await call(caller, request, prepared.inspected, prepared.route);
    if (answer.kind !== 'whole') throw new TypeError('a whole answer was asked for');
    return await finish({ prepared, answer, upstreamMs: performance.now() - calledMs });
  } catch (thrown) {
    await abandon(prepared, thrown);
    throw thrown;
  }
}

/** Charges a whole answer, gives back what the request did not use, and names it in headers. */
export async function settleWhole(
  { prepared, answer, upstreamMs }: Called,
  measured: Measured,
  finishReason: string | undefined,
  schemaValid?: boolean,
): Promise<Settled> {
  const settled = await settle(prepared, {
    usage: measured.usage,
    usageSource: measured.usageSource,
    rawUsage: measured.rawUsage,
    deployment: answer.deployment,
    attempts: answer.attempts,
    status: 'complete',
    finishReason,
    schemaValid,
    timeToFirstTokenMs: undefined,
    upstreamMs,
  });
  giveBack(prepared.ctx, prepared.admission, tokensIn(measured.usage));
  Object.assign(prepared.ctx.transport.headers, receiptHeaders(prepared, settled));
  return settled;
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
