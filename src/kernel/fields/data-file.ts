import { type Vocabulary, vocabulary } from '../vocabulary.js';
import type { Field, FieldKind, Fields, FieldTable, ValuesOf } from './field.js';

/** A row of a data file, as a vocabulary holds it. */
type DataRow<C extends string, F extends Fields> = ValuesOf<F> & {
  readonly code: C;
  readonly description: string;
};

/**
 * The rows of a data file by their codes: each a description alone, or an object with the
 * description and the fields of the table.
 * @throws TypeError for a row that is not by the table, when the process starts
 */
export function dataRows<C extends string, F extends Fields = Record<never, Field>>(
  file: Readonly<Record<C, unknown>>,
  fields: F = {} as F,
): readonly DataRow<C, F>[] {
  return Object.entries(file).map(([code, row]) => {
    const { description, ...rest } = typeof row === 'string' ? { description: row } : Object(row);
    const isTold = typeof description === 'string' && description !== '';
    if (!isTold) throw new TypeError(`${code} has no description`);
    return { code, description, ...dataOf(fields, rest, code) } as DataRow<C, F>;
  });
}

/** Vocabularies in a data file, by the names of their enums. */
type VocabularyFile<N extends string, C extends string> = Readonly<
  Record<N, { readonly description: string; readonly codes: { readonly [code in C]?: unknown } }>
>;

/**
 * A vocabulary of a data file, its rows by the table.
 * @throws TypeError for a row that is not by the table, when the process starts
 */
export function vocabularyIn<
  D extends VocabularyFile<N, string>,
  N extends keyof D & string,
  F extends Fields = Record<never, Field>,
>(file: D, name: N, fields?: F): Vocabulary<DataRow<keyof D[N]['codes'] & string, F>> {
  const { description, codes } = file[name];
  return vocabulary(
    name,
    description,
    dataRows<keyof D[N]['codes'] & string, F>(codes as never, fields),
  );
}

/**
 * A list of a data file, each item by the table.
 * @throws TypeError for an item that is not by the table, when the process starts
 */
export function dataList<F extends Fields>(
  table: FieldTable<F>,
  list: readonly object[],
): readonly ValuesOf<F>[] {
  return list.map((item, index) => dataOf(table.fields, item, `${table.name} ${index}`));
}

function dataOf<F extends Fields>(fields: F, given: object, place: string): ValuesOf<F> {
  for (const [name, field] of Object.entries(fields)) {
    const value: unknown = Reflect.get(given, name);
    if (!holds(field, value, `${place}.${name}`)) throw new TypeError(`${place}.${name} is wrong`);
  }
  const stranger = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (stranger !== undefined) throw new TypeError(`${place}.${stranger} is no field`);
  return given as ValuesOf<F>;
}

const TYPES: Partial<Record<FieldKind, string>> = { text: 'string', flag: 'boolean' };

function holds(field: Field, value: unknown, place: string): boolean {
  const { item, table, vocabulary } = field;
  if (item) return Array.isArray(value) && value.every((each) => holds(item, each, place));
  if (table)
    return typeof value === 'object' && dataOf(table.fields, Object(value), place) !== null;
  return vocabulary ? vocabulary.has(String(value)) : typeof value === TYPES[field.kind];
}
