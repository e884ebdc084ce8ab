import type { Ctx } from '../../graph/ctx.js';
import { failOnFaults, GatewayError } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { WireBody } from '../../kernel/wire.js';
import { chatAnswerText, measure, tokensIn } from '../measure.js';
import { abandon, prepare } from '../prepare.js';
import { appendMember } from '../splice.js';
import { giveBack } from '../stages/admit.js';
import { authenticate } from '../stages/authenticate.js';
import { call } from '../stages/call.js';
import { firewallOut } from '../stages/firewall-out.js';
import { receiptHeaders, receipts } from '../stages/receipts.js';
import { type Prepared, settle } from '../stages/settle.js';
import type { UpstreamAnswer } from '../upstream/call.js';
import { wireUsage } from '../upstream/usage.js';
import { readChatRequest } from './request.js';

/**
 * Answers a chat request in one piece: authenticate, admit, firewall in, route, hold, call,
 * firewall out, settle, receipts.
 * @throws whatever a stage refuses with; then nothing is charged
 */
export async function completeChat(ctx: Ctx, body: unknown): Promise<WireBody> {
  const caller = authenticate(ctx);
  const request = readChatRequest(body, bodyBytesOf(ctx, body));
  if (request.stream) {
    const message = 'stream: true is answered by the subscription chatCompletionStream.';
    failOnFaults([{ path: 'stream', code: 'invalid', message }]);
  }
  const prepared = await prepare(caller, request);
  try {
    const calledMs = performance.now();
    const answer = await call(caller, request, prepared.inspected, prepared.route);
    return await finish(prepared, answer, performance.now() - calledMs);
  } catch (thrown) {
    await abandon(prepared, thrown);
    throw thrown;
  }
}

/** The size of a body: as it came, or as it would be written. */
export function bodyBytesOf(ctx: Ctx, body: unknown): number {
  return ctx.transport.rawBody?.length ?? Buffer.byteLength(JSON.stringify(body) ?? '');
}

async function finish(
  prepared: Prepared,
  answer: UpstreamAnswer,
  upstreamMs: number,
): Promise<WireBody> {
  if (answer.kind !== 'whole') throw new TypeError('a whole answer was asked for');
  const { request, admission, inspected, ctx } = prepared;
  const parsed = parseAnswer(answer.body);
  const measured = await measure(request, parsed.usage, () => chatAnswerText(parsed));
  const out = firewallOut(parsed, admission.policy, inspected);
  const wire = normalised(out.body, answer.deployment.id, wireUsage(measured.usage));
  const settled = await settle(prepared, {
    usage: measured.usage,
    usageSource: measured.usageSource,
    rawUsage: measured.rawUsage,
    deployment: answer.deployment,
    attempts: answer.attempts,
    status: 'complete',
    finishReason: finishReasonOf(parsed),
    timeToFirstTokenMs: undefined,
    upstreamMs,
  });
  giveBack(ctx, admission, tokensIn(measured.usage));
  Object.assign(ctx.transport.headers, receiptHeaders(prepared, settled));
  const added = receipts(prepared, settled, out);
  const untouched = wire === parsed;
  if (untouched) return new WireBody(appendMember(answer.body, added));
  return new WireBody(Buffer.from(JSON.stringify({ ...wire, ...added })));
}

function parseAnswer(body: Buffer): JsonObject {
  try {
    const parsed = asObject(JSON.parse(body.toString('utf8')));
    if (parsed && Array.isArray(parsed.choices)) return parsed;
  } catch {
    // Falls through: what is not JSON is no answer.
  }
  throw new GatewayError('upstream_failed', {
    values: { reason: 'its answer is not a chat completion' },
  });
}

function finishReasonOf({ choices }: JsonObject): string | undefined {
  const reason = asObject((choices as unknown[])[0])?.finish_reason;
  return typeof reason === 'string' ? reason : undefined;
}

/**
 * The answer in the shape that clients rely on: the public model name, usage with its details,
 * `refusal` and `logprobs` present. The same object where nothing is missing.
 */
function normalised(answer: JsonObject, model: string, usage: object): JsonObject {
  const choices = answer.choices as JsonObject[];
  const complete =
    answer.model === model &&
    choices.every((choice) => {
      const message = asObject(choice.message);
      return message && 'refusal' in message && 'logprobs' in choice;
    }) &&
    hasUsageDetails(answer.usage);
  if (complete) return answer;
  return {
    ...answer,
    model,
    choices: choices.map((choice) => ({
      ...choice,
      message: { refusal: null, ...asObject(choice.message) },
      logprobs: choice.logprobs ?? null,
    })),
    usage: { ...asObject(answer.usage), ...usage },
  };
}

function hasUsageDetails(usage: unknown): boolean {
  const given = asObject(usage);
  return (
    asObject(given?.prompt_tokens_details)?.cached_tokens !== undefined &&
    asObject(given?.completion_tokens_details)?.reasoning_tokens !== undefined
  );
}
