import { WireBody } from '../../src/kernel/wire.js';
import { type Answer, JSON_TYPE } from '../reply.js';

/** One JSON value. The bytes of a `WireBody` go out as they are, with the headers they carry. */
export function jsonAnswer(value: unknown, status: number): Answer {
  if (value instanceof WireBody) {
    const headers = { 'content-type': JSON_TYPE, ...value.headers };
    return { status, headers, body: value.bytes };
  }
  return { status, headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(value ?? null) };
}
