import { createHash } from 'node:crypto';
import { GatewayError } from '../src/kernel/errors/fail.js';
import { writeStream, writeTable } from './answer-stream.js';
import type { Arrival } from './arrival.js';
import { jsonAnswer } from './codecs/json.js';
import { prometheusAnswer } from './codecs/prometheus.js';
import { textAnswer } from './codecs/text.js';
import type { RestHooks } from './hooks.js';
import { type Answer, writeAnswer } from './reply.js';
import { operationHeaders, type RowRequest, type Written } from './row-request.js';

/**
 * Runs a row and writes its answer.
 * @returns the status that was sent
 * @throws GatewayError what went wrong before the first byte
 */
export async function answerRow(request: RowRequest, hooks: RestHooks): Promise<number> {
  const { row, ctx, arrival } = request;
  const key = arrival.request.headers['idempotency-key'];
  const keyed = key !== undefined && row.contract.method === 'POST' && ctx.who;
  if (keyed && hooks.idempotency && typeof key === 'string') {
    return answerOnce(request, key, hooks);
  }
  return (await write(request, hooks, false)).status;
}

async function answerOnce(request: RowRequest, key: string, hooks: RestHooks): Promise<number> {
  const { row, ctx, arrival } = request;
  const store = hooks.idempotency;
  if (!store) throw new GatewayError('internal_error');
  const { name, contract } = row;
  const operation = { name, method: contract.method, path: contract.path };
  const started = await store.begin(ctx, operation, key, bodyHash(arrival));
  if (started.kind === 'replay') {
    const headers = { ...started.answer.headers, 'idempotent-replayed': 'true' };
    writeAnswer(arrival, { ...started.answer, headers });
    return started.answer.status;
  }
  arrival.outliveClient();
  try {
    if (contract.codec === 'SSE' || contract.codec === 'CSV') {
      const written = await write(request, hooks, true);
      const { body } = written;
      if (body) await store.finish(ctx, started.token, { ...written, body });
      else await store.abandon(ctx, started.token);
      return written.status;
    }
    const answer = await encodedAnswer(request);
    const body = Buffer.from(answer.body);
    await store.finish(ctx, started.token, { ...answer, body });
    writeAnswer(arrival, answer);
    return answer.status;
  } catch (error) {
    await store.abandon(ctx, started.token);
    throw error;
  }
}

/** One hash over everything that makes the request this request. */
function bodyHash(arrival: Arrival): string {
  const hash = createHash('sha256');
  hash.update(`${arrival.request.method} ${arrival.request.url}\n`);
  if (arrival.rawBody) hash.update(arrival.rawBody);
  return hash.digest('hex');
}

async function write(request: RowRequest, hooks: RestHooks, capture: boolean): Promise<Written> {
  const { codec } = request.row.contract;
  if (codec === 'SSE') return writeStream(request, hooks, capture);
  if (codec === 'CSV') return writeTable(request, capture);
  const answer = await encodedAnswer(request);
  writeAnswer(request.arrival, answer);
  return { status: answer.status, headers: answer.headers, body: undefined };
}

async function encodedAnswer(request: RowRequest): Promise<Answer> {
  const { row, ctx, variables } = request;
  const { codec, status, contentType } = row.contract;
  const value = await row.run(ctx, variables);
  const answer = encode(codec, value, status, contentType);
  Object.assign(answer.headers, operationHeaders(request));
  return answer;
}

function encode(codec: string, value: unknown, status: number, contentType?: string): Answer {
  if (codec === 'TEXT') return textAnswer(value, status, contentType);
  if (codec === 'PROMETHEUS') return prometheusAnswer(value, status);
  return jsonAnswer(value, status);
}
