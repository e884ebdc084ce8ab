import { asObject, parsedJson } from '../../kernel/json.js';

/** What the payload of an event is: a JSON object, another JSON value or nothing, or no JSON. */
export type EventShape = 'object' | 'other' | 'broken';

const SPACE = 0x20;
const TAB = 0x09;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const BACKSLASH = 0x5c;
/** Braces and brackets are counted in one number; no event has so many braces. */
const LISTS = 2 ** 24;

/**
 * Tells the shape of a payload. Braces and brackets that all close, outside of strings, show an
 * object without parsing it: what was cut off leaves some of them open. Else it is parsed.
 */
export function shapeOf(bytes: Buffer, from: number, to: number): EventShape {
  let start = from;
  let end = to;
  while (start < end && isBlank(bytes[start])) start += 1;
  while (start < end && isBlank(bytes[end - 1])) end -= 1;
  if (start === end) return 'other';
  if (looksWhole(bytes, start, end)) return 'object';
  const value = parsedJson(bytes.toString('utf8', start, end));
  if (value === undefined) return 'broken';
  return asObject(value) ? 'object' : 'other';
}

function looksWhole(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] !== BRACE_OPEN || bytes[end - 1] !== BRACE_CLOSE) return false;
  let depth = 0;
  let quoted = false;
  let before = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (quoted) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (byte === BRACE_OPEN) depth += 1;
    else if (byte === BRACKET_OPEN) depth += LISTS;
    else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) {
      // A value that was left out shows before the bracket that was put behind it.
      if (before === COMMA || before === COLON) return false;
      depth -= byte === BRACE_CLOSE ? 1 : LISTS;
    }
    before = byte;
  }
  return depth === 0 && !quoted;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}
