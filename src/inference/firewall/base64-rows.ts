/** A row of signs that is shorter may be a name or a word. */
const ROW_MIN = 40;
/** Shorter rows may be a list, one below the other, unless all of them are one text. */
const LINE_MIN = 60;
/** Behind an address rows are base64, however they are wrapped. */
const ADDRESS_LINE_MIN = 16;

const IS_SIGN = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[\w+/-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

function isSign(code: number): boolean {
  return IS_SIGN[code] === 1;
}

/** Where the next long row of signs begins, or -1. Most characters of a text are not looked at. */
export function nextRow(text: string, from: number): number {
  let begin = from;
  let last = begin + ROW_MIN - 1;
  while (last < text.length) {
    let at = last;
    while (at >= begin && isSign(text.charCodeAt(at))) at -= 1;
    if (at < begin) return begin;
    begin = at + 1;
    last = begin + ROW_MIN - 1;
  }
  return -1;
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
  return endsOf(text, begin, width, isAlone ? Number.POSITIVE_INFINITY : ROW_MIN);
}

/** Where base64 behind an address may end. */
export function endsOfPayload(text: string, begin: number): Ends {
  const row = matchAt(PAYLOAD, text, begin)?.[0] ?? '';
  const other = row.search(NO_SPELLING);
  return endsOf(text, begin, other < 0 ? row.length : other, ADDRESS_LINE_MIN);
}

/** Ends with the lines of one width below, and without the last, shorter one. */
function endsOf(text: string, begin: number, width: number, widthMin: number): Ends {
  const first = begin + width;
  if (width < widthMin || text.charAt(first - 1) === '=') return endsAt([first], first);
  const isWide = width >= LINE_MIN;
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

const FIRST_ROW = /^[\s>]{0,8}([\w+/-]+={0,2})\s{0,8}/;
/** A word that begins a sentence is shorter. */
const FIRST_ROW_MIN = 4;

/** The signs at the end of a text and those at the beginning of the next one, where both are. */
export function rowAcross(before: string, text: string): string | undefined {
  const tail = lastRow(before);
  const [match = '', head = ''] = (tail && FIRST_ROW.exec(text)) || [];
  if (head.length < FIRST_ROW_MIN && match.length < text.length) return undefined;
  const isShort = head === '' || tail.length + head.length < ROW_MIN;
  return isShort ? undefined : tail + head;
}

function lastRow(text: string): string {
  const end = text.trimEnd().length;
  let begin = end;
  while (begin > 0 && isSign(text.charCodeAt(begin - 1))) begin -= 1;
  return text.slice(begin, end);
}
