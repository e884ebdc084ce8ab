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

/**
 * Tells the shape of a payload. Braces and brackets that are even in number show an object without
 * parsing it: what was cut off leaves some of them open. Where text of the answer upsets the
 * count, the payload is parsed.
 */
export function shapeOf(bytes: Buffer, from: number, to: number): EventShape {
  let start = from;
  let end = to;
  while (start < end && isBlank(bytes[start])) start += 1;
  while (start < end && isBlank(bytes[end - 1])) end -= 1;
  if (start === end) return 'other';
  if (looksWhole(bytes, start, end)) return 'object';
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8', start, end));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? 'object'
      : 'other';
  } catch {
    return 'broken';
  }
}

function looksWhole(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] !== BRACE_OPEN || bytes[end - 1] !== BRACE_CLOSE) return false;
  const second = bytes[start + 1];
  if (second !== QUOTE && second !== BRACE_CLOSE) return false;
  let braces = 0;
  let brackets = 0;
  let before = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === BRACE_OPEN) braces += 1;
    else if (byte === BRACKET_OPEN) brackets += 1;
    else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) {
      // A value that was left out shows before the bracket that was put behind it.
      if (before === COMMA || before === COLON) return false;
      if (byte === BRACE_CLOSE) braces -= 1;
      else brackets -= 1;
    }
    before = byte;
  }
  return braces === 0 && brackets === 0;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}
