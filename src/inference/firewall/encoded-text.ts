import { isUtf8 } from 'node:buffer';

/** Members whose value is bytes in base64 where the wire is kept to. */
export const BINARY_MEMBERS: ReadonlySet<string> = new Set([
  'data',
  'file_data',
  'b64_json',
  'signature',
  'thought_signature',
  'encrypted_content',
]);

/** Below this, an image or a sound does not exist, and what stands there may be a number. */
const BINARY_CHARACTERS_MIN = 64;
/** Whatever parameters an address has, and however it spells them. */
const DATA_ADDRESS = /^\s{0,16}data:[^,]{0,1024};\s{0,4}base64\s{0,4},/i;
/** Lines of base64 are wrapped by mail programs, and its signs spelt out in addresses. */
const WRAPPED = /\s+|%0[ad]|%20/gi;
const SPELT: Readonly<Record<string, string>> = { '%2b': '+', '%2f': '/', '%3d': '=' };

/**
 * Base64 has `+`, `/`, `-` and digits, so that telephones can be well-formed base64; in that of a
 * picture such a row of digits without a letter beside it hardly ever stands.
 */
const ROW_OF_DIGITS = /(?<![A-Za-z\d_])\d(?:[-/+\s]{0,2}\d){9,}(?![A-Za-z\d_])/;

/** What stands in base64 at a position that may hold bytes. */
export type Encoded = {
  /** True where the base64 itself may be a text, so that it has to be read as it stands, too. */
  readonly isReadable: boolean;
} & (
  | { readonly kind: 'binary' }
  | { readonly kind: 'text'; readonly text: string; readonly encode: (text: string) => string }
);

/**
 * Reads a text as base64: bytes that are no text, or a text and the way to write another one in its
 * place. Undefined where the position is not for bytes or the text is no base64, so that it must be
 * read as it is.
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
  const isReadable = isShort || ROW_OF_DIGITS.test(given);
  const written = writingOf(bytes);
  if (!written) return isShort ? undefined : { kind: 'binary', isReadable };
  const encode = (changed: string) => (prefix ?? '') + written.encode(changed).toString('base64');
  return { kind: 'text', isReadable, text: written.text, encode };
}

function withoutWrapping(payload: string): string {
  if (!/[\s%]/.test(payload)) return payload;
  const signs = payload.replace(WRAPPED, '');
  return signs.replace(/%(?:2b|2f|3d)/gi, (spelt) => SPELT[spelt.toLowerCase()] ?? spelt);
}

/** The bytes of a text in which every character is one of base64. */
function bytesIn(payload: string): number {
  const padding = payload.endsWith('==') ? 2 : payload.endsWith('=') ? 1 : 0;
  return Math.floor(((payload.length - padding) * 3) / 4);
}

interface Writing {
  readonly text: string;
  readonly encode: (text: string) => Buffer;
}

/** The text that bytes are, in the writings that are in use in Russia; undefined for no text. */
function writingOf(bytes: Buffer): Writing | undefined {
  const wide = wideOrder(bytes);
  if (wide === 'little') {
    return { text: bytes.toString('utf16le'), encode: (text) => Buffer.from(text, 'utf16le') };
  }
  if (wide === 'big') {
    const text = Buffer.from(bytes).swap16().toString('utf16le');
    return { text, encode: (changed) => Buffer.from(changed, 'utf16le').swap16() };
  }
  if (isUtf8(bytes)) return { text: bytes.toString('utf8'), encode: (text) => Buffer.from(text) };
  return hasControls(bytes) ? undefined : { text: CYRILLIC.decode(bytes), encode: inCyrillic };
}

/** So many bytes show which half of each letter is the alphabet's. */
const LOOK_BYTES = 512;

/** UTF-16 repeats the high byte of its alphabet, zero or 4 for Latin and Cyrillic letters. */
function wideOrder(bytes: Buffer): 'little' | 'big' | undefined {
  if (bytes.length % 2 === 1) return undefined;
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

/** Bytes below 32 that no text has. */
function hasControls(bytes: Buffer): boolean {
  for (const byte of bytes) {
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13) return true;
  }
  return false;
}

const CYRILLIC = new TextDecoder('windows-1251');

const BYTES_OF_CYRILLIC = new Map(
  Array.from({ length: 256 }, (_, byte) => [CYRILLIC.decode(Uint8Array.of(byte)), byte]),
);

function inCyrillic(text: string): Buffer {
  return Buffer.from(Array.from(text, (letter) => BYTES_OF_CYRILLIC.get(letter) ?? QUESTION));
}

const QUESTION = 0x3f;
