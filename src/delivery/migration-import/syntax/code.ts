import type { SyntaxNodeRef, Tree } from '@lezer/common';
import { type Observation, type ParseFault, type Reading, variableIn } from '../observation.js';
import { FAULTS_MAX, OBSERVATIONS_MAX } from '../vocabulary.js';
import { codeTokens } from './code-tokens.js';
import { type Language, parseCode } from './parse-code.js';
import { unquoted } from './quotes.js';

/** Reads Python, JavaScript or TypeScript. */
export async function readCode(language: Language, content: string): Promise<Reading> {
  const { tree, stoppedAt } = await parseCode(language, content);
  const walk = new CodeWalk(content);
  walk.all(tree);
  if (stoppedAt !== undefined) {
    const message = 'too deep or too intricate from here on; the rest was not read';
    walk.faults.unshift({ at: stoppedAt, message });
  }
  const tokens = codeTokens(tree, content);
  return { observations: walk.observations, faults: walk.faults, tokens };
}

type Sibling = Pick<SyntaxNodeRef, 'name' | 'from' | 'to'>;

interface Level {
  /** The name under which the node stands, when it is a value. */
  readonly key: string | undefined;
  before: Sibling | undefined;
  beforeThat: Sibling | undefined;
}

const ASSIGNS = new Set(['AssignOp', 'Equals', ':']);
const TYPES = new Set(['TypeDef', 'TypeAnnotation']);
const KEYS = new Set([
  ...['VariableName', 'PropertyName', 'MemberExpression', 'String'],
  ...['PropertyDefinition', 'VariableDefinition'],
]);
const STRINGS = new Set(['String', 'FormatString', 'TemplateString']);
const IMPORTS = new Set(['ImportStatement', 'ImportDeclaration']);
const IMPORTED = new Set(['VariableName', 'VariableDefinition']);
const CALLS = new Set(['CallExpression', 'NewExpression']);
const SHAPES: Readonly<Record<string, Observation['shape']>> = {
  String: 'text',
  FormatString: 'other',
  TemplateString: 'text',
  Boolean: 'flag',
  BooleanLiteral: 'flag',
  Number: 'number',
  ArrayExpression: 'list',
  ObjectExpression: 'object',
  DictionaryExpression: 'object',
  None: 'empty',
  null: 'empty',
};

/** Goes once over a tree and notes imports, calls, named values and lone texts. */
class CodeWalk {
  readonly observations: Observation[] = [];
  readonly faults: ParseFault[] = [];
  private readonly levels: Level[] = [{ key: undefined, before: undefined, beforeThat: undefined }];
  private readonly keys: string[] = [];
  private importing = false;

  constructor(private readonly content: string) {}

  all(tree: Tree): void {
    tree.iterate({
      enter: (node) => this.observations.length < OBSERVATIONS_MAX && this.enter(node),
      leave: (node) => this.leave(node),
    });
  }

  /** @returns whether to look at its children, and to leave it: always */
  private enter(node: SyntaxNodeRef): true {
    const { name, from, to } = node;
    const level = this.levels.at(-1);
    const key = level && this.keyOf(level, name);
    if (node.type.isError && this.faults.length < FAULTS_MAX) {
      this.faults.push({ at: from, message: 'this does not parse' });
    }
    if (IMPORTS.has(name)) this.importing = true;
    if (this.importing && (IMPORTED.has(name) || name === 'String')) this.addImport(name, from, to);
    else if (CALLS.has(name)) this.addCall(node);
    if (key !== undefined) this.add('pair', key, name, from, to);
    else if (STRINGS.has(name) && !this.importing) this.add('text', '', name, from, to);
    this.levels.push({ key, before: undefined, beforeThat: undefined });
    if (key !== undefined) this.keys.push(key);
    return true;
  }

  private leave({ name, from, to }: SyntaxNodeRef): void {
    const left = this.levels.pop();
    if (left?.key !== undefined) this.keys.pop();
    if (IMPORTS.has(name)) this.importing = false;
    const parent = this.levels.at(-1);
    if (!parent || TYPES.has(name)) return;
    parent.beforeThat = parent.before;
    parent.before = { name, from, to };
  }

  /** The name that an assignment or an entry gives to the node that follows it. */
  private keyOf({ before, beforeThat }: Level, name: string): string | undefined {
    if (!before || !beforeThat || !ASSIGNS.has(before.name) || !KEYS.has(beforeThat.name)) {
      return undefined;
    }
    if (name === 'Body') return undefined;
    const source = this.content.slice(beforeThat.from, beforeThat.to);
    if (beforeThat.name === 'String') return unquoted(source);
    return source.slice(-200).replace(/^.*\./s, '');
  }

  private addImport(name: string, from: number, to: number): void {
    const source = this.content.slice(from, to);
    const imported = name === 'String' ? unquoted(source) : source;
    this.observations.push({ kind: 'import', name: imported, path: [], shape: 'other', from, to });
  }

  private addCall({ from, to, node }: SyntaxNodeRef): void {
    const list = node.getChild('ArgList');
    const start = from + (this.content.startsWith('new', from) ? 3 : 0);
    const callee = this.content.slice(start, list?.from ?? to).slice(-200);
    const name = /[\w$.?]+\s*$/.exec(callee.replaceAll(/\s+/g, ''))?.[0] ?? '';
    const argumentsFrom = list ? list.from + 1 : undefined;
    const path = [...this.keys];
    this.observations.push({ kind: 'call', name, path, shape: 'other', from, to, argumentsFrom });
  }

  private add(kind: 'pair' | 'text', name: string, type: string, from: number, to: number): void {
    const source = this.content.slice(from, Math.min(to, from + SOURCE_LENGTH_MAX));
    const isText = STRINGS.has(type) && !/\$\{|^[rb]?f/i.test(source.slice(0, 4_000));
    const shape = STRINGS.has(type) && !isText ? 'other' : (SHAPES[type] ?? 'other');
    const text = isText ? unquoted(source) : shape === 'text' ? undefined : source.slice(0, 200);
    const empty = shape === 'text' ? text === '' : /^[[{]\s*[\]}]$/.test(source);
    this.observations.push({
      kind,
      name,
      path: [...this.keys],
      text: isText || shape === 'flag' || shape === 'number' ? text : undefined,
      variable: shape === 'text' ? variableIn(text ?? '') : variableIn(source),
      shape: empty ? 'empty' : shape,
      from,
      to,
    });
  }
}

const SOURCE_LENGTH_MAX = 16_384;
