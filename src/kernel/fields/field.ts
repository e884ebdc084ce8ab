import type { Language } from '../language/languages.js';
import type { MicroRub } from '../money.js';
import type { CodeOf, Vocabulary } from '../vocabulary.js';
import { MONEY_NAME } from './names.js';

/** What a field holds; each kind is spelt in one way in GraphQL, on the wire and in receipts. */
export type FieldKind =
  | 'text'
  | 'integer'
  | 'number'
  | 'flag'
  | 'money'
  | 'bigint'
  | 'uuid'
  | 'sha256'
  | 'instant'
  | 'day'
  | 'json'
  | 'code'
  | 'object'
  | 'list';

/** Inclusive bounds of a figure, or of the length of a text or list. */
export interface Bounds<N = number> {
  readonly min?: N;
  readonly max?: N;
}

declare const held: unique symbol;

/** One described field of a table: what it means, what it holds, and what is accepted in it. */
export interface Field<T = unknown> {
  readonly kind: FieldKind;
  readonly description: string;
  /** Null, or absent from an input, is a value of it. */
  readonly optional: boolean;
  readonly bounds?: Bounds<number | bigint>;
  readonly vocabulary?: Vocabulary;
  /** The table of an object. */
  readonly table?: FieldTable;
  /** The tables by which kept JSON is shown. */
  readonly shownBy?: TableUnion;
  /** The GraphQL type of an object that no table makes. */
  readonly schemaType?: unknown;
  /** For an instant that bounds a period: which end of it a bare day stands for. */
  readonly edge?: 'begin' | 'end';
  /** The items of a list. */
  readonly item?: Field;
  /** What an input has that leaves the field out. */
  readonly fallback?: unknown;
  /** For a text that is kept and sealed in English: how people read it in a language. */
  readonly toldIn?: (text: string, language: Language) => string;
  readonly [held]?: T;
}

/** Described fields by their names: camelCase, money with `Micro` in its name. */
export type Fields = Readonly<Record<string, Field>>;

/** A named table of fields: one GraphQL type, one part of the wire or of a sealed content. */
export interface FieldTable<F extends Fields = Fields> {
  /** The name of the GraphQL type. */
  readonly name: string;
  readonly description: string;
  readonly fields: F;
  /** An input states exactly one of the fields. */
  readonly isOneOf?: boolean;
}

/** Tables of which an object has one, told apart by its members: a union of the schema. */
export interface TableUnion {
  /** The name of the GraphQL type. */
  readonly name: string;
  readonly description: string;
  /** An object is shown by the first of them that has all its members. */
  readonly tables: readonly FieldTable[];
  /** The table of one field by which a bare text is shown. */
  readonly bare?: FieldTable;
}

/** What a field holds, as a type. */
export type Held<F extends Field> = F extends Field<infer T> ? T : never;

/** The values of a table of fields, as a type. */
export type ValuesOf<F extends Fields> = { readonly [name in keyof F]: Held<F[name]> };

/**
 * A named table.
 * @throws TypeError for money that is not named so, or another field that is
 */
export function fieldTable<F extends Fields>(
  name: string,
  description: string,
  fields: F,
): FieldTable<F> {
  for (const [key, field] of Object.entries(fields)) {
    const holds = field.item ?? field;
    if ((holds.kind === 'money') !== MONEY_NAME.test(key)) {
      throw new TypeError(`${name}.${key}: money, and nothing else, has Micro in its name`);
    }
  }
  return Object.freeze({ name, description, fields });
}

/** A table of an input that states exactly one of its fields. */
export function oneOfTable<F extends Fields>(
  name: string,
  description: string,
  fields: F,
): FieldTable<F> {
  return Object.freeze({ ...fieldTable(name, description, fields), isOneOf: true });
}

function field<T>(kind: FieldKind, description: string, more: Partial<Field> = {}): Field<T> {
  return Object.freeze({ kind, description, optional: false, ...more }) as Field<T>;
}

/** The longest text of an input that states no bound of its own. */
const TEXT_LENGTH_MAX = 1_000;
/** The most items of a list of an input that states no bound of its own. */
const ITEMS_MAX = 1_000;

/** Text; `bounds` are of its length in characters, 1 to 1,000 unless stated. */
export function text(description: string, bounds: Bounds = {}): Field<string> {
  return field('text', description, { bounds: { min: 1, max: TEXT_LENGTH_MAX, ...bounds } });
}

/** A whole number of 32 bits. */
export function integer(description: string, bounds: Bounds = {}): Field<number> {
  return field('integer', description, { bounds });
}

/** A number of double precision; never money. */
export function number(description: string, bounds: Bounds = {}): Field<number> {
  return field('number', description, { bounds });
}

/** Yes or no. */
export function flag(description: string): Field<boolean> {
  return field('flag', description);
}

/** Integer micro-rubles; shown as rubles. */
export function money(description: string, bounds: Bounds<MicroRub> = {}): Field<MicroRub> {
  return field('money', description, { bounds });
}

/** A whole number of any size. */
export function bigInteger(description: string, bounds: Bounds<bigint> = {}): Field<bigint> {
  return field('bigint', description, { bounds });
}

/** The id of something. */
export function uuid(description: string): Field<string> {
  return field('uuid', description);
}

/** A SHA-256 as hexadecimal digits. */
export function sha256(description: string): Field<string> {
  return field('sha256', description);
}

/** A point in time. */
export function instant(description: string): Field<Date> {
  return field('instant', description);
}

/** The begin of a period: a time, or a day, which stands for its midnight in Moscow. */
export function periodBegin(description: string): Field<Date> {
  return field('instant', description, { edge: 'begin' });
}

/** The end of a period: a time, itself outside, or a day, which is inside to its own end. */
export function periodEnd(description: string): Field<Date> {
  return field('instant', description, { edge: 'end' });
}

/** A calendar day as YYYY-MM-DD. */
export function day(description: string): Field<string> {
  return field('day', description);
}

/** JSON whose shape is the customer's own. */
export function json(description: string): Field<unknown> {
  return field('json', description);
}

/** A named union of tables; `bare` shows what is kept as a bare text. */
export function tableUnion(
  name: string,
  description: string,
  tables: readonly FieldTable[],
  bare?: FieldTable,
): TableUnion {
  return Object.freeze({ name, description, tables, bare });
}

/**
 * JSON of the gateway's own making: kept and sealed as it is, under wire names, and shown by one of
 * the tables. An object without members is shown as null.
 */
export function kept<T>(by: TableUnion, description: string): Field<T> {
  return field('json', description, { shownBy: by });
}

/** A value of a vocabulary. */
export function code<V extends Vocabulary>(from: V, description: string): Field<CodeOf<V>> {
  return field('code', description, { vocabulary: from });
}

/** An object by another table. */
export function object<F extends Fields>(
  of: FieldTable<F>,
  description: string,
): Field<ValuesOf<F>> {
  return field('object', description, { table: of as unknown as FieldTable });
}

/** A list; `bounds` are of its length, at most 1,000 unless stated. */
export function list<T>(
  item: Field<T>,
  description: string,
  bounds: Bounds = {},
): Field<readonly T[]> {
  return field('list', description, { item, bounds: { max: ITEMS_MAX, ...bounds } });
}

/** The same field where null is a value, and an input may leave it out. */
export function optional<T>(of: Field<T>): Field<T | null> {
  return Object.freeze({ ...of, optional: true }) as Field<T | null>;
}

/** The same field of an input, with what it holds where it is left out. */
export function defaulting<T>(of: Field<T>, fallback: T): Field<T> {
  return Object.freeze({ ...of, fallback }) as Field<T>;
}

/** The same text, kept and sealed in English, as it is shown in the language of its reader. */
export function toldIn<T extends string | null>(
  of: Field<T>,
  tell: (text: string, language: Language) => string,
): Field<T> {
  return Object.freeze({ ...of, toldIn: tell });
}

/** Every field of a table as one that may be null, as a refusal leaves them. */
export function allOptional<F extends Fields>(fields: F) {
  const entries = Object.entries(fields).map(([name, each]) => [name, optional(each)]);
  return Object.fromEntries(entries) as { readonly [name in keyof F]: Field<Held<F[name]> | null> };
}
