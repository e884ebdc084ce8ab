import type { IncomingMessage, ServerResponse } from 'node:http';
import { crossOriginHeaders, preflightHeaders } from '../src/kernel/cross-origin.js';
import type { GatewayError } from '../src/kernel/errors/fail.js';
import { told } from '../src/kernel/errors/told.js';
import { type Language, languageHeaders } from '../src/kernel/language/languages.js';
import type { Arrival } from './arrival.js';
import type { WirePaths } from './wire-paths.js';

/** Response headers, names in lower case. */
export type Headers = Record<string, string>;

/** A complete answer before it is written; also what an idempotency store keeps. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Headers>;
  readonly body: Buffer | string;
}

/** The envelope of every failure. Extra keys inside `error` are ignored by all known clients. */
export interface ErrorBody {
  readonly error: Readonly<Record<string, unknown>> & {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
    readonly request_id: string;
    readonly doc_url: string;
  };
}

/**
 * Makes the envelope of a failure in a language, its paths as the caller of the row wrote them.
 */
export function errorBody(
  error: GatewayError,
  { requestId, language }: Pick<Arrival, 'requestId' | 'language'>,
  docUrl: string,
  wirePaths?: WirePaths,
): ErrorBody {
  const { details } = error;
  const renamed = (path: string | undefined) =>
    path === undefined ? null : (wirePaths?.path(path) ?? path);
  const named = details.faults?.map((fault) => wirePaths?.fault(fault) ?? fault);
  const { message, faults } = told(error, language, named);
  return {
    error: {
      ...details.data,
      message,
      type: error.row.type,
      param: renamed(details.param),
      code: error.code,
      request_id: requestId,
      doc_url: docUrl,
      ...(faults ? { faults } : {}),
    },
  };
}

/** Chooses status and headers of a failure, whose body was written in a language. */
export function errorAnswer(error: GatewayError, body: ErrorBody, language: Language): Answer {
  const headers: Headers = { 'content-type': JSON_TYPE, ...languageHeaders(language) };
  const { retryAfterMs } = error.details;
  if (retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
    headers['retry-after-ms'] = String(Math.max(1, Math.ceil(retryAfterMs)));
  }
  // Clients retry 402 nowhere by themselves, but some wrap every status in their own retries.
  if (error.status === 402) headers['x-should-retry'] = 'false';
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  // The rest of a body that was not read would be taken for the next request.
  if (error.status === 413 || error.status === 408) headers.connection = 'close';
  return { status: error.status, headers, body: JSON.stringify(body) };
}

/** The content type of JSON answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers that every answer carries, the transport's own and those of browsers and SDKs. */
export function commonHeaders(arrival: Arrival): Headers {
  const { request } = arrival;
  const headers: Headers = {
    ...arrival.site.headers,
    ...crossOriginHeaders(arrival.site, request.headers.origin),
    'x-request-id': arrival.requestId,
    'openai-processing-ms': String(Math.round(performance.now() - arrival.startedMs)),
  };
  const clientRequestId = request.headers['x-client-request-id'];
  if (typeof clientRequestId === 'string' && /^[\x20-\x7e]{1,512}$/.test(clientRequestId)) {
    headers['x-client-request-id'] = clientRequestId;
  }
  return headers;
}

/**
 * Headers with those of an operation, which take the place of others, in a row: each name before
 * its value. Node takes them so, and the head of an answer takes half the time of one by an object.
 */
export function inARow(common: Readonly<Headers>, own: Readonly<Headers>): string[] {
  const row: string[] = [];
  for (const name in common) {
    if (!(name in own)) row.push(name, common[name] as string);
  }
  for (const name in own) {
    const value = own[name] as string;
    row.push(name, name === 'vary' && common.vary ? `${common.vary}, ${value}` : value);
  }
  return row;
}

/** Writes an answer. Nothing is written twice: a response that has begun is left alone. */
export function writeAnswer(arrival: Arrival, answer: Answer): void {
  const { response } = arrival;
  if (response.headersSent || response.destroyed) return;
  const { status, body } = answer;
  const headers = inARow(commonHeaders(arrival), answer.headers);
  headers.push('content-length', String(Buffer.byteLength(body)));
  response.writeHead(status, headers);
  // Head and body leave as one write when both are text; in latin1 bytes stay what they are.
  if (typeof body === 'string') response.end(body);
  else if (body.length > ONE_WRITE_BYTES_MAX) response.end(body);
  else response.end(body.toString('latin1'), 'latin1');
}

/** A larger body is not worth being copied behind its head. */
const ONE_WRITE_BYTES_MAX = 16_384;

const IGNORED_FIELDS_MAX = 50;

/** The header that names the fields that were not read; anything but plain names is escaped. */
export function ignoredFieldsHeader(ignored: readonly string[]): string {
  const names = ignored.slice(0, IGNORED_FIELDS_MAX).map((name) => {
    return /^[\w.-]{1,128}$/.test(name) ? name : encodeName(name.slice(0, 128));
  });
  if (ignored.length > IGNORED_FIELDS_MAX) names.push('...');
  return names.join(', ');
}

/** Percent-encodes; half of a surrogate pair, which cannot be, becomes a replacement character. */
function encodeName(name: string): string {
  return encodeURIComponent(name.replace(/\p{Surrogate}/gu, '\ufffd'));
}

/** Answers a preflight or a plain OPTIONS. */
export function writePreflight(arrival: Arrival, methods: readonly string[]): void {
  const { request, response } = arrival;
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  const { origin, 'access-control-request-headers': asked } = request.headers;
  const preflight = preflightHeaders(arrival.site, { origin, asked }, allow);
  const headers: Headers = { ...commonHeaders(arrival), ...preflight, allow };
  endEmpty(response, 204, headers);
}

function endEmpty(response: ServerResponse<IncomingMessage>, status: number, headers: Headers) {
  response.writeHead(status, headers);
  response.end();
}
