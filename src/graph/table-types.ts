import type { ArgumentRef, EnumRef, FieldMap, InputRef, ObjectRef, OutputRef } from '@pothos/core';
import type { Sealable } from '../kernel/canonical.js';
import type { GivenValues } from '../kernel/fields/faults.js';
import type {
  Field,
  FieldKind,
  Fields,
  FieldTable,
  Held,
  TableUnion,
  ValuesOf,
} from '../kernel/fields/field.js';
import { type OpenedKept, openedKept } from '../kernel/fields/kept.js';
import { shownName } from '../kernel/fields/names.js';
import type { CodeOf, Vocabulary } from '../kernel/vocabulary.js';
import { answeredIn } from './answered-in.js';
import { builder } from './builder.js';
import type { Ctx } from './ctx.js';

/**
 * GraphQL types of described tables and vocabularies. Each table has one object type, one input
 * type, each vocabulary one enum, made where they are first needed; so a table is written once and
 * feeds schema, wire and sealed contents.
 */

const enums = new WeakMap<Vocabulary, unknown>();
const outputs = new WeakMap<FieldTable, unknown>();
const inputs = new WeakMap<FieldTable, unknown>();
const unions = new WeakMap<TableUnion, unknown>();

const SCALARS = {
  text: 'String',
  integer: 'Int',
  number: 'Float',
  flag: 'Boolean',
  money: 'Rub',
  bigint: 'BigInt',
  uuid: 'ID',
  sha256: 'Sha256',
  instant: 'DateTime',
  day: 'Date',
  json: 'JSON',
} as const satisfies Partial<Record<FieldKind, string>>;

/** The enum of a vocabulary. */
export function enumOf<V extends Vocabulary>(vocabulary: V): EnumRef<SchemaTypesOf, CodeOf<V>> {
  return once(enums, vocabulary, () => {
    const { name, description, rows } = vocabulary;
    const values = rows.map((row) => [row.code, { value: row.code, description: row.description }]);
    return builder.enumType(name, { description, values: Object.fromEntries(values) });
  }) as EnumRef<SchemaTypesOf, CodeOf<V>>;
}

/** The object type of a table, whose values its resolvers return. */
export function outputOf<F extends Fields>(
  table: FieldTable<F>,
): ObjectRef<SchemaTypesOf, ValuesOf<F>> {
  return once(outputs, table as unknown as FieldTable, () =>
    builder.objectRef<ValuesOf<F>>(table.name).implement({
      description: table.description,
      fields: (t) => shownFields(t, table.fields, (values) => values) as never,
    }),
  ) as ObjectRef<SchemaTypesOf, ValuesOf<F>>;
}

/** The union of tables, whose members are the object types of the tables. */
function unionOf(union: TableUnion): unknown {
  return once(unions, union, () => {
    const { name, description, tables, bare } = union;
    const types = [...tables, ...(bare ? [bare] : [])].map((table) => outputOf(table));
    return builder.unionType(name, {
      description,
      types: types as never,
      resolveType: (value) => (value as unknown as OpenedKept).__typename,
    });
  });
}

/** A field whose values have a type of the schema that no table makes, such as a prismaNode. */
export function typed<T>(type: OutputRef<T>, description: string): Field<T> {
  return { kind: 'object', description, optional: false, schemaType: type };
}

/** The input type of a table; `inputValues` reads what it is given. */
export function inputOf(table: FieldTable): InputRef<GivenValues> {
  return once(inputs, table, () =>
    builder.inputType(inputName(table.name), {
      description: table.description,
      isOneOf: (table.isOneOf ?? false) as never,
      fields: (t) => inputFieldsOf(t, table.fields, table.isOneOf),
    }),
  ) as InputRef<GivenValues>;
}

/** The fields of a table for an input type that has others beside them. */
export function inputFieldsOf(t: InputFieldsOf, fields: Fields, isOneOf = false) {
  const entries = Object.entries(fields).map(([name, field]) => [
    shownName(name),
    t.field(inputOptions(field, isOneOf)),
  ]);
  return Object.fromEntries(entries);
}

/** The arguments of a field as a table says them; an object is given as its input type is. */
export function argsOf<F extends Fields>({ arg }: Pick<RootFields, 'arg'>, fields: F): ArgsOf<F> {
  const entries = Object.entries(fields).map(([name, field]) => [
    shownName(name),
    arg(inputOptions(field)),
  ]);
  return Object.fromEntries(entries) as ArgsOf<F>;
}

/** The builder of root fields. */
export type RootFields = Parameters<Parameters<typeof builder.queryFields>[0]>[0];
type ArgsOf<F extends Fields> = {
  [name in keyof F & string as Shown<name>]: ArgumentRef<SchemaTypesOf, Given<Held<F[name]>>>;
};
type Shown<Name extends string> = Name extends `${infer A}Micro${infer B}` ? `${A}Rub${B}` : Name;
type Given<T> = T extends null ? T | undefined : T extends Date ? T : GivenPart<T>;
type GivenPart<T> = T extends readonly unknown[] ? T : T extends object ? GivenValues : T;

function inputOptions(field: Field, isOneOf = false) {
  return {
    type: inputTypeOf(field) as never,
    required: (!isOneOf && !field.optional && field.fallback === undefined) as never,
    defaultValue: field.fallback as never,
    description: field.description,
  };
}

function inputName(name: string): string {
  return name.endsWith('Input') ? name : `${name}Input`;
}

/**
 * The fields of a table for an object type whose values stand somewhere in what it is resolved
 * from.
 */
export function shownFields<P, F extends Fields>(
  t: FieldsOf<P>,
  fields: F,
  valuesOf: (parent: P, ctx: Ctx) => ValuesOf<F> | Promise<ValuesOf<F>>,
): FieldMap {
  const entries = Object.entries(fields).map(([name, field]) => [
    shownName(name),
    t.field({
      type: outputTypeOf(field) as never,
      nullable: field.optional as never,
      description: field.description,
      resolve: ((parent: P, _args: unknown, ctx: Ctx) => {
        const values = valuesOf(parent, ctx);
        const shown = (of: ValuesOf<F>) => shownValue(field, of[name], ctx);
        return values instanceof Promise ? values.then(shown) : shown(values);
      }) as never,
    }),
  ]);
  return Object.fromEntries(entries) as FieldMap;
}

/** A value as it is resolved: kept JSON by its table, texts for people in their language. */
function shownValue(field: Field, value: unknown, ctx: Ctx): unknown {
  const { item, shownBy, toldIn } = field;
  if (value === null || value === undefined) return value;
  if (toldIn) return toldIn(String(value), answeredIn(ctx.transport));
  if (item?.shownBy) {
    return (value as readonly unknown[]).map((each) => shownValue(item, each, ctx));
  }
  return shownBy ? openedKept(shownBy, value as Sealable) : value;
}

/** What a stored row holds of a table's fields: columns of codes are texts to the ORM. */
export type Stored<F extends Fields> = { readonly [name in keyof F]: StoredValue<Held<F[name]>> };
type StoredValue<T> = T extends string
  ? string | Uint8Array
  : T extends readonly (infer Item)[]
    ? readonly StoredValue<Item>[]
    : T;

/** The fields of a table whose names are the columns of a row; its enums refuse unknown codes. */
export function storedFields<P extends Stored<F>, F extends Fields>(
  t: FieldsOf<P>,
  fields: F,
): FieldMap {
  return shownFields(t, fields, (row) => row as unknown as ValuesOf<F>);
}

/** The types that the builder was made with. */
export type SchemaTypesOf =
  typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;
/** What makes the fields of an object type. */
export type FieldsOf<P> = Pick<PothosSchemaTypes.ObjectFieldBuilder<SchemaTypesOf, P>, 'field'>;
type InputFieldsOf = Pick<
  PothosSchemaTypes.InputFieldBuilder<SchemaTypesOf, 'InputObject'>,
  'field'
>;

/** The GraphQL type of a field; `objectOf` makes those of the tables in it. */
export function outputTypeOf(
  field: Field,
  objectOf: (table: FieldTable) => unknown = outputOf,
): unknown {
  if (field.item) return [outputTypeOf(field.item, objectOf)];
  if (field.table) return objectOf(field.table);
  if (field.schemaType) return field.schemaType;
  if (field.shownBy) return unionOf(field.shownBy);
  if (field.vocabulary) return codeTypeOf(field.vocabulary);
  return scalarOf(field.kind);
}

function inputTypeOf(field: Field): unknown {
  if (field.item) return [inputTypeOf(field.item)];
  if (field.table) return inputOf(field.table);
  if (field.vocabulary) return codeTypeOf(field.vocabulary);
  return field.edge ? EDGE_SCALARS[field.edge] : scalarOf(field.kind);
}

/** What a bound of a period is given as. */
const EDGE_SCALARS = { begin: 'PeriodBegin', end: 'PeriodEnd' } as const;

/** Codes that are no names, such as versions or paths, are shown as text. */
function codeTypeOf(vocabulary: Vocabulary): unknown {
  return vocabulary.codes.every((each) => ENUM_NAME.test(each)) ? enumOf(vocabulary) : 'String';
}

const ENUM_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function scalarOf(kind: FieldKind): string {
  const scalar = (SCALARS as Partial<Record<FieldKind, string>>)[kind];
  if (!scalar) throw new TypeError(`a field of the kind ${kind} has no scalar`);
  return scalar;
}

function once<K extends object>(made: WeakMap<K, unknown>, key: K, make: () => unknown): unknown {
  const known = made.get(key);
  if (known !== undefined) return known;
  const type = make();
  made.set(key, type);
  return type;
}
