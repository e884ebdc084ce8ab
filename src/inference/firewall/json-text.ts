const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
};

/**
 * A text of JSON as people would read it, with the way back to its places. Tool arguments and
 * results carry `\n` and `\u0418` where detectors must see a line's end and a letter; only the
 * values that are replaced may change in the written form.
 */
export class JsonText {
  /** The text with every escape resolved. */
  readonly view: string;
  readonly #raw: string;
  /** For each place of the view its place in the raw text; undefined where both are equal. */
  readonly #places: readonly number[] | undefined;

  constructor(raw: string) {
    this.#raw = raw;
    if (!raw.includes('\\')) {
      this.view = raw;
      this.#places = undefined;
      return;
    }
    const places: number[] = [];
    let view = '';
    for (let index = 0; index < raw.length; ) {
      const length = escapeLength(raw, index);
      view += length === 1 ? raw.charAt(index) : resolved(raw, index, length);
      places.push(index);
      index += length;
    }
    places.push(raw.length);
    this.view = view;
    this.#places = places;
  }

  /** The place in the raw text of a place in the view. */
  rawPlace(place: number): number {
    return this.#places?.[place] ?? Math.min(place, this.#raw.length);
  }

  /** For places in ascending order, whether each stands inside a string literal. */
  insideStrings(places: readonly number[]): boolean[] {
    const answers: boolean[] = [];
    let inside = false;
    let index = 0;
    for (const place of places) {
      for (const end = this.rawPlace(place); index < end; ) {
        if (this.#raw.charAt(index) === '"') inside = !inside;
        index += inside ? escapeLength(this.#raw, index) : 1;
      }
      answers.push(inside);
    }
    return answers;
  }
}

/** Length of the escape at a place, 1 where there is none. */
function escapeLength(raw: string, index: number): number {
  if (raw.charAt(index) !== '\\' || index + 1 >= raw.length) return 1;
  return /^[\da-f]{4}$/i.test(raw.slice(index + 2, index + 6)) && raw.charAt(index + 1) === 'u'
    ? 6
    : 2;
}

function resolved(raw: string, index: number, length: number): string {
  if (length === 6)
    return String.fromCharCode(Number.parseInt(raw.slice(index + 2, index + 6), 16));
  const escaped = raw.charAt(index + 1);
  return ESCAPES[escaped] ?? escaped;
}

/** A value as it stands inside a JSON string, without the quotes. */
export function insideJsonString(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** True where a message's text is itself a JSON document with escapes, such as a tool's result. */
export function isEscapedJson(text: string): boolean {
  return text.includes('\\') && /^\s{0,16}[[{"]/.test(text);
}
