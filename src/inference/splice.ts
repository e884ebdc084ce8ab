import type { JsonObject } from '../kernel/json.js';
import { stringEnd } from './faithful-bytes.js';

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
const COMMA_BYTES = Buffer.from(',');

/** A member that stands further inside is not looked for: writing the body anew is then as fast. */
const LOOK_BYTES_MAX = 65_536;

/**
 * Replaces the text value of a member at the top level of a JSON object. The bytes must be valid
 * JSON; `value` is JSON text.
 * @returns undefined where the member was not found near the beginning, or is not a text
 */
export function replaceMember(bytes: Buffer, name: string, value: string): Buffer | undefined {
  const place = findMember(bytes, name);
  if (!place) return undefined;
  if (bytes.toString('latin1', place.start, place.end) === value) return bytes;
  return Buffer.concat([
    bytes.subarray(0, place.start),
    Buffer.from(value),
    bytes.subarray(place.end),
  ]);
}

/**
 * Takes a member out of the top level of a JSON object, each time that it stands there: a parser
 * may take the first or the last one. The bytes must be valid JSON.
 * @returns undefined where it was not found, or where a name is spelt with escapes and might be it
 */
export function removeMember(bytes: Buffer, name: string): Buffer | undefined {
  const open = bytes.indexOf(OPEN_BRACE);
  const kept: Buffer[] = [];
  let isFound = false;
  let at = skipSpace(bytes, open + 1);
  while (bytes[at] === QUOTE) {
    const nameEnd = stringEnd(bytes, at);
    const written = bytes.toString('latin1', at + 1, nameEnd);
    if (written.includes('\\')) return undefined;
    const end = valueEnd(bytes, skipSpace(bytes, bytes.indexOf(COLON, nameEnd) + 1));
    if (written === name) isFound = true;
    else kept.push(bytes.subarray(at, end));
    const next = skipSpace(bytes, end);
    at = bytes[next] === COMMA ? skipSpace(bytes, next + 1) : next;
  }
  if (!isFound) return undefined;
  const members = kept.flatMap((member, index) => (index === 0 ? member : [COMMA_BYTES, member]));
  return Buffer.concat([bytes.subarray(0, open + 1), ...members, bytes.subarray(at)]);
}

/** Appends members to a JSON object that does not have them. */
export function appendMember(bytes: Buffer, members: JsonObject): Buffer {
  const end = bytes.lastIndexOf(CLOSE_BRACE);
  const text = JSON.stringify(members);
  const empty = skipSpace(bytes, bytes.indexOf(OPEN_BRACE) + 1) === end;
  const inside = `${empty ? '' : ','}${text.slice(1, -1)}`;
  const length = Buffer.byteLength(inside);
  const appended = Buffer.allocUnsafe(bytes.length + length);
  bytes.copy(appended, 0, 0, end);
  appended.write(inside, end);
  bytes.copy(appended, end + length, end);
  return appended;
}

/** Where the value of a top-level text member stands, quotes included. */
function findMember(bytes: Buffer, name: string) {
  const limit = Math.min(bytes.length, LOOK_BYTES_MAX);
  let depth = 0;
  for (let at = 0; at < limit; at += 1) {
    const byte = bytes[at];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    else if (byte === QUOTE) {
      const end = stringEnd(bytes, at);
      const isName = depth === 1 && bytes.toString('latin1', at + 1, end) === name;
      if (isName) {
        const value = afterColon(bytes, end + 1);
        if (value !== undefined) return { start: value, end: stringEnd(bytes, value) + 1 };
      }
      at = end;
    }
  }
  return undefined;
}

/** Where the value that begins at `start` ends. */
function valueEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth === 0 && (byte === COMMA || (byte ?? 0) <= 0x20)) return at;
    else continue;
    if (depth === 0) return at + 1;
  }
  return bytes.length;
}

/** The opening quote of a text value after a name; undefined where none follows. */
function afterColon(bytes: Buffer, from: number): number | undefined {
  let at = skipSpace(bytes, from);
  if (bytes[at] !== COLON) return undefined;
  at = skipSpace(bytes, at + 1);
  return bytes[at] === QUOTE ? at : undefined;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] ?? 0) <= 0x20) at += 1;
  return at;
}
