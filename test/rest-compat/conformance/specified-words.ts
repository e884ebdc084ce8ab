import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getNullableType, isInputObjectType } from 'graphql';
import { exampleRequest } from '../../../rest-compat/example.js';
import type { SelectedField } from '../../../rest-compat/projection.js';
import { publishedPath } from '../../../rest-compat/rest-directive.js';
import type { CompiledRow } from '../../../rest-compat/row.js';
import { spellings } from '../../../rest-compat/wire-names.js';
import type { Example } from './examples.js';

/** A word of a row of the specification, and the member of the endpoint that it is. */
export interface SpecifiedWord {
  readonly method: string;
  readonly path: string;
  /** `in` is sent, `out` is answered; empty where a row names no word. */
  readonly side: 'in' | 'out' | '';
  /** As a caller writes it, with places and a `?` before a query parameter. */
  readonly word: string;
  /** The published member; empty where the word is refused by its name. */
  readonly member: string;
  /** The JSON of a plausible value; what only a server gives out has none. */
  readonly value: string;
  /** How the example refuses it where it is known and cannot be carried: a code, and a field. */
  readonly answer: string;
  /** The JSON of members that go with it; null takes one out of the example. */
  readonly more: string;
}

const FILE = new URL('../../../rest-compat/specified-words.tsv', import.meta.url);

/** The table of words and members, in the order of the specification. */
export function specifiedWords(): SpecifiedWord[] {
  const [header = '', ...lines] = readFileSync(fileURLToPath(FILE), 'utf8').trimEnd().split('\n');
  const names = header.split('\t');
  return lines.map((line) => {
    const cells = line.split('\t');
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])) as never;
  });
}

/** The row that answers a path of the specification where no condition chooses another one. */
export function rowOf(rows: readonly CompiledRow[], { method, path }: SpecifiedWord): CompiledRow {
  const row = rows.find(({ contract, condition }) => {
    return contract.method === method && publishedPath(contract.path) === path && !condition;
  });
  if (!row) throw new Error(`no row answers ${method} ${path}`);
  return row;
}

/** The example of a row with the word in place of the member that it means. */
export function requestWith(row: CompiledRow, asked: SpecifiedWord): Example {
  const { word, member, value, more } = asked;
  const { path, query, body } = exampleRequest(row);
  const given: unknown = JSON.parse(value);
  if (word.startsWith('?')) {
    return { path, query: { ...query, [word.slice(1)]: String(given) }, body };
  }
  const copy = structuredClone(body ?? {}) as Record<string, unknown>;
  const places = word.split('.');
  const last = places.pop() ?? '';
  let parent = copy;
  for (const place of places) parent = parent[place] as Record<string, unknown>;
  for (const name of namesOf(row, places, member)) delete parent[name];
  parent[last] = given;
  Object.assign(copy, JSON.parse(more || '{}'));
  const written = Object.entries(copy).filter(([, each]) => each !== null);
  return { path, query, body: Object.fromEntries(written) };
}

/** Every name of a member: the example may have it under another one than the word. */
function namesOf(row: CompiledRow, places: readonly string[], member: string): readonly string[] {
  const last = member.split('.').at(-1) ?? '';
  const whole = row.variables.find(({ name }) => name === row.contract.body);
  const type = whole && getNullableType(whole.type);
  if (places.length > 0 || !isInputObjectType(type)) return spellings(last);
  const named = row.names.fieldsOf(type).find(({ wireName }) => wireName === last);
  const others = named ? [...named.aliases, ...named.shares] : [];
  return [last, ...others].flatMap(spellings);
}

/** Whether the answer of a row has a member; nothing is known of what is opaque. */
export function answerHas({ shape }: CompiledRow, member: string): boolean {
  const [head = '', ...rest] = member.split('.');
  if (shape.kind === 'value') return has(shape.field, [head, ...rest]);
  if (shape.kind === 'fields') return hasAmong(shape.fields, [head, ...rest]);
  if (head === 'data') return has(shape.data, rest);
  return hasAmong(shape.beside, [head, ...rest]);
}

function has(field: SelectedField, path: readonly string[]): boolean {
  return path.length === 0 || !field.fields || hasAmong(field.fields, path);
}

function hasAmong(fields: readonly SelectedField[], [key, ...rest]: readonly string[]): boolean {
  return fields.some((field) => field.key === key && has(field, rest));
}
