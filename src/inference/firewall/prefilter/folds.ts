import { unusualBit } from '../plain-view.js';

/** The fold of whatever is no letter, digit or sign that tells anything. */
export const OTHER = 0;
export const DIGIT = 27;
export const AT = 28;
export const FIRST_CYRILLIC = 32;
const PUNCTUATION = new Map([
  ['_', 29],
  ['-', 29],
  ['.', 29],
  [':', 30],
  ['|', 31],
  ['<', 31],
  ['[', 31],
]);

/** The fold of a character: letters lose their case, rare characters become one. Below 64. */
function foldOf(code: number): number {
  const character = String.fromCharCode(code).toLowerCase();
  // `İ` becomes two characters, of which no detector takes the first for an `i`.
  if (character.length > 1) return OTHER;
  const lower = character.charCodeAt(0);
  if (lower >= 97 && lower <= 122) return lower - 96;
  if (lower >= 48 && lower <= 57) return DIGIT;
  if (character === '@') return AT;
  if (character === 'ё') return FIRST_CYRILLIC + 5;
  if (lower >= 0x430 && lower <= 0x44f) return FIRST_CYRILLIC + lower - 0x430;
  return PUNCTUATION.get(character) ?? OTHER;
}

/** The bits of a fold in the tables of units; those above are UNUSUAL. */
export const FOLD = 63;
/** For each unit of UTF-16 its fold, with the UNUSUAL bits above it. */
export const UNITS = Uint8Array.from(
  { length: 0x10000 },
  (_, code) => (code < 0x500 ? foldOf(code) : OTHER) | unusualBit(code),
);

/** A window is four folds, a byte each, the latest in the highest byte. */
export function extend(window: number, fold: number): number {
  return (window >>> 8) | (fold << 24);
}

/** A place in the table of 2^16 for a window. */
export function hashOf(window: number): number {
  return Math.imul(window, 0x9e3779b1) >>> 16;
}
