import { measuredAt } from './base64-chain.js';
import { isSign, isVisibleSign } from './base64-signs.js';

/** A row of signs that is shorter may be a name or a word. */
export const ROW_MIN = 40;
/** Shorter rows may be a list, one below the other, unless all of them are one text. */
const LINE_MIN = 60;
/** Behind an address rows are base64, however they are wrapped. */
const ADDRESS_LINE_MIN = 16;

/** A narrower row may begin base64 where further rows follow. */
const NARROW_ROW_MIN = 16;

/** False proves that a text has no row. Invisible characters count as signs. */
export function mayHaveRow(text: string): boolean {
  return rowFrom(text, 0, 0, isSign) >= 0;
}

/**
 * Where the next long row of signs begins, or a narrow one that others follow; -1 for none. Most
 * characters of a text are not looked at.
 * @param narrowFrom narrow rows before this place are passed over
 */
export function nextRow(text: string, from: number, narrowFrom = from): number {
  return rowFrom(text, from, narrowFrom, isVisibleSign);
}

function rowFrom(
  text: string,
  from: number,
  narrowFrom: number,
  isOne: (code: number) => boolean,
): number {
  let begin = from;
  let last = begin + NARROW_ROW_MIN - 1;
  while (last < text.length) {
    let at = last;
    while (at >= begin && isOne(text.charCodeAt(at))) at -= 1;
    if (at < begin) {
      const end = endOfNarrow(text, begin, isOne);
      if (end === undefined) return begin;
      at = end - 1;
      if (begin >= narrowFrom && MAY_PART.test(text.charAt(end))) {
        const chain = measuredAt(text, begin, ROW_MIN);
        const isText = chain.signs >= ROW_MIN && isMixedCase(text.slice(begin, chain.end));
        if (isText) return begin;
        if (chain.firstLong !== undefined) return chain.firstLong;
        at = Math.max(end, chain.end) - 1;
      }
    }
    begin = at + 1;
    last = begin + NARROW_ROW_MIN - 1;
  }
  return -1;
}

/** What may follow a row where another one does: blanks, an end of a line, or its escape. */
const MAY_PART = /[\s\\]/;

/** Where a narrow row ends; undefined for a long one. */
function endOfNarrow(
  text: string,
  begin: number,
  isOne: (code: number) => boolean,
): number | undefined {
  let at = begin + NARROW_ROW_MIN;
  while (at < begin + ROW_MIN) {
    if (at >= text.length || !isOne(text.charCodeAt(at))) return at;
    at += 1;
  }
  return undefined;
}

/** False for what no base64 of a text looks like: words, names, digests. */
export function isMixedCase(row: string): boolean {
  return [/\d/, /[A-Z]/, /[a-z]/].every((sign) => sign.test(row));
}

/** Addresses spell signs by percent, and texts of JSON have a stroke before a slash. */
const PAYLOAD = /[\w+/%\\-]*={0,2}/y;
const NO_SPELLING = /\\(?!\/)|%(?!2[bf]|3d)/i;
const ROW = /[\w+/-]+={0,2}/y;
/** How a line ends, in a text and in a text of JSON, and what quotes the next one. */
const NEXT_LINE = /(?:\r?\n|\\r\\n|\\n)[ \t>]{0,8}([\w+/-]+={0,2})/y;

/** What a pattern finds at a place of a text. */
export function matchAt(pattern: RegExp, text: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place;
  return pattern.exec(text);
}

/** Where base64 may end. */
export interface Ends {
  /** The ends at which it may be a text, the best one first. */
  readonly tries: readonly number[];
  /** The end of what is taken for one piece where it is a text at none of them. */
  readonly whole: number;
  /** The end of the rows that were tried together. */
  readonly tried: number;
}

/** Where a row of signs may end, with the rows below it unless it is to be read alone. */
export function endsOfRow(text: string, begin: number, isAlone: boolean): Ends {
  const width = matchAt(ROW, text, begin)?.[0].length ?? 0;
  if (width < ROW_MIN) return endsAt([], begin + width);
  return endsOf(text, begin, width, isAlone ? Number.POSITIVE_INFINITY : ROW_MIN);
}

/** Where base64 behind an address may end. */
export function endsOfPayload(text: string, begin: number): Ends {
  const row = matchAt(PAYLOAD, text, begin)?.[0] ?? '';
  const other = row.search(NO_SPELLING);
  const width = other < 0 ? row.length : other;
  const { tries, whole, tried } = endsOf(text, begin, width, ADDRESS_LINE_MIN, ADDRESS_LINE_MIN);
  return { tries: [...new Set([...tries, begin + width])], whole, tried };
}

/**
 * Ends with the lines of one width below, and without the last, shorter one.
 * @param lineMin rows of this width are taken together, whatever they are
 */
function endsOf(
  text: string,
  begin: number,
  width: number,
  widthMin: number,
  lineMin = LINE_MIN,
): Ends {
  const first = begin + width;
  if (width < widthMin || text.charAt(first - 1) === '=') return endsAt([first], first);
  const isWide = width >= lineMin;
  let end = first;
  for (;;) {
    const line = matchAt(NEXT_LINE, text, end);
    const length = line?.[1]?.length ?? 0;
    if (line && length === width) {
      end += line[0].length;
      continue;
    }
    const last = line && length < width ? end + line[0].length : undefined;
    const together = last === undefined ? [end] : [last, end];
    if (isWide) return endsAt(together, together[0] ?? end);
    // Rows above a longer one are a list.
    if (line && length > width) return endsAt([first], first, end);
    return endsAt([...new Set([...together, first])], first);
  }
}

function endsAt(tries: readonly number[], whole: number, tried = tries[0] ?? whole): Ends {
  return { tries, whole, tried };
}
