/** Members whose value is bytes in base64 where the wire is kept to. */
export const BINARY_MEMBERS: ReadonlySet<string> = new Set([
  'data',
  'file_data',
  'b64_json',
  'signature',
  'thought_signature',
  'encrypted_content',
]);

const CHARSET = /;\s{0,4}charset\s{0,4}=\s{0,4}["']?([\w.:-]{1,40})/i;
/** Lines of base64 are wrapped by mail programs, and its signs spelt out in addresses. */
const WRAPPED = /\s+|%0[ad]|%20/gi;
const SPELT: Readonly<Record<string, string>> = { '%2b': '+', '%2f': '/', '%3d': '=' };

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

/** What an address in `data:` says of the encoding of its text. */
export function charsetOf(address: string): string | undefined {
  return CHARSET.exec(address)?.[1];
}

/** Base64 without the breaks of its lines and the escapes of addresses. */
export function withoutWrapping(payload: string): string {
  return /[\s%]/.test(payload) ? withoutSpelling(payload.replace(WRAPPED, '')) : payload;
}

/** Base64 without the escapes that addresses and texts of JSON have for its signs. */
export function withoutSpelling(payload: string): string {
  return payload
    .replaceAll('\\/', '/')
    .replace(/%(?:2b|2f|3d)/gi, (spelt) => SPELT[spelt.toLowerCase()] ?? spelt);
}

/** The number of bytes of a text in which every character is one of base64. */
export function bytesIn(payload: string): number {
  const padding = payload.endsWith('==') ? 2 : payload.endsWith('=') ? 1 : 0;
  return Math.floor(((payload.length - padding) * 3) / 4);
}
