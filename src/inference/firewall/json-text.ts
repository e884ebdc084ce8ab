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

/** A tag of HTML or XML; attributes are short where texts are marked up. */
const TAG = '</?[A-Za-zА-Яа-яЁё][\\wА-Яа-яЁё:.-]{0,40}(?:\\s[^<>]{0,200})?/?>';
/** What no reader of a page sees. */
const COMMENT = '<!--(?:(?!-->)[\\s\\S]){0,200}-->';
/** Tags that part nothing: a reader sees what is around them as one word. */
const INLINE =
  /^<\/?(?:b|i|u|s|em|strong|span|font|mark|small|sub|sup|wbr|a|code|kbd|tt|ins|del)[\s/>]/i;
/** Tags that part words and name nothing. */
const DIVIDING = new RegExp(
  '^</?(?:td|th|tr|table|tbody|thead|br|p|div|li|ul|ol|dl|dt|dd|h\\d|hr|label|input|section|' +
    'html|body)[\\s/>]',
  'i',
);

const LATER = '%[89abAB][\\da-fA-F]';
/**
 * A character as addresses spell it, a percent sign before each of its bytes: what is well-formed
 * in UTF-8 (The Unicode Standard, table 3-7) and nothing else, so that every one can be read.
 */
const PERCENT = [
  '%[0-7][\\da-fA-F]',
  `%(?:[cC][2-9a-fA-F]|[dD][\\da-fA-F])${LATER}`,
  `%(?:[eE]0%[abAB]|[eE][dD]%[89])[\\da-fA-F]${LATER}`,
  `%[eE][1-9a-cA-Ce-fE-F](?:${LATER}){2}`,
  `%(?:[fF]0%[9abAB]|[fF]4%8)[\\da-fA-F](?:${LATER}){2}`,
  `%[fF][1-3](?:${LATER}){3}`,
].join('|');
/** Forms spell a space as a plus sign. One behind an escape, in the same value, is read so. */
const SPACE_OF_FORMS = '\\+(?<=%[\\da-fA-F]{2}[\\w.~*+-]{0,24})';
/** Between digits, in the value of a parameter, no escape is needed to tell. */
const SPACE_OF_NUMBER = '\\+(?<=[?&][\\w.-]{1,24}=\\+?\\d[\\d+-]{0,24}\\+)(?=\\d)';

/** Which spellings are resolved: those of JSON, or those of addresses (`%40`) and HTML as well. */
type Spelling = 'json' | 'any';

const SPELLED: Readonly<Record<Spelling, RegExp>> = {
  json: /\\(?:u[\da-fA-F]{4}|[\s\S])/g,
  any: new RegExp(
    `\\\\(?:u[\\da-fA-F]{4}|[\\s\\S])|${PERCENT}|${SPACE_OF_FORMS}|${SPACE_OF_NUMBER}|${ENTITY}|` +
      `${COMMENT}|${TAG}`,
    'g',
  ),
};

/** A text in which some characters read otherwise than they are written, with the way back. */
export class ReadableText {
  /** The text as it reads. */
  readonly view: string;
  /** Where both cease to run in step: the place in the view and the written one, by turns. */
  readonly #steps: number[] = [];

  constructor(
    protected readonly text: string,
    spellings: RegExp | undefined,
    read: (spelled: string) => string,
  ) {
    this.view = spellings ? this.#read(spellings, read) : text;
  }

  #read(spellings: RegExp, read: (spelled: string) => string): string {
    const text = this.text;
    const steps = this.#steps;
    let view = '';
    let from = 0;
    for (const { 0: spelled, index } of text.matchAll(spellings)) {
      const seen = read(spelled);
      view += text.slice(from, index) + seen;
      from = index + spelled.length;
      if (seen.length !== spelled.length) steps.push(view.length, from);
    }
    return view + text.slice(from);
  }

  /** The place in the text as it is written of a place in the view. */
  writtenPlace(place: number): number {
    const steps = this.#steps;
    let low = 0;
    let high = steps.length / 2;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((steps[middle * 2] ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return place;
    const [seen = 0, written = 0] = [steps[low * 2 - 2], steps[low * 2 - 1]];
    return Math.min(written + place - seen, this.text.length);
  }
}

/**
 * A text of JSON as people would read it, with every escape resolved once. Tool arguments and
 * results carry `\n` and `\u0418` where detectors must see a line's end and a letter; only the
 * values that are replaced may change in the written form.
 */
export class JsonText extends ReadableText {
  constructor(raw: string, spelling: Spelling = 'json') {
    const isPlain = !raw.includes('\\') && (spelling === 'json' || !/[%&<+]/.test(raw));
    super(raw, isPlain ? undefined : SPELLED[spelling], resolved);
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
  if (spelled.charAt(0) === '<') return readTag(spelled);
  if (spelled.charAt(0) === '%') return decodeURIComponent(spelled);
  if (spelled === '+') return ' ';
  if (spelled.charAt(0) === '&') return characterOf(spelled.slice(1, -1));
  if (spelled.length === 6) return String.fromCharCode(Number.parseInt(spelled.slice(2), 16));
  const escaped = spelled.charAt(1);
  return ESCAPES[escaped] ?? escaped;
}

/** A tag as a reader sees it: nothing, a space, or the name of the field that it opens. */
function readTag(tag: string): string {
  if (tag.charAt(1) === '!' || INLINE.test(tag)) return '';
  if (tag.charAt(1) === '/' || DIVIDING.test(tag)) return ' ';
  return ` ${/^<([^\s/>]{1,48})/.exec(tag)?.[1] ?? ''}: `;
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

const HAS_SPELLING = new RegExp(`\\\\(?:u[\\da-fA-F]{4}|["\\\\/bfnrt])|${PERCENT}|${ENTITY}`);

/** The signs that spellings begin with. Looked for one by one, a text costs a tenth of a class. */
const SPELLING_SIGNS = ['\\', '%', '&'] as const;

/** True where a text may read otherwise once its escapes are resolved. */
export function hasSpelling(text: string): boolean {
  if (SPELLING_SIGNS.some((sign) => text.includes(sign)) && HAS_SPELLING.test(text)) return true;
  return hasMarkup(text) || hasSpacedNumber(text);
}

const ESCAPE = /%[\da-fA-F]{2}|\\u[\da-fA-F]{4}/y;
const ESCAPE_LENGTH_MAX = 6;
/**
 * What shows that a percent sign is one of an address: another escape, a scheme or a name in the
 * same word. `LIKE '%4111111111111111'` and a share of 5 % have none.
 */
const SHOWS_ADDRESS = /%[\da-fA-F]{2}|:\/\/|[\w.~-]=/;
const IN_ADDRESS = /[\w.~%/?#&=+:@!$*()-]/;
const WORD_LOOKED_AT = 128;

function isOfAddress(text: string, end: number): boolean {
  let begin = end;
  while (begin > 0 && end - begin < WORD_LOOKED_AT && IN_ADDRESS.test(text.charAt(begin - 1))) {
    begin -= 1;
  }
  return SHOWS_ADDRESS.test(text.slice(begin, end));
}

/**
 * True where a place is inside an escape, so that no value can begin there: in
 * `%D0%B0%20500100732259` the digits `20` are a space.
 */
export function isInEscape(text: string, place: number): boolean {
  for (let at = place - 1; at >= 0 && at > place - ESCAPE_LENGTH_MAX; at -= 1) {
    const sign = text.charCodeAt(at);
    if (sign !== PERCENT_SIGN && sign !== BACKSLASH) continue;
    ESCAPE.lastIndex = at;
    if (!ESCAPE.test(text) || ESCAPE.lastIndex <= place) return false;
    return sign === BACKSLASH || isOfAddress(text, at);
  }
  return false;
}

const PERCENT_SIGN = 0x25;

const SPACED_NUMBER = new RegExp(SPACE_OF_NUMBER);

/** True where a plus sign is a space between the digits of a parameter. */
function hasSpacedNumber(text: string): boolean {
  for (let at = text.indexOf('+'); at >= 0; at = text.indexOf('+', at + 1)) {
    const isBetween = isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1));
    if (isBetween) return SPACED_NUMBER.test(text);
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** True where a tag stands right behind a digit, or behind `@`: it may part a value. */
function hasMarkup(text: string): boolean {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    const code = text.charCodeAt(text.charCodeAt(at - 1) === SPACE ? at - 2 : at - 1);
    if (isDigit(code) || code === AT) {
      if (opensTag(text.charCodeAt(at + 1)) || text.startsWith('<!--', at)) return true;
    }
  }
  return false;
}

/** A slash, or any letter: names of tags may be Russian. */
function opensTag(code: number): boolean {
  const letter = code | 0x20;
  return code === SLASH || (letter >= 0x61 && letter <= 0x7a) || (code >= 0x401 && code <= 0x451);
}

const SLASH = 0x2f;
const SPACE = 0x20;
const AT = 0x40;
