/** A piece of TypeScript or JavaScript; comments and spaces are not among them. */
export interface Token {
  /** `text` is a string or a part of a template, without its quotes. */
  readonly kind: 'word' | 'number' | 'text' | 'regex' | 'mark';
  readonly text: string;
  /** The first line, counted from 1. */
  readonly line: number;
  /** The last line; another one than `line` only for templates. */
  readonly endLine: number;
}

const SPACE = /\s+/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const WORD = /#?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const NUMBER = /\d[\w.]*/y;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const HASH_BANG = /#![^\n]*/y;
const MARK = /=>|\.\.\.|\?\.|[=!]==?|(?:\?\?|&&|\|\||\*\*)=?|\+\+|--|[-+*]=|\$\{|[\s\S]/uy;

/** Words after which a slash begins a pattern, though after other words it divides. */
const BEFORE_VALUE = new Set(
  'return typeof case in of await yield throw new delete void instanceof else do'.split(' '),
);

/** Splits a source text into its tokens. Wrong code gives wrong tokens, never a failure. */
export function tokensOf(source: string): Token[] {
  return new Lexer(source).tokens();
}

/** True where a value can end with this token, so that what follows is an operator. */
export function endsValue(token: Token | undefined): boolean {
  if (!token) return false;
  if (token.kind === 'mark') return [')', ']', '}'].includes(token.text);
  return !(token.kind === 'word' && BEFORE_VALUE.has(token.text));
}

class Lexer {
  private readonly found: Token[] = [];
  /** Open braces; `${` marks those that return to a template. */
  private readonly open: string[] = [];
  private at = 0;
  private line = 1;

  constructor(private readonly source: string) {}

  tokens(): Token[] {
    this.skip(HASH_BANG);
    while (this.at < this.source.length) {
      if (this.skip(SPACE) || this.skip(COMMENT)) continue;
      this.next();
    }
    return this.found;
  }

  private next(): void {
    if (this.source[this.at] === '`') {
      this.at += 1;
      this.template();
    } else if (this.take('word', WORD) || this.take('number', NUMBER)) {
      return;
    } else if (this.source[this.at] === '/' && !endsValue(this.found.at(-1))) {
      if (!this.take('regex', REGEX)) this.take('mark', MARK);
    } else if (!this.take('text', STRING)) {
      this.mark();
    }
  }

  private mark(): void {
    this.take('mark', MARK);
    const text = this.found.at(-1)?.text;
    if (text === '{') this.open.push(text);
    if (text === '}' && this.open.pop() === '${') this.template();
  }

  /** Reads a template from after its opening quote, or after the end of one of its places. */
  private template(): void {
    const text = this.match(TEMPLATE_PART) ?? '';
    const line = this.line;
    this.advance(text);
    this.found.push({ kind: 'text', text, line, endLine: this.line });
    if (this.source[this.at] === '`') {
      this.at += 1;
    } else if (this.take('mark', MARK)) {
      this.open.push('${');
    }
  }

  private take(kind: Token['kind'], pattern: RegExp): boolean {
    const text = this.match(pattern);
    if (text === undefined) return false;
    const line = this.line;
    this.advance(text);
    const inner = kind === 'text' ? text.slice(1, -1) : text;
    this.found.push({ kind, text: inner, line, endLine: this.line });
    return true;
  }

  private skip(pattern: RegExp): boolean {
    const text = this.match(pattern);
    if (text !== undefined) this.advance(text);
    return text !== undefined;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const text = pattern.exec(this.source)?.[0];
    return text === '' ? undefined : text;
  }

  private advance(text: string): void {
    this.at += text.length;
    for (const character of text) if (character === '\n') this.line += 1;
  }
}
