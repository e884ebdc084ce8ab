import type { Observation, ParseFault, Reading, Token } from '../observation.js';
import { variableIn } from '../observation.js';
import { DEPTH_MAX, OBSERVATIONS_MAX } from '../vocabulary.js';

interface Level {
  readonly close: '}' | ']';
  readonly from: number;
  /** The name under which this level stands. */
  readonly name: string;
  /** The name of the member that is read now; of a list, its own name. */
  key: string;
  count: number;
}

/** What may stand next. */
type Wanted = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'end';

const FAULTS: Readonly<Record<Wanted, string>> = {
  value: 'a value must stand here',
  'value or end': 'a value or ] must stand here',
  name: 'a name must stand here',
  'name or end': 'a name or } must stand here',
  colon: 'a colon must stand here',
  'comma or end': 'a comma or the end must stand here',
  end: 'more stands behind the end of the JSON value',
};

const NUMBER = '-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?';
const STRING = '"(?:[^"\\\\\\n]|\\\\.)*"';
const TOKEN = new RegExp(
  `[ \\t\\r\\n\\uFEFF]*(?:(${STRING})|([{}[\\]:,])|(${NUMBER}(?![\\w.])|(?:true|false|null)\\b))`,
  'y',
);

/** Reads JSON with the place of every value; it stops at the first fault and keeps what it has. */
export function readJson(content: string, offset = 0): Reading {
  const reader = new JsonReader(offset);
  const fault = reader.read(content);
  const { observations, tokens } = reader;
  return { observations, faults: fault ? [fault] : [], tokens };
}

class JsonReader {
  readonly observations: Observation[] = [];
  readonly tokens: Token[] = [];
  private readonly levels: Level[] = [];
  private wanted: Wanted = 'value';

  constructor(private readonly offset: number) {}

  read(content: string): ParseFault | undefined {
    let at = 0;
    for (;;) {
      TOKEN.lastIndex = at;
      const token = TOKEN.exec(content);
      const rest = content.slice(at, token ? TOKEN.lastIndex : undefined).search(/[^\s\uFEFF]/);
      const from = at + Math.max(rest, 0);
      if (!token && rest < 0) {
        const message = 'the JSON value does not end';
        return this.wanted === 'end' ? undefined : { at: this.offset + content.length, message };
      }
      const message = token ? this.take(token, from, TOKEN.lastIndex) : 'this is not JSON';
      if (message !== undefined) return { at: this.offset + from, message };
      at = TOKEN.lastIndex;
    }
  }

  /** Takes a token. @returns what is wrong with it */
  private take([, string, mark, word]: RegExpExecArray, from: number, to: number) {
    const { wanted } = this;
    if (mark !== undefined) this.note('mark', from, to);
    if (mark === '{' || mark === '[') return this.open(mark === '{' ? '}' : ']', from);
    if (mark !== undefined) return this.takeMark(mark, to);
    const text = string === undefined ? word : textOf(string);
    if (text === undefined) return 'this text holds a wrong escape';
    if (string !== undefined && wanted.startsWith('name')) {
      this.note('name', from, to, text);
      const level = this.levels.at(-1);
      if (level) level.key = text;
      this.wanted = 'colon';
      return undefined;
    }
    if (!wanted.startsWith('value')) return FAULTS[wanted];
    const shape = /^[-\d]/.test(text) ? 'number' : 'flag';
    const kind = string !== undefined ? 'text' : shape === 'number' ? 'number' : 'mark';
    this.note(kind, from, to, text);
    this.add(string === undefined ? shape : text === '' ? 'empty' : 'text', from, to, text);
    return undefined;
  }

  private note(kind: Token['kind'], from: number, to: number, text?: string): void {
    const { offset } = this;
    this.tokens.push({ kind, from: offset + from, to: offset + to, text });
  }

  private takeMark(mark: string, to: number): string | undefined {
    const { wanted } = this;
    const level = this.levels.at(-1);
    if (mark === ':') {
      if (wanted !== 'colon') return FAULTS[wanted];
      this.wanted = 'value';
      return undefined;
    }
    if (!wanted.endsWith('or end') || !level) return FAULTS[wanted];
    if (mark === ',') {
      if (wanted !== 'comma or end') return FAULTS[wanted];
      this.wanted = level.close === '}' ? 'name' : 'value';
      return undefined;
    }
    if (mark !== level.close) return FAULTS[wanted];
    this.levels.pop();
    const shape = level.count === 0 ? 'empty' : level.close === '}' ? 'object' : 'list';
    this.add(shape, level.from, to);
    return undefined;
  }

  private open(close: Level['close'], from: number): string | undefined {
    if (!this.wanted.startsWith('value')) return FAULTS[this.wanted];
    if (this.levels.length >= DEPTH_MAX) return `nested deeper than ${DEPTH_MAX} levels`;
    const name = this.levels.at(-1)?.key ?? '';
    this.levels.push({ close, from, name, key: close === ']' ? name : '', count: 0 });
    this.wanted = close === '}' ? 'name or end' : 'value or end';
    return undefined;
  }

  private add(shape: Observation['shape'], from: number, to: number, text?: string): void {
    const level = this.levels.at(-1);
    this.wanted = level ? 'comma or end' : 'end';
    if (level) level.count += 1;
    if (this.observations.length >= OBSERVATIONS_MAX) return;
    const isMember = level?.close === '}';
    this.observations.push({
      kind: isMember ? 'pair' : 'text',
      name: isMember ? level.key : '',
      path: this.levels.map(({ name }) => name).filter((name) => name !== ''),
      text,
      variable: text === undefined ? undefined : variableIn(text),
      shape,
      from: this.offset + from,
      to: this.offset + to,
    });
  }
}

function textOf(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined;
  }
}
