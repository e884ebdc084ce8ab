import { ReadableText } from './json-text.js';
import { HIDDEN } from './plain-view.js';

const HALF_OF_HIDDEN = 0xdb40;

function isHiddenHalf(code: number): boolean {
  return code === HALF_OF_HIDDEN || (code >= 0xdc00 && code <= 0xdfff);
}

/** Signs, and what nobody sees between them. */
const IS_SIGN = Uint8Array.from({ length: 0x10000 }, (_, code) => {
  if (code >= 0xd800 && code <= 0xdfff) return isHiddenHalf(code) ? 1 : 0;
  const character = String.fromCharCode(code);
  return /[\w+/-]/.test(character) || HIDDEN.test(character) ? 1 : 0;
});

/** True for a sign of base64, and for what nobody sees between two of them. */
export function isSign(code: number): boolean {
  return IS_SIGN[code] === 1;
}

/** True for a sign of base64 alone. */
export function isVisibleSign(code: number): boolean {
  return code < 0x80 && IS_SIGN[code] === 1 && code > 0x20 && code !== 0x7f;
}

const EVERY_HIDDEN = new RegExp(HIDDEN.source, 'gu');

/** A text without its invisible characters, with the way back; undefined where it has none. */
export function withoutHidden(text: string): ReadableText | undefined {
  return HIDDEN.test(text) ? new ReadableText(text, EVERY_HIDDEN, () => '') : undefined;
}

/** Signs, and what nobody sees between them, for a class of a pattern. */
export const SIGNS = `\\w+/\\-${rangesOfHidden()}`;

function rangesOfHidden(): string {
  const codes = Array.from(IS_SIGN.keys()).filter(
    (code) => IS_SIGN[code] === 1 && !/[\w+/-]/.test(String.fromCharCode(code)),
  );
  const spelled = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
  const begins = codes.filter((code, at) => codes[at - 1] !== code - 1);
  const ends = codes.filter((code, at) => codes[at + 1] !== code + 1);
  return begins.map((code, at) => `${spelled(code)}-${spelled(ends[at] ?? code)}`).join('');
}
