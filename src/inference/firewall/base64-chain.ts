import { SIGNS } from './base64-signs.js';
import { type TextAmongSigns, textAmong } from './base64-text.js';

/** What parts two rows: an end of a line, in a text or in a text of JSON, or blanks. */
const BLANK = '[ \\t\\u00a0\\u2000-\\u200a\\u202f\\u3000]';
const LINE_END = '(?:\\r?\\n|\\\\r\\\\n|\\\\n)';
const BETWEEN = `(?:${BLANK}{0,8}${LINE_END}{1,2}[ \\t>]{0,8}|${BLANK}{1,8})`;
const FIRST = new RegExp(`[${SIGNS}]+={0,2}`, 'y');
const NEXT = new RegExp(`(${BETWEEN})([${SIGNS}]+={0,2})`, 'y');
const IS_LINE_END = new RegExp(LINE_END);
/** A shorter row may be a word of a sentence, unless it is the last one. */
const ROW_MIN = 8;
const GROUP = 4;
const ENDS_HERE = new RegExp(`(?:$|${BLANK}{0,8}${LINE_END}|["'\`<)\\],;])`, 'y');

interface Row {
  /** Where it stands in the text, and its first sign among all signs of the chain. */
  readonly begin: number;
  readonly end: number;
  readonly at: number;
}

/** Rows of signs that follow one another, parted by nothing but ends of lines and blanks. */
export class Chain {
  readonly signs: string;
  readonly end: number;
  /** True once all of its rows were tried together. */
  isTried = false;
  #row = 0;
  private known: { readonly from: number; readonly text: TextAmongSigns | undefined } | undefined;

  constructor(
    text: string,
    private readonly rows: readonly Row[],
  ) {
    this.signs = rows.map(({ begin, end }) => text.slice(begin, end)).join('');
    this.end = rows.at(-1)?.end ?? 0;
  }

  /** The number of the sign that stands at a place, or at the first one behind it. */
  signAt(place: number): number {
    while (this.#row > 0 && (this.rows[this.#row]?.begin ?? 0) > place) this.#row -= 1;
    while (this.#row + 1 < this.rows.length && (this.rows[this.#row]?.end ?? 0) <= place) {
      this.#row += 1;
    }
    const { begin, at } = this.rows[this.#row] ?? { begin: 0, at: 0 };
    return at + Math.max(0, place - begin);
  }

  /** The text that begins at a sign or at most so many signs behind it. */
  textNear(from: number, count: number): TextAmongSigns | undefined {
    return this.#inWholeRows(
      textAmong(this.signs, from, Math.min(from + count, this.signs.length)),
    );
  }

  /** The first text that begins at a sign or anywhere behind it. */
  textFrom(from: number): TextAmongSigns | undefined {
    const { known } = this;
    const isKnown = known && from >= known.from && from <= (known.text?.lead ?? this.signs.length);
    if (isKnown) return known.text;
    const text = this.#inWholeRows(textAmong(this.signs, from, this.signs.length));
    this.known = { from, text };
    return text;
  }

  /** A row of which a text holds the beginning only, by accident, is none of its rows. */
  #inWholeRows(text: TextAmongSigns | undefined): TextAmongSigns | undefined {
    if (!text) return undefined;
    const { at, begin, end } = this.#rowOf(text.end - 1);
    const count = text.end - at;
    const isRow = at <= text.lead || count >= end - begin - GROUP || count >= ROW_MIN * 2;
    return isRow ? text : textAmong(this.signs.slice(0, at), text.lead, text.lead + 1);
  }

  /** Where a sign stands in the text. */
  placeOf(sign: number): number {
    const row = this.#rowOf(sign);
    return row.begin + sign - row.at;
  }

  /** Where so many signs of the chain end in the text. */
  endOf(count: number): number {
    const row = this.#rowOf(count - 1);
    return row.begin + count - row.at;
  }

  #rowOf(sign: number): Row {
    let low = 0;
    let high = this.rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.rows[middle]?.at ?? 0) <= sign) low = middle;
      else high = middle - 1;
    }
    return this.rows[low] ?? { begin: 0, end: 0, at: 0 };
  }
}

/** The chain that begins at a place. */
export function chainAt(text: string, begin: number, limit = text.length): Chain {
  return new Chain(text, rowsAt(text, begin, limit));
}

interface Measure {
  /** The number of its signs. */
  readonly signs: number;
  readonly end: number;
  /** Where its first row of so many signs begins. */
  readonly firstLong: number | undefined;
}

/** What the chain that begins at a place measures. */
export function measuredAt(text: string, place: number, longMin: number): Measure {
  const rows = rowsAt(text, place, text.length);
  const last = rows.at(-1) ?? { begin: place, end: place, at: 0 };
  return {
    signs: last.at + last.end - last.begin,
    end: last.end,
    firstLong: rows.find(({ begin, end }) => end - begin >= longMin)?.begin,
  };
}

function rowsAt(text: string, place: number, limit: number): Row[] {
  const rows: Row[] = [];
  let end = endOfMatch(FIRST, text, place);
  let at = 0;
  const add = (begin: number) => {
    const last = Math.min(end, limit);
    if (begin < last) rows.push({ begin, end: last, at });
    at += Math.max(0, last - begin);
  };
  add(place);
  while (end < limit && text.charAt(end - 1) !== '=') {
    NEXT.lastIndex = end;
    const [next = '', between = '', row = ''] = NEXT.exec(text) ?? [];
    const begin = end + between.length;
    const isShort = row.length < ROW_MIN;
    if (next === '' || (isShort && !mayBeLast(text, begin, row, at, between))) break;
    end += next.length;
    add(begin);
    if (isShort) break;
  }
  return rows;
}

function mayBeLast(text: string, begin: number, row: string, signs: number, between: string) {
  if (row.endsWith('=')) return true;
  const rest = (signs + row.length) % GROUP;
  if (!IS_LINE_END.test(between)) return rest === 0;
  ENDS_HERE.lastIndex = begin + row.length;
  return rest !== 1 && ENDS_HERE.test(text);
}

function endOfMatch(pattern: RegExp, text: string, place: number): number {
  pattern.lastIndex = place;
  return pattern.test(text) ? pattern.lastIndex : place;
}
