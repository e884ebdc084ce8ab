import type { Ctx } from '../../graph/ctx.js';
import type { JsonObject } from '../../kernel/json.js';
import type { WireBody } from '../../kernel/wire.js';
import { measure } from '../measure.js';
import {
  answerOnce,
  answerWhole,
  billWhole,
  bodyBytesOf,
  type Called,
  type Finished,
  parseAnswer,
} from '../non-streaming.js';
import { authenticate } from '../stages/authenticate.js';
import { receipts } from '../stages/receipts.js';
import { statedOutside } from '../stated-outside.js';
import { readEmbeddingsRequest } from './request.js';

/**
 * Answers an embeddings request; the stages are those of a chat.
 * @throws whatever a stage refuses with; then nothing is charged
 */
export async function createEmbeddings(ctx: Ctx, body: unknown): Promise<WireBody> {
  const caller = authenticate(ctx);
  const outside = statedOutside(caller.transport, body);
  const request = readEmbeddingsRequest(body, bodyBytesOf(ctx, body), outside);
  caller.transport.spans?.passed('read');
  return answerOnce(caller, (own) => answerWhole(own, request, finish));
}

async function finish(called: Called): Promise<Finished> {
  const { prepared, answer } = called;
  const { request, inspected } = prepared;
  const parsed = parseAnswer(answer.body, 'data', 'a list of embeddings');
  const data = (parsed.data as JsonObject[]).map((item) => encoded(item, request.body));
  const measured = await measure(request, {
    sent: inspected.inspection.body,
    raw: parsed.usage,
    text: () => '',
    deployment: called.cachedMs === undefined ? answer.deployment : undefined,
  });
  const bill = billWhole(called, measured, undefined);
  const tokens = bill.outcome.usage.input_uncached + bill.outcome.usage.input_cached;
  const wire = {
    ...parsed,
    data,
    model: answer.deployment.id,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    ...receipts(prepared, bill, { findings: [], masked: [] }),
  };
  return { body: Buffer.from(JSON.stringify(wire)), bill };
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
