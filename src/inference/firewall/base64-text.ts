/** So many bytes in UTF-8 without a control character are a text and no accident. */
const BYTES_MIN = 24;
const GROUP_SIGNS = 4;
const GROUP_BYTES = 3;
/** Signs are searched for a beginning, and read to the end, by pieces of this length. */
const PIECE = 4_096;
/** A text that begins in a piece shows within so many signs more. */
const OVERLAP = 40;
const LETTER_BYTES_MAX = 4;

/** A text in UTF-8 that stands among signs, wherever it begins. */
export interface TextAmongSigns {
  /** The signs before the group of four in which it begins. */
  readonly lead: number;
  /** The bytes of that group before it. */
  readonly bytes: Buffer;
  readonly text: string;
  /** The first sign behind it. */
  readonly end: number;
}

/**
 * The first text of at least 24 bytes that begins at or behind a sign and before another one. The
 * signs before it may be anything: they are no part of it.
 */
export function textAmong(signs: string, from: number, to: number): TextAmongSigns | undefined {
  for (let at = from; at < to; at += PIECE) {
    const begin = beginningIn(signs, at, Math.min(at + PIECE, to));
    if (begin) return readFrom(signs, begin);
  }
  return undefined;
}

interface Beginning {
  readonly group: number;
  readonly byte: number;
}

function beginningIn(signs: string, from: number, to: number): Beginning | undefined {
  let first: Beginning | undefined;
  for (let shift = 0; shift < GROUP_SIGNS; shift += 1) {
    const bytes = Buffer.from(signs.slice(from + shift, to + OVERLAP), 'base64');
    const place = firstRun(bytes);
    if (place < 0) continue;
    const group = from + shift + Math.floor(place / GROUP_BYTES) * GROUP_SIGNS;
    const isFirst = !first || group < first.group;
    if (group < to && isFirst) first = { group, byte: place % GROUP_BYTES };
  }
  return first;
}

/** Where the first long enough text begins among bytes, or -1. */
function firstRun(bytes: Buffer): number {
  let begin = 0;
  for (let at = 0; at < bytes.length; ) {
    const size = letterAt(bytes, at);
    at += size || 1;
    if (size === 0) begin = at;
    else if (at - begin >= BYTES_MIN) return begin;
  }
  return -1;
}

function readFrom(signs: string, { group, byte }: Beginning): TextAmongSigns {
  const pieces: Buffer[] = [];
  let carry = Buffer.alloc(0);
  let count = 0;
  for (let at = group; at < signs.length; at += PIECE) {
    const decoded = Buffer.from(signs.slice(at, at + PIECE), 'base64');
    const skipped = at === group ? byte : 0;
    const bytes = Buffer.concat([carry, decoded.subarray(skipped)]);
    const end = endOfText(bytes);
    pieces.push(bytes.subarray(0, end));
    count += end;
    carry = bytes.subarray(end);
    if (carry.length >= LETTER_BYTES_MAX) break;
  }
  const last = Math.ceil(((byte + count) * GROUP_SIGNS) / GROUP_BYTES);
  const isAll = carry.length === 0;
  return {
    lead: group,
    bytes: Buffer.from(signs.slice(group, group + GROUP_SIGNS), 'base64').subarray(0, byte),
    text: Buffer.concat(pieces).toString(),
    end: isAll ? signs.length : group + last,
  };
}

function endOfText(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const size = letterAt(bytes, at);
    if (size === 0) return at;
    at += size;
  }
  return at;
}

/** The bytes of the letter in UTF-8 at a place; 0 for none, and for controls that no text has. */
function letterAt(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? 0;
  if (byte < 0x80) {
    const isControl = byte < 0x20 || byte === 0x7f;
    return isControl && byte !== 9 && byte !== 10 && byte !== 13 ? 0 : 1;
  }
  const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
  if (byte < 0xc2 || byte > 0xf4) return 0;
  for (let next = 1; next < size; next += 1) {
    const follows = bytes[at + next] ?? 0;
    if (follows < 0x80 || follows > 0xbf) return 0;
  }
  const second = bytes[at + 1] ?? 0;
  // Controls, overlong forms, halves of UTF-16, and what lies beyond Unicode.
  if (byte === 0xc2 && second < 0xa0) return 0;
  if ((byte === 0xe0 && second < 0xa0) || (byte === 0xed && second > 0x9f)) return 0;
  if ((byte === 0xf0 && second < 0x90) || (byte === 0xf4 && second > 0x8f)) return 0;
  return size;
}
