import type { Answer } from '../reply.js';

/** A string as it is. */
export function textAnswer(value: unknown, status: number, contentType?: string): Answer {
  const headers = { 'content-type': contentType ?? 'text/plain; charset=utf-8' };
  return { status, headers, body: String(value ?? '') };
}
