import type { Finding } from './finding.js';
import { ReadableText } from './json-text.js';

/**
 * Invisible characters, which no reader sees inside a number: formats, fillers, selectors, keycaps,
 * strokes through a digit, and controls but for those that end a word.
 */
export const HIDDEN =
  /\p{Cf}|\p{Default_Ignorable_Code_Point}|[\u20dd-\u20e4\u0335-\u0338]|(?![\t-\r\x85])\p{Cc}/u;
/** Decimal digits of any script, and the forms of ASCII that are as wide as a Chinese letter. */
const FOREIGN = /(?![0-9])\p{Nd}|[\uff01-\uff5e]/u;
/** Digits above, below and in circles, and how many are in each row; the rest stand alone. */
const DRAWN_ROWS = [
  [0x2074, 4, 6],
  [0x2080, 0, 10],
  [0x2460, 1, 9],
  [0x24f5, 1, 9],
  [0x2776, 1, 9],
  [0x2780, 1, 9],
  [0x278a, 1, 9],
] as const;
const DRAWN = new Map<string, string>([
  ...DRAWN_ROWS.flatMap(([code, first, count]) =>
    Array.from({ length: count }, (_, at): [string, string] => [
      String.fromCharCode(code + at),
      String(first + at),
    ]),
  ),
  ...([...'\u00b9\u00b2\u00b3'].map((sign, at) => [sign, String(at + 1)]) as [string, string][]),
  ...([...'\u2070\u24ea\u24ff'].map((sign) => [sign, '0']) as [string, string][]),
]);
/** A power, as in m², is no digit of a number. */
const POWERS = '\u00b9\u00b2\u00b3';
const ABOVE = '\u2070\u2074-\u2079';
const DRAWN_DIGIT = new RegExp(
  `[${[...DRAWN.keys()].filter((sign) => !POWERS.includes(sign)).join('')}]|` +
    `[${POWERS}](?=[${ABOVE}${POWERS}])|(?<=[${ABOVE}${POWERS}])[${POWERS}]`,
);
/** Marks that are put on a digit, as accents are on letters. */
const ACCENT = /(?<=\d[\u0300-\u036f]{0,3})[\u0300-\u036f]/;
/** Letters that some systems write as a letter and a mark: й and ё. */
const DECOMPOSED = '[Ии]\u0306|[Ее]\u0308';
const DECOMPOSED_AT = new RegExp(DECOMPOSED, 'y');
/** Signs that look like those of an address. */
const SIGNS = new Map([
  ['\ufe6b', '@'],
  ['\u2024', '.'],
  ['\ufe52', '.'],
  ['\uff61', '.'],
]);
const SIGN = new RegExp(`[${[...SIGNS.keys()].join('')}]`);
/** What Markdown writes around a part of a number. */
const EMPHASIS = /\*\*|~~|`/;
/** Spaces and dashes that typesetting puts where a typist has ` ` and `-`. */
const SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/;
const DASH = /[\u2010-\u2012\u2212\ufe63\u2043]/;

/** What the prefilter has to know of a code unit of UTF-16. */
export const UNUSUAL = { hidden: 64, typeset: 128 } as const;

/** First halves of the characters beyond 0xffff among which digits or invisible ones stand. */
const HIGH_HALVES = new Set([
  0xd801, 0xd803, 0xd804, 0xd805, 0xd806, 0xd807, 0xd81a, 0xd82f, 0xd834, 0xd835, 0xd838, 0xd839,
  0xd83a, 0xdb40,
]);

/** The UNUSUAL bit of a code unit, 0 for an ordinary one. */
export function unusualBit(code: number): number {
  if (code >= 0x20 && code < 0x7f) return 0;
  // Digits of segments (U+1FBF0) share their first half with pictures, so the second one tells.
  if (code >= 0xd800 && code <= 0xdfff) {
    return HIGH_HALVES.has(code) || (code >= 0xdff0 && code <= 0xdff9) ? UNUSUAL.hidden : 0;
  }
  const character = String.fromCharCode(code);
  if (HIDDEN.test(character) || FOREIGN.test(character)) return UNUSUAL.hidden;
  const isDrawn = DRAWN.has(character) && !POWERS.includes(character);
  const isAccent = code >= 0x300 && code <= 0x36f;
  if (isDrawn || isAccent || SIGNS.has(character)) return UNUSUAL.hidden;
  return SPACE.test(character) || DASH.test(character) ? UNUSUAL.typeset : 0;
}

const DIGITS = new Map<number, string>();

/** The value of a decimal digit: Unicode keeps each ten in a row, and rows may touch. */
function digitOf(code: number): string {
  const known = DIGITS.get(code);
  if (known !== undefined) return known;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  const digit = String((code - first) % 10);
  DIGITS.set(code, digit);
  return digit;
}

function isDecomposed(text: string, place: number): boolean {
  DECOMPOSED_AT.lastIndex = place;
  return DECOMPOSED_AT.test(text);
}

function plainForm(character: string): string {
  if (isDecomposed(character, 0)) return character.normalize('NFC');
  if (HIDDEN.test(character) || EMPHASIS.test(character)) return '';
  const drawn = DRAWN.get(character) ?? SIGNS.get(character);
  if (drawn !== undefined) return drawn;
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x300 && code <= 0x36f) return '';
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  if (SPACE.test(character)) return ' ';
  return DASH.test(character) ? '-' : digitOf(code);
}

/** What every unusual character begins with: no other letter, digit or sign is tried further. */
const MAY_BE_UNUSUAL = '(?=[^\\t-\\r\\x20-)+-_a-}А-Яа-яЁё])';

const UNUSUAL_CHARACTER = new RegExp(
  `${MAY_BE_UNUSUAL}(?:${[HIDDEN, FOREIGN, DRAWN_DIGIT, ACCENT, SIGN, EMPHASIS, SPACE, DASH]
    .map(({ source }) => source)
    .join('|')})`,
  'gu',
);
/** Only where a mark of theirs stands in a text: letters are most of what there is to try. */
const WITH_DECOMPOSED = new RegExp(`${UNUSUAL_CHARACTER.source}|${DECOMPOSED}`, 'gu');
const MARKS = ['\u0306', '\u0308'];

/** One mark before or behind what parts two groups, or one on each side: each group is marked. */
const EMPHASISED_DIGIT = /\d(?:\*\*|~~|`)?[ ().-]{0,2}(?:\*\*|~~|`)[ ().-]{0,2}\d/;

const EMPHASES = ['**', '~~', '`'] as const;

/** True where Markdown may part the digits of a number. */
export function hasEmphasis(text: string): boolean {
  return EMPHASES.some((sign) => text.includes(sign)) && EMPHASISED_DIGIT.test(text);
}

/**
 * A text as detectors judge it: without invisible characters, with ASCII digits, spaces and
 * dashes. Findings are given their places in the text as it was written.
 */
export class PlainView extends ReadableText {
  constructor(text: string) {
    const hasMarks = MARKS.some((mark) => text.includes(mark));
    super(text, hasMarks ? WITH_DECOMPOSED : UNUSUAL_CHARACTER, plainForm);
  }

  /** The findings with their places in the text as it was written. */
  written(findings: readonly Finding[]): Finding[] {
    return findings.map((finding) => {
      const last = this.writtenPlace(finding.end - 1);
      const isWide = (this.text.codePointAt(last) ?? 0) > 0xffff || isDecomposed(this.text, last);
      return { ...finding, start: this.writtenPlace(finding.start), end: last + (isWide ? 2 : 1) };
    });
  }
}
