import type { Ctx } from '../../graph/ctx.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { WireBody } from '../../kernel/wire.js';
import { bodyBytesOf } from '../chat/complete.js';
import { measure, tokensIn } from '../measure.js';
import { abandon, prepare } from '../prepare.js';
import { giveBack } from '../stages/admit.js';
import { authenticate } from '../stages/authenticate.js';
import { call } from '../stages/call.js';
import { receiptHeaders, receipts } from '../stages/receipts.js';
import { type Prepared, settle } from '../stages/settle.js';
import type { UpstreamAnswer } from '../upstream/call.js';
import { readEmbeddingsRequest } from './request.js';

/**
 * Answers an embeddings request; the stages are those of a chat.
 * @throws whatever a stage refuses with; then nothing is charged
 */
export async function createEmbeddings(ctx: Ctx, body: unknown): Promise<WireBody> {
  const caller = authenticate(ctx);
  const request = readEmbeddingsRequest(body, bodyBytesOf(ctx, body));
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

async function finish(
  prepared: Prepared,
  answer: UpstreamAnswer,
  upstreamMs: number,
): Promise<WireBody> {
  if (answer.kind !== 'whole') throw new TypeError('a whole answer was asked for');
  const { request, admission, ctx } = prepared;
  const parsed = parseAnswer(answer.body);
  const data = (parsed.data as JsonObject[]).map((item) => encoded(item, request.body));
  const measured = await measure(request, parsed.usage, () => '');
  const settled = await settle(prepared, {
    ...measured,
    deployment: answer.deployment,
    attempts: answer.attempts,
    status: 'complete',
    finishReason: undefined,
    timeToFirstTokenMs: undefined,
    upstreamMs,
  });
  giveBack(ctx, admission, tokensIn(measured.usage));
  Object.assign(ctx.transport.headers, receiptHeaders(prepared, settled));
  const tokens = measured.usage.input_uncached + measured.usage.input_cached;
  const wire = {
    ...parsed,
    data,
    model: answer.deployment.id,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    ...receipts(prepared, settled, { findings: [], masked: [] }),
  };
  return new WireBody(Buffer.from(JSON.stringify(wire)));
}

function parseAnswer(body: Buffer): JsonObject {
  try {
    const parsed = asObject(JSON.parse(body.toString('utf8')));
    if (parsed && Array.isArray(parsed.data)) return parsed;
  } catch {
    // Falls through: what is not JSON is no answer.
  }
  throw new GatewayError('upstream_failed', {
    values: { reason: 'its answer is not a list of embeddings' },
  });
}

/**
 * A vector in the encoding that the client asked for, whatever the provider sent: a client that
 * expects base64 decodes numbers into garbage without an error.
 */
function encoded(item: JsonObject, { encoding_format: wanted }: JsonObject): JsonObject {
  const { embedding } = item;
  if (wanted === 'base64' && Array.isArray(embedding)) {
    const bytes = Buffer.alloc(embedding.length * 4);
    embedding.forEach((value: number, index) => {
      bytes.writeFloatLE(value, index * 4);
    });
    return { ...item, embedding: bytes.toString('base64') };
  }
  if (wanted !== 'base64' && typeof embedding === 'string') {
    const bytes = Buffer.from(embedding, 'base64');
    const count = Math.floor(bytes.length / 4);
    const values = Array.from({ length: count }, (_, index) => bytes.readFloatLE(index * 4));
    return { ...item, embedding: values };
  }
  return item;
}
