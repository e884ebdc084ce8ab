/** The pattern uses something that no text is made for, such as a look-around. */
export class PatternWithoutText extends Error {}

const REPEATS_MAX = 64;

/**
 * A text that a regular expression matches: literals, classes, `.`, groups, alternatives and
 * quantifiers. Repeats take their least number, or more until the text has `shortest` characters.
 * @throws PatternWithoutText when no such text was found
 */
export function textForPattern(pattern: string, shortest: number): string {
  for (let extra = 0; extra <= REPEATS_MAX; extra += 1) {
    const text = new PatternReader(pattern, extra).alternatives();
    if ([...text].length >= shortest && new RegExp(pattern, 'u').test(text)) return text;
  }
  throw new PatternWithoutText(`no text was found for the pattern ${pattern}`);
}

const CLASSES: Readonly<Record<string, string>> = {
  d: '1',
  w: 'a',
  s: ' ',
  D: 'a',
  W: '-',
  S: 'a',
  n: '\n',
  t: '\t',
  r: '\r',
  b: '',
  B: '',
};

/** Reads a pattern from left to right and writes one text for it. */
class PatternReader {
  #at = 0;

  constructor(
    private readonly pattern: string,
    private readonly extra: number,
  ) {}

  /** The text of the first alternative; the others are read past. */
  alternatives(): string {
    const text = this.#sequence();
    while (this.#peek() === '|') {
      this.#at += 1;
      this.#sequence();
    }
    return text;
  }

  #sequence(): string {
    let text = '';
    while (this.#at < this.pattern.length && this.#peek() !== '|' && this.#peek() !== ')') {
      const atom = this.#atom();
      text += atom.repeat(this.#repeats());
    }
    return text;
  }

  #atom(): string {
    const character = this.#take();
    if (character === '^' || character === '$') return '';
    if (character === '.') return 'a';
    if (character === '\\') return this.#escaped();
    if (character === '[') return this.#class();
    if (character !== '(') return character;
    if (this.#peek() === '?') this.#groupName();
    const text = this.alternatives();
    this.#at += 1;
    return text;
  }

  #groupName(): void {
    const named = /^\?(:|<\w+>)/.exec(this.pattern.slice(this.#at));
    if (named === null) throw new PatternWithoutText('look-arounds are not supported');
    this.#at += named[0].length;
  }

  #escaped(): string {
    const letter = this.#take();
    if (letter === 'u' || letter === 'x' || letter === 'p' || /\d/.test(letter)) {
      throw new PatternWithoutText(`\\${letter} is not supported`);
    }
    return CLASSES[letter] ?? letter;
  }

  /** The first member of a class; for a negated one the first usual character outside it. */
  #class(): string {
    const start = this.#at;
    while (this.#at < this.pattern.length && this.#peek() !== ']') {
      this.#at += this.#peek() === '\\' ? 2 : 1;
    }
    const inside = this.pattern.slice(start, this.#at);
    this.#at += 1;
    const member = new RegExp(`[${inside}]`, 'u');
    const found =
      [...'aA1 -_.@/'].find((one) => member.test(one)) ??
      [...inside].find((one) => member.test(one));
    if (found === undefined) throw new PatternWithoutText(`[${inside}] is not supported`);
    return found;
  }

  #repeats(): number {
    const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(this.pattern.slice(this.#at));
    if (quantifier === null) return 1;
    this.#at += quantifier[0].length;
    if (this.#peek() === '?') this.#at += 1;
    const [all, least, comma, most] = quantifier;
    if (least === undefined) return { '*': this.extra, '?': 0 }[all] ?? Math.max(1, this.extra);
    const limit = comma === '' ? Number(least) : most ? Number(most) : REPEATS_MAX;
    return Math.min(Number(least) + this.extra, Math.max(limit, Number(least)));
  }

  #peek(): string {
    return this.pattern[this.#at] ?? '';
  }

  #take(): string {
    const character = this.#peek();
    this.#at += 1;
    return character;
  }
}
