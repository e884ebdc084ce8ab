/** What stands between pipes: a function with its arguments, or one value. */
export type Call = readonly Operand[];
export type Pipe = readonly Call[];

export type Operand =
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'pipe'; readonly pipe: Pipe }
  /** A path from a variable, or from the dot where none is named. */
  | { readonly kind: 'path'; readonly variable?: string; readonly path: readonly string[] };

interface Block {
  readonly pipe: Pipe;
  readonly body: Part[];
  readonly otherwise: Part[];
}

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly pipe: Pipe }
  | ({ readonly kind: 'if' | 'with' } & Block)
  | ({ readonly kind: 'range'; readonly key?: string; readonly value?: string } & Block);

interface Parsed {
  readonly parts: readonly Part[];
  readonly definitions: ReadonlyMap<string, readonly Part[]>;
}

interface Open {
  /** Where parts go now. */
  into: Part[];
  /** Where they go after an `else`; a definition has none. */
  readonly otherwise?: Part[];
  /** Opened by an `else if`, so that the `end` of it ends the block around it too. */
  readonly chained: boolean;
}

const ACTION = /(?<cut>\{\{-\s|\{\{)(?<text>\s*\/\*[\s\S]*?\*\/|[\s\S]*?)(?<eat>\s-\}\}|\}\})/g;
const WORDS = [
  String.raw`(?<text>"(?:[^"\\]|\\.)*")`,
  String.raw`(?<number>\d+)`,
  String.raw`(?<path>\$?\w*(?:\.\w+)+|\$\w*|\.)`,
  String.raw`(?<name>\w+)`,
  '(?<sign>[()|,]|:=)',
];
const WORD = new RegExp(String.raw`\s*(?:${WORDS.join('|')})`, 'y');

/**
 * Parses the part of Go's templates that the chart keeps to: if, with, range, else, define, calls,
 * pipes, paths and comments. Anything else is refused, as Go may mean something else by it.
 */
export function parseTemplate(source: string, name: string): Parsed {
  const parser = new Parser(name);
  let at = 0;
  let eaten = false;
  for (const match of source.matchAll(ACTION)) {
    const { cut = '', text = '', eat = '' } = match.groups ?? {};
    const before = source.slice(at, match.index);
    const started = eaten ? before.trimStart() : before;
    parser.text(cut.length > 2 ? started.trimEnd() : started);
    parser.action(text.trim());
    at = match.index + match[0].length;
    eaten = eat.length > 2;
  }
  const rest = source.slice(at);
  parser.text(eaten ? rest.trimStart() : rest);
  return parser.finished();
}

class Parser {
  private readonly parts: Part[] = [];
  private readonly definitions = new Map<string, readonly Part[]>();
  private readonly open: Open[] = [];

  constructor(private readonly name: string) {}

  text(text: string): void {
    if (text !== '') this.into().push({ kind: 'text', text });
  }

  action(text: string): void {
    if (text.startsWith('/*')) return;
    const [, word = '', rest = ''] = /^(\w+)\b\s*([\s\S]*)$/.exec(text) ?? [];
    if (word === 'define') this.define(rest);
    else if (word === 'end') this.end();
    else if (word === 'else') this.otherwise(rest);
    else if (word === 'if' || word === 'with' || word === 'range') this.block(word, rest, false);
    else this.into().push({ kind: 'output', pipe: this.pipe(text) });
  }

  finished(): Parsed {
    if (this.open.length > 0) throw this.fault('a block is not ended');
    return { parts: this.parts, definitions: this.definitions };
  }

  private define(quoted: string): void {
    if (this.open.length > 0) throw this.fault('a definition inside of a block');
    const body: Part[] = [];
    this.definitions.set(JSON.parse(quoted), body);
    this.open.push({ into: body, chained: false });
  }

  private block(kind: 'if' | 'with' | 'range', rest: string, chained: boolean): void {
    const [, key, value, over] = /^(\$\w+)(?:\s*,\s*(\$\w+))?\s*:=\s*([\s\S]+)$/.exec(rest) ?? [];
    const pipe = this.pipe(over ?? rest);
    const held = { pipe, body: [] as Part[], otherwise: [] as Part[] };
    if (kind === 'range') {
      const names = value === undefined ? { value: key } : { key, value };
      this.into().push({ kind, ...names, ...held });
    } else if (over === undefined) this.into().push({ kind, ...held });
    else throw this.fault(`a variable of ${kind}`);
    this.open.push({ into: held.body, otherwise: held.otherwise, chained });
  }

  private otherwise(rest: string): void {
    const last = this.open.at(-1);
    if (!last?.otherwise) throw this.fault('else without a block');
    last.into = last.otherwise;
    if (rest.startsWith('if ')) this.block('if', rest.slice(3), true);
    else if (rest !== '') throw this.fault(`else ${rest}`);
  }

  private end(): void {
    const last = this.open.pop();
    if (!last) throw this.fault('an end without a block');
    if (last.chained) this.end();
  }

  private into(): Part[] {
    return this.open.at(-1)?.into ?? this.parts;
  }

  private fault(what: string): Error {
    return new Error(`${this.name}: ${what}`);
  }

  private pipe(text: string): Pipe {
    const words = this.words(text);
    const pipe = this.calls(words);
    if (words.length > 0) throw this.fault(`${text}: ${words[0]?.text} is too much`);
    return pipe;
  }

  private words(text: string): Word[] {
    const words: Word[] = [];
    WORD.lastIndex = 0;
    while (WORD.lastIndex < text.length) {
      const match = WORD.exec(text);
      const kind = Object.entries(match?.groups ?? {}).find(([, found]) => found !== undefined);
      if (!kind) throw this.fault(`${text} is not understood`);
      words.push({ kind: kind[0], text: kind[1] });
    }
    return words;
  }

  /** Takes the words of a pipe away, up to a closing parenthesis. */
  private calls(words: Word[]): Pipe {
    const calls: Operand[][] = [[]];
    while (words.length > 0 && words[0]?.text !== ')') {
      const word = words.shift();
      if (word?.text === '|' && word.kind === 'sign') calls.push([]);
      else if (word) calls.at(-1)?.push(this.operand(word, words));
    }
    if (calls.some((call) => call.length === 0)) throw this.fault('a pipe from or to nothing');
    return calls;
  }

  private operand({ kind, text }: Word, rest: Word[]): Operand {
    if (kind === 'text') return { kind: 'literal', value: JSON.parse(text) };
    if (kind === 'number') return { kind: 'literal', value: Number(text) };
    if (kind === 'path') {
      const [variable, ...path] = text.split('.').filter((part, at) => at === 0 || part !== '');
      return { kind: 'path', path, ...(variable ? { variable } : {}) };
    }
    if (kind === 'sign' && text === '(') {
      const pipe = this.calls(rest);
      if (rest.shift()?.text !== ')') throw this.fault('a parenthesis is not closed');
      return { kind: 'pipe', pipe };
    }
    if (kind === 'name' && (text === 'true' || text === 'false')) {
      return { kind: 'literal', value: text === 'true' };
    }
    if (kind === 'name') return { kind: 'function', name: text };
    throw this.fault(`${text} is not expected`);
  }
}

interface Word {
  readonly kind: string;
  readonly text: string;
}
