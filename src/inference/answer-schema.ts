import type { Field, FieldKind, Fields, FieldTable } from '../kernel/fields/field.js';
import { wireName } from '../kernel/fields/names.js';
import type { JsonObject } from '../kernel/json.js';

/** How a kind of field looks on the wire, where it is neither a part nor a list. */
const TYPES: Partial<Record<FieldKind, string>> = {
  text: 'string',
  integer: 'integer',
  number: 'number',
  flag: 'boolean',
  money: 'number',
};

/** What the JSON Schema of a part of an answer says beyond its table, by the name of the table. */
export interface PartFacts {
  /** Members that are always there and never null, by their names on the wire. */
  readonly required?: readonly string[];
  /** Members that the table lacks. */
  readonly members?: JsonObject;
}

/**
 * The JSON Schema of an answer that a table describes, under the names of the wire; each part that
 * it holds is a definition by the name of its table. What providers may leave out or add, the
 * schema lets them: members are absent or null unless the facts require them.
 */
export function answerSchema(
  table: FieldTable,
  facts: Readonly<Record<string, PartFacts>>,
): JsonObject {
  const definitions: Record<string, JsonObject> = {};
  const schema = partSchema(table, facts, definitions);
  return { ...schema, $defs: definitions };
}

function partSchema(
  { name, description, fields }: FieldTable,
  facts: Readonly<Record<string, PartFacts>>,
  definitions: Record<string, JsonObject>,
): JsonObject {
  const { required = [], members = {} } = facts[name] ?? {};
  const properties = propertiesOf(fields, required, (table) => {
    if (!definitions[table.name]) {
      definitions[table.name] = {};
      definitions[table.name] = partSchema(table, facts, definitions);
    }
    return { $ref: `#/$defs/${table.name}` };
  });
  return {
    type: 'object',
    description,
    properties: { ...properties, ...members },
    additionalProperties: true,
    ...(required.length > 0 ? { required } : {}),
  };
}

function propertiesOf(
  fields: Fields,
  required: readonly string[],
  refer: (table: FieldTable) => JsonObject,
): JsonObject {
  const entries = Object.entries(fields).map(([name, field]) => {
    const member = wireName(name);
    const schema = fieldSchema(field, refer);
    const whole = required.includes(member) ? schema : orNull(schema);
    return [member, { ...whole, description: field.description }];
  });
  return Object.fromEntries(entries);
}

function fieldSchema(field: Field, refer: (table: FieldTable) => JsonObject): JsonObject {
  const { kind, vocabulary, table, item } = field;
  if (vocabulary) return { type: 'string', enum: [...vocabulary.codes] };
  if (table) return refer(table);
  if (item) return { type: 'array', items: fieldSchema(item, refer) };
  const type = TYPES[kind];
  return type === undefined ? {} : { type };
}

function orNull(schema: JsonObject): JsonObject {
  if (schema.$ref !== undefined) return { anyOf: [schema, { type: 'null' }] };
  if (schema.type === undefined) return schema;
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...values };
}
