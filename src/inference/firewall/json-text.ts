const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
};

/** What HTML writes for a character that a value may hold, and the space of tables. */
const ENTITIES: Readonly<Record<string, string>> = {
  nbsp: '\u00a0',
  commat: '@',
  period: '.',
  plus: '+',
  hyphen: '-',
};

const ENTITY = '&(?:nbsp|commat|period|plus|hyphen|#\\d{1,7}|#[xX][\\da-fA-F]{1,6});';

/** Which spellings are resolved: those of JSON, or those of addresses (`%40`) and HTML as well. */
type Spelling = 'json' | 'any';

const SPELLED: Readonly<Record<Spelling, RegExp>> = {
  json: /\\(?:u[\da-fA-F]{4}|[\s\S])/g,
  any: new RegExp(`\\\\(?:u[\\da-fA-F]{4}|[\\s\\S])|%[0-7][\\da-fA-F]|${ENTITY}`, 'g'),
};

/**
 * A text of JSON as people would read it, with the way back to its places. Tool arguments and
 * results carry `\n` and `\u0418` where detectors must see a line's end and a letter; only the
 * values that are replaced may change in the written form.
 */
export class JsonText {
  /** The text with every escape resolved, once. */
  readonly view: string;
  /** Behind each escape its place in the view, and the place in the raw text, by turns. */
  readonly #marks: readonly number[];

  constructor(
    private readonly raw: string,
    spelling: Spelling = 'json',
  ) {
    const marks: number[] = [];
    this.#marks = marks;
    const isPlain = !raw.includes('\\') && (spelling === 'json' || !/[%&]/.test(raw));
    if (isPlain) {
      this.view = raw;
      return;
    }
    let view = '';
    let from = 0;
    for (const { 0: spelled, index } of raw.matchAll(SPELLED[spelling])) {
      view += raw.slice(from, index) + resolved(spelled);
      from = index + spelled.length;
      marks.push(view.length, from);
    }
    this.view = view + raw.slice(from);
  }

  /** The place in the raw text of a place in the view. */
  rawPlace(place: number): number {
    let low = 0;
    let high = this.#marks.length / 2;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#marks[middle * 2] as number) <= place) low = middle + 1;
      else high = middle;
    }
    const seen = low === 0 ? 0 : (this.#marks[low * 2 - 2] as number);
    const written = low === 0 ? 0 : (this.#marks[low * 2 - 1] as number);
    return Math.min(written + place - seen, this.raw.length);
  }
}

/** For places of a JSON text in ascending order, whether each stands inside a string literal. */
export function insideStrings(raw: string, places: readonly number[]): boolean[] {
  const answers: boolean[] = [];
  let inside = false;
  let index = 0;
  for (const end of places) {
    for (; index < end; index += 1) {
      const character = raw.charCodeAt(index);
      if (character === QUOTE) inside = !inside;
      else if (character === BACKSLASH && inside) index += 1;
    }
    answers.push(inside);
  }
  return answers;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function resolved(spelled: string): string {
  if (spelled.charAt(0) === '%') return String.fromCharCode(Number.parseInt(spelled.slice(1), 16));
  if (spelled.charAt(0) === '&') return characterOf(spelled.slice(1, -1));
  if (spelled.length === 6) return String.fromCharCode(Number.parseInt(spelled.slice(2), 16));
  const escaped = spelled.charAt(1);
  return ESCAPES[escaped] ?? escaped;
}

function characterOf(entity: string): string {
  if (entity.charAt(0) !== '#') return ENTITIES[entity] ?? '';
  const isHexadecimal = /^#x/i.test(entity);
  const code = isHexadecimal ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** A value as it stands inside a JSON string, without the quotes. */
export function insideJsonString(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** True where a message's text is itself a JSON document with escapes, such as a tool's result. */
export function isEscapedJson(text: string): boolean {
  return text.includes('\\') && /^\s{0,16}[[{"]/.test(text);
}

const HAS_SPELLING = new RegExp(
  `\\\\(?:u[\\da-fA-F]{4}|["\\\\/bfnrt])|%[0-7][\\da-fA-F]|${ENTITY}`,
);

/** True where a text may read otherwise once its escapes are resolved. */
export function hasSpelling(text: string): boolean {
  return /[\\%&]/.test(text) && HAS_SPELLING.test(text);
}
