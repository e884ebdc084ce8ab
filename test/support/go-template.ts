import {
  type Call,
  type Operand,
  type Part,
  type Pipe,
  parseTemplate,
} from './go-template-parser.js';

/** A function of templates; piped values come last. */
export type TemplateFunction = (...given: unknown[]) => unknown;

interface Scope {
  readonly dot: unknown;
  readonly variables: ReadonlyMap<string, unknown>;
}

/** The definitions of several files, which are executed with one set of functions. */
export class GoTemplates {
  private readonly definitions = new Map<string, readonly Part[]>();
  private readonly bodies = new Map<string, readonly Part[]>();

  constructor(
    files: Readonly<Record<string, string>>,
    private readonly functions: Readonly<Record<string, TemplateFunction>>,
  ) {
    for (const [path, text] of Object.entries(files)) {
      const { parts, definitions } = parseTemplate(text, path);
      this.bodies.set(path, parts);
      for (const [name, body] of definitions) {
        if (this.definitions.has(name)) throw new Error(`${name} is defined twice`);
        this.definitions.set(name, body);
      }
    }
  }

  /** What a file says with this data. */
  execute(path: string, data: unknown): string {
    return this.run(this.bodies.get(path), path, data);
  }

  /** What a definition says with this data. */
  include(name: string, data: unknown): string {
    return this.run(this.definitions.get(name), name, data);
  }

  private run(parts: readonly Part[] | undefined, name: string, data: unknown): string {
    if (!parts) throw new Error(`there is no template ${name}`);
    return this.written(parts, { dot: data, variables: new Map([['$', data]]) });
  }

  private written(parts: readonly Part[], scope: Scope): string {
    return parts.map((part) => this.one(part, scope)).join('');
  }

  private one(part: Part, scope: Scope): string {
    if (part.kind === 'text') return part.text;
    const value = this.value(part.pipe, scope);
    if (part.kind === 'output') return printed(value);
    if (part.kind === 'range') {
      const turns = entriesOf(value).map(([key, each]) => {
        const variables = new Map(scope.variables);
        if (part.key !== undefined) variables.set(part.key, key);
        if (part.value !== undefined) variables.set(part.value, each);
        return this.written(part.body, { dot: each, variables });
      });
      return turns.length > 0 ? turns.join('') : this.written(part.otherwise, scope);
    }
    if (!isTrue(value)) return this.written(part.otherwise, scope);
    return this.written(part.body, part.kind === 'with' ? { ...scope, dot: value } : scope);
  }

  private value(pipe: Pipe, scope: Scope): unknown {
    let last: unknown[] = [];
    for (const call of pipe) last = [this.called(call, last, scope)];
    return last[0];
  }

  private called([first, ...rest]: Call, piped: readonly unknown[], scope: Scope): unknown {
    if (!first) throw new Error('a pipeline with nothing in it');
    const given = [...rest.map((operand) => this.operand(operand, scope)), ...piped];
    if (first.kind === 'function') {
      const called = this.functions[first.name];
      if (!called) throw new Error(`${first.name} is no function of these templates`);
      return called(...given);
    }
    const value = this.operand(first, scope);
    if (typeof value === 'function') return (value as TemplateFunction)(...given);
    if (given.length > 0) throw new Error('a value is given arguments');
    return value;
  }

  private operand(operand: Operand, scope: Scope): unknown {
    if (operand.kind === 'literal') return operand.value;
    if (operand.kind === 'pipe') return this.value(operand.pipe, scope);
    if (operand.kind === 'function') return this.called([operand], [], scope);
    const { variable, path } = operand;
    if (variable !== undefined && !scope.variables.has(variable)) {
      throw new Error(`${variable} is no variable here`);
    }
    const start = variable === undefined ? scope.dot : scope.variables.get(variable);
    return path.reduce(memberOf, start);
  }
}

function memberOf(of: unknown, name: string): unknown {
  if (typeof of !== 'object' || of === null) throw new Error(`.${name} is asked of ${of}`);
  return Object.hasOwn(of, name) ? (of as Record<string, unknown>)[name] : undefined;
}

/** Maps are walked in the order of their keys, as Go does. */
function entriesOf(value: unknown): [unknown, unknown][] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return [...value.entries()];
  if (typeof value !== 'object') throw new Error(`a range over ${value}`);
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** As Go sees it: nothing, zero and what is empty are false. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Go would print `<no value>` or an inner form; here it is a fault of the template. */
function printed(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  throw new Error(`${value === undefined ? 'nothing' : JSON.stringify(value)} cannot be printed`);
}
