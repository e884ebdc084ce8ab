import type { Answer } from '../reply.js';

/** Text in the Prometheus exposition format 0.0.4, whose last line must end with a line feed. */
export function prometheusAnswer(value: unknown, status: number): Answer {
  const text = String(value ?? '');
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
  return { status, headers, body: text.endsWith('\n') ? text : `${text}\n` };
}
