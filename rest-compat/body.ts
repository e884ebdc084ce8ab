import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { fail, GatewayError } from '../src/kernel/errors/fail.js';
import { utf8Text } from '../src/kernel/utf8.js';
import { JSON_LIMITS, LEVELS, requireParsable } from './json-size.js';

/** How long a body may take to arrive. */
const UPLOAD_DEADLINE_MS = 15_000;
const SWEEP_INTERVAL_MS = 500;
const NO_BYTES = Buffer.alloc(0);

/**
 * Reads the body of a request.
 * @throws GatewayError `body_too_large`, `request_timeout`, or `invalid_json` for an encoding that
 * is not read
 */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > bytesMax) return Promise.reject(tooLarge(bytesMax));
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    const reason = `content-encoding ${encoding} is not read, send it plain`;
    return Promise.reject(new GatewayError('invalid_json', { values: { reason } }));
  }
  if (announced === 0 && request.headers['transfer-encoding'] === undefined) {
    return Promise.resolve(NO_BYTES);
  }
  return collect(request, bytesMax);
}

/** A body of so many bytes that nobody wants is read past, so that its connection is kept. */
const READ_PAST_BYTES_MAX = 65_536;

/**
 * The headers of an answer to a request whose body was not read: a long one is not worth to be read
 * past, and its connection ends with the answer.
 */
export function unreadHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const isLong = Number(headers['content-length'] ?? 0) > READ_PAST_BYTES_MAX;
  return isLong || headers['transfer-encoding'] !== undefined ? { connection: 'close' } : {};
}

function collect(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = (error: Error) => {
      uploads.delete(stop);
      request.pause();
      reject(error);
    };
    watchUpload(stop);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) stop(tooLarge(bytesMax));
      else chunks.push(chunk);
    });
    request.on('end', () => {
      uploads.delete(stop);
      // Taken out: the listeners live as long as the request, and would hold the body twice.
      const pieces = chunks.splice(0);
      resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, bytes));
    });
    request.on('error', stop);
    request.on('close', () => {
      if (!request.complete) stop(new GatewayError('request_timeout', { values: { seconds: 0 } }));
    });
  });
}

type Stop = (error: Error) => void;

/** Bodies that are arriving, by the time when they must be complete. */
const uploads = new Map<Stop, number>();
let sweep: NodeJS.Timeout | undefined;

/**
 * One timer looks after all uploads: most bodies are complete before a timer of their own would
 * have been worth its making.
 */
function watchUpload(stop: Stop): void {
  uploads.set(stop, performance.now() + UPLOAD_DEADLINE_MS);
  sweep ??= setInterval(stopLateUploads, SWEEP_INTERVAL_MS).unref();
}

function stopLateUploads(): void {
  const nowMs = performance.now();
  for (const [stop, deadlineMs] of uploads) {
    // The map is in the order of the deadlines.
    if (deadlineMs > nowMs) break;
    stop(tooSlow());
  }
  if (uploads.size > 0) return;
  clearInterval(sweep);
  sweep = undefined;
}

function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError('body_too_large', { values: { bytesMax } });
}

function tooSlow(): GatewayError {
  return new GatewayError('request_timeout', { values: { seconds: UPLOAD_DEADLINE_MS / 1000 } });
}

/**
 * Parses a body. An empty one is undefined.
 * @throws GatewayError `invalid_json` for what is not UTF-8 or JSON, for more than `JSON_LIMITS`
 * and for keys that reach an object's prototype
 */
export function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  requireParsable(bytes);
  const value = parse(textOf(bytes));
  if (typeof value === 'object' && value !== null) {
    requireShallow(value, 1);
  }
  return value;
}

/**
 * The text of a body. To read it whatever its bytes are would put U+FFFD in the place of what was
 * written, and keep that.
 * @throws invalid_json for what is not UTF-8
 */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) fail('invalid_json', { values: { reason: 'no text in UTF-8' } });
  return utf8Text(bytes);
}

/** Refuses what was parsed elsewhere and has more than 64 levels. @throws invalid_json */
export function requireLevels(value: unknown): void {
  if (typeof value === 'object' && value !== null) requireShallow(value, 1);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const told = error instanceof Error ? error.message : 'it ends too early';
    // V8 quotes the text around the fault, which may be a prompt; only the place is told.
    const place = /at position \d+/.exec(told)?.[0];
    return fail('invalid_json', { values: { reason: place ? `syntax ${place}` : 'wrong syntax' } });
  }
}

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

function requireShallow(value: object, depth: number): void {
  if (depth > JSON_LIMITS.levels) fail('invalid_json', { values: { reason: LEVELS } });
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const member: unknown = value[index];
      if (typeof member === 'object' && member !== null) requireShallow(member, depth + 1);
    }
    return;
  }
  const fields = value as Record<string, unknown>;
  for (const key in fields) {
    if (FORBIDDEN_KEYS.has(key)) {
      fail('invalid_json', { values: { reason: `the key "${key}" is not allowed` } });
    }
    const member = fields[key];
    if (typeof member === 'object' && member !== null) requireShallow(member, depth + 1);
  }
}
