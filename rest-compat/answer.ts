import { createHash } from 'node:crypto';
import type { Ctx } from '../src/graph/ctx.js';
import { GatewayError } from '../src/kernel/errors/fail.js';
import { WireBody, WireText } from '../src/kernel/wire.js';
import { writePieces, writeStream, writeTable } from './answer-stream.js';
import type { Arrival } from './arrival.js';
import type { RestHooks } from './hooks.js';
import type { Idempotency, StoredAnswer } from './idempotency.js';
import { type Answer, JSON_TYPE, writeAnswer } from './reply.js';
import type { RestDirective } from './rest-directive.js';
import { operationHeaders, type RowRequest, type Written } from './row-request.js';

/**
 * Runs a row and writes its answer.
 * @returns the status that was sent
 * @throws GatewayError what went wrong before the first byte
 */
export async function answerRow(request: RowRequest, hooks: RestHooks): Promise<number> {
  const { row, ctx, arrival } = request;
  const key = arrival.request.headers['idempotency-key'];
  const keyed = key !== undefined && row.contract.method !== 'GET' && ctx.who;
  if (keyed && hooks.idempotency && typeof key === 'string') {
    return answerOnce(request, key, hooks);
  }
  return (await write(request, hooks, false)).status;
}

async function answerOnce(request: RowRequest, key: string, hooks: RestHooks): Promise<number> {
  const { row, ctx, arrival } = request;
  const store = hooks.idempotency;
  if (!store) throw new GatewayError('internal_error');
  const { name, contract, operationKind: kind, rootFields: fields } = row;
  const operation = { name, method: contract.method, path: contract.path, kind, fields };
  const started = await store.begin(ctx, operation, key, bodyHash(arrival));
  if (started.kind === 'replay') {
    const headers = { ...started.answer.headers, 'idempotent-replayed': 'true' };
    writeAnswer(arrival, { ...started.answer, headers });
    return started.answer.status;
  }
  arrival.outliveClient();
  const keyed = { ...request, ctx: started.ctx ?? ctx };
  try {
    const streams = contract.codec === 'SSE' || contract.codec === 'CSV';
    if (streams) return await streamOnce(keyed, started.token, hooks, store);
    const answer = await madeOnce(keyed, started.token, store);
    writeAnswer(arrival, answer);
    return answer.status;
  } catch (error) {
    await store.abandon(keyed.ctx, started.token);
    throw error;
  }
}

async function streamOnce(
  request: RowRequest,
  token: unknown,
  hooks: RestHooks,
  store: Idempotency,
): Promise<number> {
  const written = await write(request, hooks, true);
  const { body } = written;
  try {
    if (body) await store.finish(request.ctx, token, { ...written, body });
    else await store.abandon(request.ctx, token);
  } finally {
    written.close?.();
  }
  return written.status;
}

async function madeOnce(
  request: RowRequest,
  token: unknown,
  store: Idempotency,
): Promise<StoredAnswer> {
  const make = async (ctx: Ctx): Promise<StoredAnswer> => {
    const answer = await encodedAnswer({ ...request, ctx });
    return { ...answer, body: Buffer.from(answer.body) };
  };
  if (store.once) return store.once(request.ctx, token, make);
  const answer = await make(request.ctx);
  await store.finish(request.ctx, token, answer);
  return answer;
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
  if (codec === 'CSV') return writeTable(request, capture, hooks.tableRowsMax);
  const value = await request.row.run(request.ctx, request.variables);
  if (value instanceof WireText) return writePieces(request, value.pieces, contentTypeOf(request));
  const answer = encodedValue(request, value);
  writeAnswer(request.arrival, answer);
  return { status: answer.status, headers: answer.headers, body: undefined };
}

async function encodedAnswer(request: RowRequest): Promise<Answer> {
  return encodedValue(request, await request.row.run(request.ctx, request.variables));
}

function contentTypeOf({ row }: RowRequest): string {
  return row.contract.contentType ?? TEXT_TYPE;
}

function encodedValue(request: RowRequest, value: unknown): Answer {
  const answer = encode(request.row.contract, value);
  return { ...answer, headers: { ...answer.headers, ...operationHeaders(request) } };
}

function encode({ codec, status, contentType = TEXT_TYPE }: RestDirective, value: unknown): Answer {
  const headers = { 'content-type': JSON_TYPE };
  // The bytes of a `WireBody` go out as they are, with the headers that they carry.
  if (value instanceof WireBody) {
    return { status, headers: { ...headers, ...value.headers }, body: value.bytes };
  }
  if (codec === 'JSON') return { status, headers, body: JSON.stringify(value ?? null) };
  const text = String(value ?? '');
  if (codec === 'TEXT') return { status, headers: { 'content-type': contentType }, body: text };
  if (codec === 'BASE64') {
    return { status, headers: { 'content-type': contentType }, body: Buffer.from(text, 'base64') };
  }
  // The last line of the exposition format must end with a line feed.
  const body = text.endsWith('\n') ? text : `${text}\n`;
  return { status, headers: { 'content-type': PROMETHEUS_TYPE }, body };
}

const TEXT_TYPE = 'text/plain; charset=utf-8';
const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
