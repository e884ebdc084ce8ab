import { isUtf8 } from 'node:buffer';
import { CYRILLIC_TABLES, type LetterTable, tableNamed, WESTERN_TABLE } from './letter-tables.js';

/** The text that bytes are, and the way back to bytes. */
export interface Writing {
  readonly text: string;
  /** False where the bytes may be another text than this one: it was read on a guess. */
  readonly isCertain: boolean;
  readonly encode: (text: string) => Buffer;
}

/**
 * The text that bytes are, in the encodings that are in use in Russia; undefined for no text.
 * @param charset what is said of the bytes where they stand
 */
export function writingOf(bytes: Buffer, charset?: string): Writing | undefined {
  const said = charset === undefined ? undefined : canonical(charset);
  const wide = wideWriting(bytes);
  if (wide) return { ...wide, isCertain: wide.isCertain && isSaid(said, /^utf-16/) };
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    const isPlain = !hasControls(withoutEnd(bytes)) && !isUtf7(text);
    const isCertain = isPlain && isSaid(said, /^(?!utf-16)/);
    return { text, isCertain, encode: (changed) => Buffer.from(changed) };
  }
  return hasControls(bytes) ? undefined : byLetters(bytes, said);
}

/** The name that the Encoding Standard gives to an encoding; null for one that it does not have. */
function canonical(charset: string): string | null {
  try {
    return new TextDecoder(charset.trim()).encoding;
  } catch {
    return null;
  }
}

function isSaid(said: string | null | undefined, name: RegExp): boolean {
  return said === undefined || (said !== null && name.test(said));
}

/** So many bytes show which half of each letter is the alphabet's. */
const LOOK_BYTES = 512;
/** What a text in UTF-16 without a mark has; pairs of ASCII letters make other characters. */
const FAMILIAR_SIGNS =
  '\\t-\\r\\x20-\\x7e\\x85\\xa0-\\u024f\\u02b0-\\u052f\\u2000-\\u2bff\\ufe00-\\ufeff' +
  '\\u{1f000}-\\u{1faff}';
const FAMILIAR = new RegExp(`^[${FAMILIAR_SIGNS}]*$`, 'u');
/** Behind a mark it may have the letters of China and Japan, too. */
const FAMILIAR_MARKED = new RegExp(`^[${FAMILIAR_SIGNS}\\u3000-\\u9fff\\uff00-\\uffef]*$`, 'u');
const MARK = 0xfe_ff;
const MARK_TURNED = 0xff_fe;

function wideWriting(bytes: Buffer): Writing | undefined {
  if (bytes.length < 2 || bytes.length % 2 === 1) return undefined;
  const mark = bytes.readUInt16BE(0);
  const isMarked = mark === MARK || mark === MARK_TURNED;
  const order = isMarked ? (mark === MARK ? 'big' : 'little') : wideOrder(bytes);
  if (order === undefined) return undefined;
  const isFamiliar = (text: string) =>
    FAMILIAR.test(text) ||
    (isMarked && FAMILIAR_MARKED.test(text) && isOnlyWide(bytes.subarray(2)));
  if (order === 'little') {
    const text = bytes.toString('utf16le');
    const encode = (changed: string) => Buffer.from(changed, 'utf16le');
    return { text, isCertain: isFamiliar(text), encode };
  }
  const text = Buffer.from(bytes).swap16().toString('utf16le');
  const encode = (changed: string) => Buffer.from(changed, 'utf16le').swap16();
  return { text, isCertain: isFamiliar(text), encode };
}

/** True where bytes behind a mark are no text of single bytes: a mark alone proves it not. */
function isOnlyWide(bytes: Buffer): boolean {
  return hasControls(bytes) && !isUtf8(bytes);
}

/** UTF-16 repeats the high byte of its alphabet, zero or 4 for Latin and Cyrillic letters. */
function wideOrder(bytes: Buffer): 'little' | 'big' | undefined {
  const end = Math.min(bytes.length, LOOK_BYTES);
  const alphabets = [0, 0];
  for (let at = 0; at < end; at += 1) {
    if (bytes[at] === 0 || bytes[at] === 4) alphabets[at % 2] = (alphabets[at % 2] ?? 0) + 1;
  }
  const [first = 0, second = 0] = alphabets;
  const most = end * 0.4;
  if (second >= most && first < most / 4) return 'little';
  return first >= most && second < most / 4 ? 'big' : undefined;
}

/** Old programs end a text with zeros. */
function withoutEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.subarray(0, end);
}

const ESCAPE = 0x1b;
const BRACKET = 0x5b;

/** Bytes below 32 that no text has; colours of a terminal are text. */
function hasControls(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 32 || byte === 9 || byte === 10 || byte === 12 || byte === 13) continue;
    if (byte !== ESCAPE || bytes[at + 1] !== BRACKET) return true;
  }
  return false;
}

/** What UTF-7 writes for letters that are not of ASCII, and for any other character it likes. */
const SHIFTED = /\+([A-Za-z0-9+/]{3,4096})/g;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const UNIT_BITS = 16;
const DIGIT_BITS = 6;
const LETTERS_OF_UTF7 = /^[\x20-\x7e\xa0-\xff\u0400-\u04ff\u2010-\u2122]+$/;

/** True where a row of signs is base64 of whole letters, as it is in UTF-7. */
function isUtf7(text: string): boolean {
  for (const [, row = ''] of text.matchAll(SHIFTED)) {
    const spare = (row.length * DIGIT_BITS) % UNIT_BITS;
    const last = DIGITS.indexOf(row.charAt(row.length - 1));
    if (spare >= DIGIT_BITS || (last & ((1 << spare) - 1)) !== 0) continue;
    const bytes = Buffer.from(row, 'base64');
    const units = bytes.subarray(0, bytes.length - (bytes.length % 2));
    if (LETTERS_OF_UTF7.test(Buffer.from(units).swap16().toString('utf16le'))) return true;
  }
  return false;
}

/** Two texts whose likelihoods differ by this much, as logarithms, are not taken for each other. */
const MARGIN_MIN = 12;
/** Letters of no text are less likely than this, as a mean. */
const LIKELIHOOD_MIN = -4.5;

/** The text in an encoding of one byte for each letter under which it looks most like a text. */
function byLetters(bytes: Buffer, said: string | null | undefined): Writing {
  const ranked = [...CYRILLIC_TABLES, WESTERN_TABLE]
    .map((table) => ({ table, likelihood: table.likelihoodOf(bytes) }))
    .sort((left, right) => right.likelihood - left.likelihood);
  const [best] = ranked;
  if (best === undefined) throw new TypeError('there is no table of letters');
  const named = typeof said === 'string' ? tableNamed(said) : undefined;
  const table: LetterTable = named ?? best.table;
  const text = table.decode(bytes);
  const own = ranked.find((each) => each.table === table)?.likelihood ?? best.likelihood;
  const rival = ranked.find((each) => each.table !== table && each.table.decode(bytes) !== text);
  const lead = own - (rival?.likelihood ?? Number.NEGATIVE_INFINITY);
  // What is said of the bytes settles a doubt, but not against what they say themselves.
  const isClear = named ? lead > -MARGIN_MIN : said === undefined && lead >= MARGIN_MIN;
  const isCertain = isClear && own / table.lettersIn(bytes) >= LIKELIHOOD_MIN;
  return { text, isCertain, encode: (changed) => table.encode(changed) };
}
