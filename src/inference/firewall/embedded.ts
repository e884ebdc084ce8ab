import { isUtf8 } from 'node:buffer';
import type { UnreadKind } from '../../kernel/firewall/contents.js';
import {
  BYTES_CHARACTERS_MIN,
  FILE_CHARACTERS_MIN,
  HEXADECIMAL,
  isMixed,
  unreadBytes,
} from './base64-bytes.js';
import { type Ends, endsOfPayload, endsOfRow, matchAt, nextRow, rowAcross } from './base64-rows.js';
import { bytesIn, charsetOf, withoutWrapping } from './encoded-text.js';
import { kindOfBytes, unreadInText } from './unread.js';
import { type Writing, writingOf } from './writings.js';

/** Base64 within a text. */
interface Embedded {
  /** The base64 as the text has it. */
  readonly written: string;
  /** What it carries that nothing reads. */
  readonly unread: UnreadKind | undefined;
  /** True for bytes of which nothing says what they are. */
  readonly isNameless?: boolean;
  /** The text that it is, and the way to write another one in its place. */
  readonly read: { readonly text: string; readonly encode: (text: string) => string } | undefined;
}

/** Shorter hexadecimal digits are digests and keys where they are no text. */
const HEXADECIMAL_CHARACTERS_MIN = 256;
/** Further ones in one text are not read. */
const EMBEDDED_MAX = 256;
/** What may part a name from the base64 behind it, looked for at the beginning of a row. */
const DIVIDER = /[_/+-]/g;
const LEAD_MAX = 40;
const LEADS_MAX = 6;

const NOTHING: readonly Embedded[] = Object.freeze([]);

const COLON = ':';
const SMALL = 0x20;
const [D, A] = [0x64, 0x61];

/** True where a text contains `data:`, in any case. */
function mayHaveAddress(text: string): boolean {
  for (let at = text.indexOf(COLON); at >= 0; at = text.indexOf(COLON, at + 1)) {
    const isLast = (text.charCodeAt(at - 1) | SMALL) === A;
    if (isLast && (text.charCodeAt(at - 4) | SMALL) === D) return true;
  }
  return false;
}

/** False proves that a text has no base64 that would be read, or counted as unread. */
export function mayEmbed(text: string): boolean {
  return nextRow(text, 0) >= 0 || mayHaveAddress(text);
}

const ADDRESS = /data:[^,\r\n"'<>]{0,400};\s{0,4}base64\s{0,4},\s{0,4}/gi;
const LINES = /(?:\\r)?\\n|[\s>]/g;

/** The bytes of base64; undefined where it is not well formed. */
function bytesOf(payload: string): Buffer | undefined {
  const bytes = Buffer.from(payload, 'base64');
  return bytes.length > 0 && bytes.length === bytesIn(payload) ? bytes : undefined;
}

/** A text that stood in an encoding, behind signs that are no part of it. */
function readOf({ text, encode }: Writing, encoding: 'base64' | 'hex', lead = '') {
  return { text, encode: (changed: string) => lead + encode(changed).toString(encoding) };
}

/** What is no text and no drawing of letters, by its address. */
const MEDIUM = /^data:(?:image\/(?!svg)|audio|video)/i;

/** What base64 behind an address is. */
function behindAddress(
  text: string,
  address: string,
  begin: number,
  { tries, whole }: Ends,
): Embedded | undefined {
  let guess: Embedded | undefined;
  for (const end of tries) {
    const written = text.slice(begin, end);
    const payload = withoutWrapping(written.replace(LINES, '').replaceAll('\\/', '/'));
    const bytes = bytesOf(payload);
    const writing = bytes && writingOf(bytes, charsetOf(address));
    if (!writing) continue;
    const isTooShort = written.length < FILE_CHARACTERS_MIN && MEDIUM.test(address);
    const unread = isTooShort ? undefined : unreadInText(address + payload, writing);
    const one = { written, unread, read: readOf(writing, 'base64') };
    if (writing.isCertain) return one;
    guess ??= one;
  }
  if (guess) return guess;
  const written = text.slice(begin, whole);
  if (written.length < FILE_CHARACTERS_MIN) return undefined;
  return { written, unread: kindOfBytes(address + written) ?? 'file', read: undefined };
}

/** What a row of signs is, with the rows below it, where they end so. */
function inRows(text: string, begin: number, ends: Ends): Embedded | undefined {
  const { tries, whole } = ends;
  // First, since hexadecimal digits are base64 of letters, too, of those of the West.
  const hexadecimal = inHexadecimal(text, begin, ends);
  if (hexadecimal) return hexadecimal;
  let guess: Embedded | undefined;
  for (const end of mayBeText(text.slice(begin, tries[0])) ? tries : []) {
    const written = text.slice(begin, end);
    const payload = written.replace(LINES, '');
    for (const lead of leadsOf(payload)) {
      const own = payload.slice(lead.length);
      const bytes = beginsAsText(own) ? bytesOf(own) : undefined;
      const writing = bytes && writingOf(bytes);
      if (!writing) continue;
      const read = readOf(writing, 'base64', lead);
      if (writing.isCertain) return { written, unread: unreadInText(own, writing), read };
      guess ??= {
        written,
        unread: isGuessOfBytes(own) ? unreadInText(own, writing) : undefined,
        read,
      };
    }
  }
  const written = text.slice(begin, whole);
  const bytes = unreadBytes(written.replace(LINES, ''));
  if (guess && (guess.unread || !bytes)) return guess;
  return bytes && { written, unread: bytes.kind, isNameless: bytes.isNameless, read: undefined };
}

/** True where a text that was guessed from signs is not all that they may be. */
function isGuessOfBytes(payload: string): boolean {
  return payload.length >= FILE_CHARACTERS_MIN && isMixed(payload);
}

const HEAD_SIGNS = 32;
/** Bytes that begin no text by themselves. */
const NO_TEXT = Uint8Array.from({ length: 0x100 }, (_, byte) =>
  byte < 32 && ![0, 4, 9, 10, 12, 13, 27].includes(byte) ? 1 : 0,
);

/** False for most bytes that are no text, by the first of them. */
function beginsAsText(payload: string): boolean {
  const head = Buffer.from(payload.slice(0, HEAD_SIGNS), 'base64');
  const isHalf = (byte: number | undefined) => byte === 0 || byte === 4;
  // The half of a letter in UTF-16 may be any byte.
  const isText = head.every(
    (byte, at) => NO_TEXT[byte] !== 1 || isHalf(head[at - 1]) || isHalf(head[at + 1]),
  );
  return isText || isUtf8(withoutHalves(head));
}

const LETTER_BYTES_MAX = 4;

/** Bytes without the halves of letters in UTF-8 that a cut has left at both ends. */
function withoutHalves(bytes: Buffer): Buffer {
  const isLater = (byte = 0) => byte >= 0x80 && byte < 0xc0;
  let begin = 0;
  while (begin < LETTER_BYTES_MAX - 1 && isLater(bytes[begin])) begin += 1;
  for (let back = 1; back < LETTER_BYTES_MAX; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isLater(byte)) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return bytes.subarray(begin, size > back ? bytes.length - back : bytes.length);
  }
  return bytes.subarray(begin);
}

/** True where base64 at the end of a text goes on at the beginning of the next one. */
export function goesOn(before: string, text: string): boolean {
  const row = rowAcross(before, text);
  if (row === undefined || !mayBeText(row)) return false;
  return writingOf(withoutHalves(Buffer.from(row, 'base64')))?.isCertain ?? false;
}

/** What may precede base64 in a row of signs. */
function leadsOf(row: string): string[] {
  const dividers = row.slice(0, LEAD_MAX).matchAll(DIVIDER);
  const leads = Array.from(dividers, ({ index }) => row.slice(0, index + 1));
  return ['', ...leads.slice(0, LEADS_MAX)];
}

/** False for short rows that no text in base64 looks like: names, words, digests. */
function mayBeText(row: string): boolean {
  if (row.length >= BYTES_CHARACTERS_MIN) return true;
  return [/\d/, /[A-Z]/, /[a-z]/].every((sign) => sign.test(row));
}

/** What precedes hexadecimal digits in programs and in databases. */
const HEXADECIMAL_LEAD = /^0?x/i;

/** A text in hexadecimal digits; and many digits in one row that are none, which nothing reads. */
function inHexadecimal(text: string, begin: number, { tries, whole }: Ends): Embedded | undefined {
  for (const end of tries) {
    const written = text.slice(begin, end);
    const signs = written.replace(LINES, '');
    const [lead = ''] = HEXADECIMAL_LEAD.exec(signs) ?? [];
    const digits = signs.slice(lead.length);
    if (digits.length % 2 === 1 || !HEXADECIMAL.test(digits)) continue;
    const writing = writingOf(Buffer.from(digits, 'hex'));
    if (!writing?.isCertain) continue;
    const isLong = digits.length >= HEXADECIMAL_CHARACTERS_MIN;
    const unread = isLong ? unreadInText('', writing) : undefined;
    return { written, unread, read: readOf(writing, 'hex', lead) };
  }
  const row = text.slice(begin, whole);
  if (row.length < HEXADECIMAL_CHARACTERS_MIN || !HEXADECIMAL.test(row)) return undefined;
  if (!/\d/.test(row) || !/[a-f]/i.test(row)) return undefined;
  return { written: row, unread: 'file', isNameless: true, read: undefined };
}

/**
 * The base64 within a text, in its order: what is a text, and what nothing reads.
 * Addresses in `data:` count at any length; other base64 as a row of at least 40 signs, with the
 * rows below it. A text that is a guess counts as unread from 64 signs on, and bytes that nothing
 * names from 128 signs on. The time is linear.
 */
function embeddedIn(text: string): readonly Embedded[] {
  let row = nextRow(text, 0);
  let address = mayHaveAddress(text) ? matchAt(ADDRESS, text, 0) : null;
  if (row < 0 && !address) return NOTHING;
  const found: Embedded[] = [];
  let tried = 0;
  while (row >= 0 || address) {
    if (found.length === EMBEDDED_MAX) return [...found, TOO_MANY];
    const isRow = !address || (row >= 0 && row < address.index);
    const begin = !address || isRow ? row : address.index + address[0].length;
    const ends = isRow
      ? endsBefore(endsOfRow(text, begin, begin < tried), address?.index)
      : endsOfPayload(text, begin);
    tried = Math.max(tried, ends.tried);
    const one =
      !address || isRow ? inRows(text, begin, ends) : behindAddress(text, address[0], begin, ends);
    if (one) found.push(one);
    const end = one ? begin + one.written.length : ends.whole;
    if (row >= 0 && row < end) row = nextRow(text, end);
    if (address && address.index < end) address = matchAt(ADDRESS, text, end);
  }
  return found;
}

/** A row ends where an address begins, since its first letters are signs, too. */
function endsBefore({ tries, whole, tried }: Ends, limit = Number.POSITIVE_INFINITY): Ends {
  const within = tries.map((end) => Math.min(end, limit));
  return { tries: within, whole: Math.min(whole, limit), tried: Math.min(tried, limit) };
}

const TOO_MANY: Embedded = Object.freeze({ written: '', unread: 'file', read: undefined });

/** Base64 within base64 is read this often. */
const LEVELS_MAX = 3;

/** A piece of base64 that nothing reads. */
export interface UnreadPiece {
  readonly kind: UnreadKind;
  /** True for bytes of which nothing says what they are. */
  readonly isNameless: boolean;
  /** How deeply it is nested: 1 in the text itself, 2 in base64 within it. */
  readonly level: number;
}

/** How base64 within a text is handled. */
export interface EmbeddedReader {
  /** A text; the answer takes its place. */
  read(text: string): string;
  unread(piece: UnreadPiece): void;
}

/**
 * A reader that leaves out what is judged elsewhere: the whole of a member, and bytes that nothing
 * names where they are ordinary.
 */
export function unlessOrdinary(
  reader: EmbeddedReader,
  isJudged: boolean,
  isOrdinary: boolean,
): EmbeddedReader {
  if (!isJudged && !isOrdinary) return reader;
  return {
    read: reader.read,
    unread(piece) {
      const isLeftOut = (isJudged && piece.level === 1) || (isOrdinary && piece.isNameless);
      if (!isLeftOut) reader.unread(piece);
    },
  };
}

const PART = 12;

/** False where what was replaced around a piece took all of it away. */
function hasPartOf(written: string, left: string): boolean {
  return left.includes(written.slice(0, PART)) || left.includes(written.slice(-PART));
}

/**
 * Shows a reader the decoded base64 of a text.
 * @param standing the text as the reader left it, the base64 in it included
 * @returns that text with what the reader left of the base64; empty where a value that was replaced
 * in both readings would still show the other
 */
export function withEmbedded(
  text: string,
  standing: string,
  reader: EmbeddedReader,
  level = 1,
): string {
  let left = standing;
  let at = 0;
  for (const { written, unread, isNameless = false, read } of embeddedIn(text)) {
    const isTooDeep = read !== undefined && level > LEVELS_MAX;
    if (unread || isTooDeep) reader.unread({ kind: unread ?? 'file', isNameless, level });
    if (!read || isTooDeep) continue;
    const within = withEmbedded(read.text, reader.read(read.text), reader, level + 1);
    if (within === read.text) continue;
    const place = left.indexOf(written, at);
    if (place < 0) left = hasPartOf(written, left) ? '' : left;
    else {
      const changed = read.encode(within);
      left = left.slice(0, place) + changed + left.slice(place + written.length);
      at = place + changed.length;
    }
  }
  return left;
}
