import { writingOf } from './writings.js';

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
const CHARSET = /;\s{0,4}charset\s{0,4}=\s{0,4}["']?([\w.:-]{1,40})/i;
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
  | {
      readonly kind: 'text';
      readonly text: string;
      /** False where the bytes may be another text: what was read is a guess. */
      readonly isCertain: boolean;
      readonly encode: (text: string) => string;
    }
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
  const written = writingOf(bytes, charsetOf(prefix ?? ''));
  if (!written) return isShort ? undefined : { kind: 'binary', isReadable };
  const encode = (changed: string) => (prefix ?? '') + written.encode(changed).toString('base64');
  return { kind: 'text', isReadable, text: written.text, isCertain: written.isCertain, encode };
}

/** What an address in `data:` says of the encoding of its text. */
export function charsetOf(address: string): string | undefined {
  return CHARSET.exec(address)?.[1];
}

/** Base64 without the breaks of its lines and the escapes of addresses. */
export function withoutWrapping(payload: string): string {
  if (!/[\s%]/.test(payload)) return payload;
  const signs = payload.replace(WRAPPED, '');
  return signs.replace(/%(?:2b|2f|3d)/gi, (spelt) => SPELT[spelt.toLowerCase()] ?? spelt);
}

/** The number of bytes of a text in which every character is one of base64. */
export function bytesIn(payload: string): number {
  const padding = payload.endsWith('==') ? 2 : payload.endsWith('=') ? 1 : 0;
  return Math.floor(((payload.length - padding) * 3) / 4);
}
