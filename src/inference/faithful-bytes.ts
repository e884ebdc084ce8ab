import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../kernel/json.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const MINUS = 0x2d;
const COMMA = 0x2c;
/** Brackets and braces differ in one bit. */
const OPENS = 0x5b;
const CLOSES = 0x5d;
const BRACE_BIT = 0x20;

/** So many characters of a number without an exponent keep their value whatever they are. */
const EXACT_CHARACTERS_MAX = 15;
/** A number of fewer characters has too few digits for an identifier. */
const LONG_CHARACTERS_MIN = 9;

/**
 * True where the bytes say nothing beyond the body that was parsed of them, so that they may leave
 * in its place. A parser drops all but the last of several members of one name, the last digits of
 * a long number, and bytes that are no UTF-8; whoever reads the bytes otherwise would see what
 * nobody has judged. The bytes must be valid JSON. `seed` at the top keeps its digits: it is drawn
 * at random.
 */
export function saysNoMore(bytes: Buffer, body: JsonObject): boolean {
  if (!isUtf8(bytes)) return false;
  const members = membersWritten(bytes);
  return members !== undefined && members === membersOf(body);
}

/** The members of all objects as they are written; undefined where a number loses by parsing. */
function membersWritten(bytes: Buffer): number | undefined {
  let members = 0;
  let depth = 0;
  let name = '';
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      const end = stringEnd(bytes, at);
      name = end - at === 5 ? bytes.toString('latin1', at + 1, end) : '';
      at = end;
    } else if (byte === COLON) members += 1;
    else if ((byte | BRACE_BIT) === (OPENS | BRACE_BIT)) depth += 1;
    else if ((byte | BRACE_BIT) === (CLOSES | BRACE_BIT)) depth -= 1;
    else if (byte === MINUS || isDigit(byte)) {
      const end = numberEnd(bytes, at);
      const isRead = end - at >= LONG_CHARACTERS_MIN && !(depth === 1 && name === 'seed');
      if (isRead && !keepsDigits(bytes.toString('latin1', at, end))) return undefined;
      at = end - 1;
    }
  }
  return members;
}

function keepsDigits(written: string): boolean {
  const isPlain = !written.includes('e') && !written.includes('E');
  return (isPlain && written.length <= EXACT_CHARACTERS_MAX) || String(Number(written)) === written;
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const element of value) {
      if (typeof element === 'object') members += membersOf(element);
    }
    return members;
  }
  for (const member of Object.values(value)) members += 1 + membersOf(member);
  return members;
}

/** The closing quote of the string that opens at `open`. */
export function stringEnd(bytes: Buffer, open: number): number {
  let at = bytes.indexOf(QUOTE, open + 1);
  while (at > 0 && isEscaped(bytes, at)) at = bytes.indexOf(QUOTE, at + 1);
  return at < 0 ? bytes.length : at;
}

function isEscaped(bytes: Buffer, quote: number): boolean {
  let count = 0;
  while (bytes[quote - 1 - count] === BACKSLASH) count += 1;
  return count % 2 === 1;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Where the number ends that begins at `start`: digits, `+`, `-`, `.`, `e` and `E`. */
function numberEnd(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    const isPart = isDigit(byte) || (byte >= 0x2b && byte <= 0x2e && byte !== COMMA);
    if (!isPart && (byte | 0x20) !== 0x65) break;
  }
  return at;
}
