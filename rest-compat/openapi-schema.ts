import {
  astFromValue,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  isScalarType,
  isSpecifiedScalarType,
  valueFromASTUntyped,
} from 'graphql';
import type { InputNames, NamedField, Shortcut } from './input-names.js';
import type { SelectedField } from './projection.js';
import type { Shape } from './row.js';

/** A JSON Schema of the 2020-12 dialect, as OpenAPI 3.1 uses it. */
export type JsonSchema = Record<string, unknown>;

/** Collects the named schemas that a description refers to, each once. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {};

  /** @param names how the fields of input objects are called where a row has no names of its own */
  constructor(private readonly names: InputNames) {}

  /** The schema of a value that callers send. */
  input(type: GraphQLInputType, names = this.names): JsonSchema {
    if (isNonNullType(type)) return this.inputOf(type.ofType, names);
    return orNull(this.inputOf(type, names));
  }

  /** The schema of a value that callers send where null cannot be said. */
  presentInput(type: GraphQLInputType, names = this.names): JsonSchema {
    return this.inputOf(isNonNullType(type) ? type.ofType : type, names);
  }

  /** The schema of a field that callers receive, with what is selected below it. */
  output(field: SelectedField): JsonSchema {
    return this.outputOf(field.type, field);
  }

  /** The schema of an object of selected fields. */
  object(fields: readonly SelectedField[]): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const bare = fields.find(({ form }) => form.bare);
    const members = fields.filter((field) => field !== bare);
    for (const field of members) {
      properties[field.key] = described(this.output(field), field.description);
    }
    const required = members.filter(isAlwaysThere).map((field) => field.key);
    const object = { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
    return bare ? { anyOf: [object, described(this.output(bare), bare.description)] } : object;
  }

  /** The schema of a whole answer. */
  answer(shape: Shape): JsonSchema {
    if (shape.kind === 'value') return this.output(shape.field);
    if (shape.kind === 'fields') return this.object(shape.fields);
    const beside = this.object(shape.beside);
    const { properties, required } = LIST;
    return {
      type: 'object',
      properties: {
        object: properties.object,
        data: this.output(shape.data),
        has_more: properties.has_more,
        next_cursor: properties.next_cursor,
        ...(beside.properties as JsonSchema),
      },
      required: [...required, ...((beside.required as string[] | undefined) ?? [])],
    };
  }

  private inputOf(type: GraphQLInputType, names: InputNames): JsonSchema {
    if (isListType(type)) return this.inputList(type.ofType, names);
    if (isInputObjectType(type)) {
      // The names of one row are no others' business.
      if (names.isOwn) return this.inputFields(type, names);
      return this.named(type.name, () => this.inputFields(type, names));
    }
    if (isEnumType(type)) return this.enumeration(type);
    return isScalarType(type) ? this.scalar(type) : {};
  }

  /** A list, and what else may stand in its place. */
  private inputList(type: GraphQLInputType, names: InputNames): JsonSchema {
    const item = getNullableType(type);
    const byKey = isInputObjectType(item) ? names.byKeyOf(item) : undefined;
    const list = { type: 'array', items: this.input(type, names) };
    if (!byKey) return list;
    const { key, bare } = byKey;
    const description = `By \`${key}\`; a text stands for \`${bare}\`.`;
    return { anyOf: [list, { type: 'object', additionalProperties: true, description }] };
  }

  private outputOf(type: GraphQLOutputType, field: SelectedField): JsonSchema {
    if (isNonNullType(type)) return this.presentOutput(type.ofType, field);
    const present = this.presentOutput(type, field);
    return field.form.whenNull ? present : orNull(present);
  }

  private presentOutput(type: GraphQLOutputType, field: SelectedField): JsonSchema {
    const value = field.fields?.find(({ key }) => key === field.form.byKey?.value);
    if (value) {
      const schema = described(this.output(value), value.description);
      return { type: 'object', additionalProperties: schema };
    }
    if (isListType(type)) return { type: 'array', items: this.outputOf(type.ofType, field) };
    if (isEnumType(type)) return this.enumeration(type);
    if (isScalarType(type)) return this.scalar(type);
    return this.object(field.fields ?? []);
  }

  private inputFields(type: GraphQLInputObjectType, names: InputNames): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    const shortcuts = names.shortcutsOf(type);
    for (const named of names.fieldsOf(type)) {
      const { field, wireName, below } = named;
      const schema = withDefault(this.input(field.type, below), field.defaultValue, field.type);
      const through = shortcuts.filter((shortcut) => shortcut.through === field.name);
      const text = [field.description, acceptedText(named, through)].filter(Boolean).join(' ');
      properties[wireName] = described(schema, text);
      if (isRequiredInputField(field)) required.push(wireName);
    }
    const all = names.takesOneForAll(type) ? 'One value in its place stands for every field.' : '';
    const field = names.bareFieldOf(type);
    const bare = field === undefined ? '' : `A text in its place stands for \`${field}\`.`;
    const text = [type.description, all, bare].filter(Boolean).join(' ');
    const object = described({ type: 'object', properties }, text);
    const whole = required.length > 0 ? { ...object, required } : object;
    return field === undefined ? whole : { anyOf: [whole, { type: 'string' }] };
  }

  private enumeration(type: GraphQLEnumType): JsonSchema {
    return this.named(type.name, () => {
      const values = type.getValues();
      const meanings = values
        .filter((value) => value.description)
        .map((value) => `- \`${value.name}\`: ${value.description}`);
      const text = [type.description, meanings.join('\n')].filter(Boolean).join('\n\n');
      return described({ type: 'string', enum: values.map((value) => value.name) }, text);
    });
  }

  private scalar(type: GraphQLScalarType): JsonSchema {
    const own = type.extensions.jsonSchema as JsonSchema | undefined;
    if (!own && isSpecifiedScalarType(type)) return { ...SPECIFIED[type.name] };
    return this.named(type.name, () => {
      const schema = { ...(own ?? WIRE_SCALARS[type.name] ?? {}) };
      return 'description' in schema ? schema : described(schema, type.description);
    });
  }

  /** A reference to a named schema, which is made at its first mention. */
  private named(name: string, make: () => JsonSchema): JsonSchema {
    if (!this.schemas[name]) {
      // Taken before it is made, since an input object may hold itself.
      this.schemas[name] = {};
      this.schemas[name] = make();
    }
    return { $ref: `#/components/schemas/${name}` };
  }
}

function isAlwaysThere({ conditional, form: { whenNull } }: SelectedField): boolean {
  return !conditional && (!whenNull || whenNull.write !== undefined);
}

/** What else is accepted for a field, as its description says it. */
function acceptedText({ wireName, aliases, values }: NamedField, through: readonly Shortcut[]) {
  const names = aliases.map((alias) => `\`${alias}\``).join(', ');
  return [
    names === '' ? '' : `Also accepted as ${names}.`,
    ...values.map(([written, meant]) => `\`${written}\` is accepted for \`${meant}\`.`),
    ...through.map(({ alias, key }) => {
      return `\`${alias}\` beside it is accepted for \`${wireName}.${key}\`.`;
    }),
  ]
    .filter((text) => text !== '')
    .join(' ');
}

const SPECIFIED: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  ID: { type: 'string' },
};

/** What `projection.ts` makes of scalars that do not describe themselves. */
const WIRE_SCALARS: Readonly<Record<string, JsonSchema>> = {
  Rub: { type: 'number' },
  BigInt: { type: ['integer', 'string'] },
};

/** The envelope of lists. */
const LIST = {
  properties: {
    object: { const: 'list' },
    has_more: { type: 'boolean', description: 'True when there are further rows.' },
    next_cursor: {
      type: ['string', 'null'],
      description: 'Pass it as `cursor` for the next page; null on the last one.',
    },
  },
  required: ['object', 'data', 'has_more', 'next_cursor'],
} as const;

/** A schema that takes null as well. */
function orNull(schema: JsonSchema): JsonSchema {
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

/** Adds a description, beside a reference too. */
export function described(schema: JsonSchema, description: string | null | undefined): JsonSchema {
  return description ? { ...schema, description } : schema;
}

/** Adds a coerced default in its wire form. */
export function withDefault(
  schema: JsonSchema,
  value: unknown,
  type: GraphQLInputType,
): JsonSchema {
  if (value === undefined) return schema;
  const literal = astFromValue(value, type);
  return literal ? { ...schema, default: valueFromASTUntyped(literal) } : schema;
}
