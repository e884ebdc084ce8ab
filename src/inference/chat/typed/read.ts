import type { FieldMap, ObjectRef } from '@pothos/core';
import { builder } from '../../../graph/builder.js';
import { type FieldsOf, outputTypeOf, type SchemaTypesOf } from '../../../graph/table-types.js';
import type { Field, FieldKind, Fields, FieldTable } from '../../../kernel/fields/field.js';
import { shownName, wireName } from '../../../kernel/fields/names.js';
import { asObject, type JsonObject } from '../../../kernel/json.js';
import { parseRub } from '../../../kernel/money.js';
import { oncePer } from '../../once-per.js';

const INT_MAX = 2 ** 31 - 1;

/**
 * How a member of an answer is read. One that was charged must never fail because of what a
 * provider wrote into it, so that each reader gives null for a value of another type.
 */
const READERS: Partial<Record<FieldKind, (member: unknown) => unknown>> = {
  text: (member) => (typeof member === 'string' ? member : null),
  integer: (member) =>
    Number.isInteger(member) && Math.abs(member as number) <= INT_MAX ? member : null,
  number: (member) => (Number.isFinite(member) ? member : null),
  flag: (member) => (typeof member === 'boolean' ? member : null),
  money: (member) => (typeof member === 'number' ? (parseRub(String(member)) ?? null) : null),
  json: (member) => member ?? null,
  object: (member) => asObject(member) ?? null,
};

/** The reader of a field; of a list it leaves out what its items cannot be. */
function readerOf(name: string, { kind, item, vocabulary }: Field): (member: unknown) => unknown {
  if (vocabulary) {
    return (member) => (typeof member === 'string' && vocabulary.has(member) ? member : null);
  }
  if (item) {
    const read = readerOf(name, item);
    return (member) => (Array.isArray(member) ? member.filter((each) => read(each) !== null) : []);
  }
  const read = READERS[kind];
  if (!read) throw new TypeError(`${name} is of a kind that no answer has`);
  return read;
}

/** The object type of a part of an answer whose members are named as on the wire. */
export const wireType = oncePer(
  ({ name, description, fields }: FieldTable): ObjectRef<SchemaTypesOf, JsonObject> =>
    builder
      .objectRef<JsonObject>(name)
      .implement({ description, fields: (t) => wireFields(t, fields) }),
);

/**
 * The fields of a table, each read from its member of the wire; `within` names the object that
 * has the members, where it is not the part of the answer itself. All but lists may be null.
 */
export function wireFields(t: FieldsOf<JsonObject>, fields: Fields, within?: string): FieldMap {
  const entries = Object.entries(fields).map(([name, field]) => {
    const read = readerOf(name, field);
    const member = wireName(name);
    const resolve =
      within === undefined
        ? (part: JsonObject) => read(part[member])
        : (part: JsonObject) => read(asObject(part[within])?.[member]);
    const { description } = field;
    const type = outputTypeOf(field, wireType) as never;
    return [
      shownName(name),
      t.field({ type, nullable: !field.item, description, resolve } as never),
    ];
  });
  return Object.fromEntries(entries);
}
