import { request } from 'undici';
import type { JsonObject } from '../../kernel/json.js';
import { OWN_REQUEST_HEADER } from '../../platform/own-address.js';
import type { Probed } from './rules.js';
import { ANSWER_BYTES_MAX, CHECK_MS_MAX } from './vocabulary.js';

/** A request of a check. The address is that of this process; the credential that of the caller. */
export interface ProbeRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly authorization: string;
  /** By which this process knows the request as its own, so that it is no live traffic. */
  readonly mark: string;
  readonly body: JsonObject | undefined;
  /** The Idempotency-Key of the request. */
  readonly key: string | undefined;
  /** The workspace that the caller has named for the run; each check is made under it. */
  readonly workspace: string | undefined;
  readonly signal: AbortSignal;
}

/** Makes a request to this server over the network, as a client would. */
export async function probe(asked: ProbeRequest): Promise<Probed> {
  const startedMs = performance.now();
  const timeout = AbortSignal.timeout(CHECK_MS_MAX);
  const elapsedMs = () => Math.round(performance.now() - startedMs);
  let requestId: string | undefined;
  try {
    const { statusCode, headers, body } = await request(asked.url, {
      method: asked.method,
      reset: true,
      headers: {
        authorization: asked.authorization,
        [OWN_REQUEST_HEADER]: asked.mark,
        ...(asked.key === undefined ? {} : { 'idempotency-key': asked.key }),
        ...(asked.workspace === undefined ? {} : { 'x-gw-workspace': asked.workspace }),
        ...(asked.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: asked.body === undefined ? undefined : JSON.stringify(asked.body),
      signal: AbortSignal.any([asked.signal, timeout]),
    });
    requestId = headerOf(headers['x-request-id']);
    const text = await boundedText(body);
    if (text === undefined) return { latencyMs: elapsedMs(), requestId, failure: 'too_large' };
    const contentType = headerOf(headers['content-type']) ?? '';
    return { latencyMs: elapsedMs(), requestId, answer: { status: statusCode, contentType, text } };
  } catch {
    // What undici throws may hold the request; only its kind goes on.
    const failure = asked.signal.aborted ? 'aborted' : timeout.aborted ? 'timeout' : 'connection';
    return { latencyMs: elapsedMs(), requestId, failure };
  }
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

async function boundedText(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
