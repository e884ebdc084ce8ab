import { randomBytes } from 'node:crypto';

/** A text that stands nowhere but where a test has put it. */
export function newMarker(): string {
  return `Zimorodok${randomBytes(6).toString('hex')}`;
}

/** A text with something odd in it, as it is written in JSON: the bytes of a request. */
export interface OddText {
  readonly name: string;
  /** The text as a literal of JSON, with its quotation marks. */
  literal(marker: string): string;
}

const HUGE_CHARACTERS = 60_000;

/** Texts that are JSON, and that databases, encoders or ciphers may trip over. */
export const ODD_TEXTS: readonly OddText[] = [
  { name: 'Cyrillic', literal: (marker) => `"Иван ${marker} Петров 🙂"` },
  { name: 'a NUL', literal: (marker) => `"${marker}\\u0000${marker}"` },
  { name: 'a lone high surrogate', literal: (marker) => `"${marker}\\ud800 ${marker}"` },
  { name: 'a lone low surrogate', literal: (marker) => `"${marker}\\udc00"` },
  { name: 'control characters', literal: (marker) => `"${marker}\\u0001\\u001f\\u007f\\u2028"` },
  { name: 'what is no character', literal: (marker) => `"${marker}\\uffff\\ufeff\\ufffe"` },
  { name: 'backslashes', literal: (marker) => `"\\\\x${marker}\\\\u0000\\"'; DROP TABLE x --"` },
  {
    name: 'huge',
    literal: (marker) => `"${`${marker} `.repeat(HUGE_CHARACTERS / (marker.length + 1))}"`,
  },
];

/** JSON around a text that is odd by itself. */
export const ODD_SHAPES: readonly OddText[] = [
  { name: 'as a name', literal: (marker) => `{"${marker}":{"${marker}":1}}` },
  { name: 'beside __proto__', literal: (marker) => `{"__proto__":{"a":"${marker}"},"b":1}` },
  { name: 'beside no figure', literal: (marker) => `{"a":"${marker}","b":[1e400]}` },
  { name: 'beside a large figure', literal: (marker) => `{"a":"${marker}","b":[${2 ** 60}]}` },
  {
    name: 'deep',
    literal: (marker) => `${'{"a":'.repeat(200)}"${marker}"${'}'.repeat(200)}`,
  },
];

/** Bodies that are no JSON, or no UTF-8. */
export function brokenBodies(body: string, marker: string): readonly Buffer[] {
  const bytes = Buffer.from(body, 'utf8');
  const at = bytes.indexOf(marker) + marker.length;
  const middle = (...odd: number[]) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(odd), bytes.subarray(at)]);
  return [
    bytes.subarray(0, at),
    Buffer.concat([bytes, Buffer.from('}')]),
    middle(0),
    middle(0xff, 0xfe),
    middle(0xed, 0xa0, 0x80),
    Buffer.from(body, 'utf16le'),
  ];
}

/** Every form in which a marker could lie in a row, bytes being told in hexadecimal. */
export function formsOf(marker: string): readonly string[] {
  const bytes = Buffer.from(marker);
  const base64 = [0, 1, 2].map((skipped) => {
    const shifted = Buffer.concat([Buffer.alloc(skipped), bytes]).toString('base64');
    return shifted.slice(skipped === 0 ? 0 : 4, -4);
  });
  const wide = Buffer.from(marker, 'utf16le').toString('hex');
  return [marker, bytes.toString('hex'), wide, ...base64];
}
