import {
  astFromValue,
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLScalarType,
  isSpecifiedScalarType,
  valueFromASTUntyped,
} from 'graphql';

/** A JSON Schema of the 2020-12 dialect, as OpenAPI 3.1 uses it. */
export type JsonSchema = Record<string, unknown>;

/** Collects the named schemas that a description refers to, each once. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {};

  /** A reference to a named schema, which is made at its first mention. */
  named(name: string, make: () => JsonSchema): JsonSchema {
    if (!this.schemas[name]) {
      // Taken before it is made, since an input object may hold itself.
      this.schemas[name] = {};
      this.schemas[name] = make();
    }
    return { $ref: `${PLACE}${name}` };
  }

  enumeration(type: GraphQLEnumType): JsonSchema {
    return this.named(type.name, () => {
      const values = type.getValues();
      const meanings = values
        .filter((value) => value.description)
        .map((value) => `- \`${value.name}\`: ${value.description}`);
      const text = [type.description, meanings.join('\n')].filter(Boolean).join('\n\n');
      return described({ type: 'string', enum: values.map((value) => value.name) }, text);
    });
  }

  scalar(type: GraphQLScalarType): JsonSchema {
    const own = type.extensions.jsonSchema as JsonSchema | undefined;
    if (!own && isSpecifiedScalarType(type)) return { ...SPECIFIED[type.name] };
    return this.named(type.name, () => {
      const schema = this.lifted(own ?? WIRE_SCALARS[type.name] ?? {});
      return 'description' in schema ? schema : described(schema, type.description);
    });
  }

  /** What a schema defines for itself becomes named schemas of the description. */
  private lifted({ $defs = {}, ...schema }: JsonSchema): JsonSchema {
    for (const [name, part] of Object.entries($defs as Record<string, JsonSchema>)) {
      this.named(name, () => withPlaces(part));
    }
    return withPlaces(schema);
  }
}

const PLACE = '#/components/schemas/';

/** The same schema with its own definitions named as components. */
function withPlaces(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', `"${PLACE}`);
  return JSON.parse(text) as JsonSchema;
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

/** A schema that takes null as well. */
export function orNull(schema: JsonSchema): JsonSchema {
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

/** Adds a description, beside a reference too. */
export function described(schema: JsonSchema, description: string | null | undefined): JsonSchema {
  return description ? { ...schema, description } : schema;
}

/** The schema of an object; `required` stands in it where there is something to require. */
export function objectOf(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
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
