import { isMixed } from './base64-bytes.js';
import { inManner } from './base64-layout.js';
import {
  BINARY_MEMBERS,
  bytesIn,
  charsetOf,
  type Encoded,
  withoutSpelling,
  withoutWrapping,
} from './encoded-text.js';
import { kindOfBytes } from './unread.js';
import { writingOf } from './writings.js';

/** Below this, an image or a sound does not exist, and what stands there may be a number. */
const BINARY_CHARACTERS_MIN = 64;
/** Whatever parameters an address has, and however it spells them. */
const DATA_ADDRESS = /^\s{0,16}data:[^,]{0,1024};\s{0,4}base64\s{0,4},/i;
/**
 * Base64 has `+`, `/`, `-` and digits, so that telephones can be well-formed base64; in that of a
 * picture such a row of digits without a letter beside it hardly ever stands.
 */
const ROW_OF_DIGITS = /(?<![A-Za-z\d_])\d(?:[-/+\s]{0,2}\d){9,}(?![A-Za-z\d_])/;

/**
 * Reads a text as base64: bytes that are no text, or a text and the way to write another one in its
 * place. Undefined where the position is not for bytes or the text is no base64, so that it must be
 * read as it is. Words with spaces between them may be spelled in signs of base64, too: they are
 * read, and count as bytes only where they are mixed as bytes are.
 */
export function decodedAt(name: string, text: string): Encoded | undefined {
  const prefix = DATA_ADDRESS.exec(text.slice(0, 1200))?.[0];
  if (prefix === undefined && !BINARY_MEMBERS.has(name)) return undefined;
  const given = text.slice(prefix?.length ?? 0);
  const payload = withoutWrapping(given);
  const bytes = Buffer.from(payload, 'base64');
  // The decoder leaves out what is no base64, so that any such character makes the bytes fewer.
  if (bytes.length === 0 || bytes.length !== bytesIn(payload)) return undefined;
  const isShort = payload.length < BINARY_CHARACTERS_MIN;
  const isOfWords = prefix === undefined && !isWrapped(given);
  const isReadable = isShort || isOfWords || ROW_OF_DIGITS.test(given);
  const written = writingOf(bytes, charsetOf(prefix ?? ''));
  const isKnown = !isOfWords || written?.isCertain === true || isOfBytes(payload);
  if (!isKnown || (!written && isShort)) return undefined;
  if (!written) return { kind: 'binary', isReadable };
  const encode = (changed: string) =>
    (prefix ?? '') + inManner(written.encode(changed), withoutSpelling(given.trim()));
  return { kind: 'text', isReadable, text: written.text, isCertain: written.isCertain, encode };
}

function isOfBytes(payload: string): boolean {
  return kindOfBytes(payload) !== undefined || isMixed(payload);
}

const LINE_END = /\r?\n|%0d%0a|%0a/i;

/** True for base64 in one row, or in rows of one width with a shorter last one. */
function isWrapped(given: string): boolean {
  const rows = given.trim().split(LINE_END);
  const [first = ''] = rows;
  return rows.every((row, at) => {
    const isLast = at === rows.length - 1;
    const isWide = isLast ? row.length <= first.length : row.length === first.length;
    return isWide && !/\s|%20/.test(row);
  });
}
