import {
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import type { AnswerNames } from './openapi-names.js';
import {
  described,
  type JsonSchema,
  objectOf,
  orNull,
  type SchemaComponents,
} from './openapi-schema.js';
import type { SelectedField } from './projection.js';
import type { CompiledRow, Shape } from './row.js';

/** The schemas of what callers receive. */
export class OutputSchemas {
  constructor(
    private readonly components: SchemaComponents,
    private readonly names: AnswerNames,
  ) {}

  /** The schema of a whole answer; an object and a list have a name. */
  answer({
    name,
    shape,
    pathParameters,
  }: Pick<CompiledRow, 'name' | 'shape' | 'pathParameters'>): JsonSchema {
    if (shape.kind === 'list') return this.list(name, shape);
    if (shape.kind === 'fields') return this.own(name, () => this.object(shape.fields));
    const { field } = shape;
    const present = getNullableType(field.type);
    if (isListType(present)) return this.own(name, () => this.output(field));
    // Where a path names the object, one that is not there is answered 404.
    return pathParameters.length > 0 ? this.present(present, field) : this.output(field);
  }

  private own(operation: string, make: () => JsonSchema): JsonSchema {
    return this.components.named(this.names.free(`${operation}Answer`), make);
  }

  private list(operation: string, { data, beside }: Shape & { kind: 'list' }): JsonSchema {
    const make = () => {
      const { properties = {}, required = [] } = this.object(beside);
      const fields = {
        object: LIST.object,
        // The envelope leaves rows out that are null.
        data: { type: 'array', items: this.item(data) },
        has_more: LIST.has_more,
        next_cursor: LIST.next_cursor,
        ...(properties as JsonSchema),
      };
      return objectOf(fields, [...Object.keys(LIST), 'data', ...(required as string[])].sort());
    };
    if (beside.length > 0) return this.own(operation, make);
    return this.components.named(this.names.free(`${this.names.nameOf(data)}List`), make);
  }

  private item(data: SelectedField): JsonSchema {
    const list = getNullableType(data.type);
    return this.present(getNullableType(isListType(list) ? list.ofType : list), data);
  }

  /** The schema of a field, with what is selected below it. */
  private output(field: SelectedField): JsonSchema {
    return this.outputOf(field.type, field);
  }

  private outputOf(type: GraphQLOutputType, field: SelectedField): JsonSchema {
    if (isNonNullType(type)) return this.present(type.ofType, field);
    const present = this.present(type, field);
    return field.form.whenNull ? present : orNull(present);
  }

  private present(type: GraphQLOutputType, field: SelectedField): JsonSchema {
    const value = field.fields?.find(({ key }) => key === field.form.byKey?.value);
    if (value) {
      const schema = described(this.output(value), value.description);
      return { type: 'object', additionalProperties: schema };
    }
    if (isListType(type)) return { type: 'array', items: this.outputOf(type.ofType, field) };
    if (isEnumType(type)) return this.components.enumeration(type);
    if (isScalarType(type)) return this.components.scalar(type);
    const { description } = getNamedType(type);
    const make = () => described(this.object(field.fields ?? []), description);
    return this.components.named(this.names.nameOf(field), make);
  }

  /** The schema of an object of selected fields. */
  private object(fields: readonly SelectedField[]): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const bare = fields.find(({ form }) => form.bare);
    const members = fields.filter((field) => field !== bare);
    for (const field of members) {
      properties[field.key] = described(this.output(field), field.description);
    }
    const required = members.filter(isAlwaysThere).map((field) => field.key);
    const object = objectOf(properties, required);
    return bare ? { anyOf: [object, described(this.output(bare), bare.description)] } : object;
  }
}

function isAlwaysThere({ conditional, form: { whenNull } }: SelectedField): boolean {
  return !conditional && (!whenNull || whenNull.write !== undefined);
}

/** The members of the envelope of lists beside its rows. */
const LIST = {
  object: { type: 'string', const: 'list' },
  has_more: { type: 'boolean', description: 'True when there are further rows.' },
  next_cursor: {
    type: ['string', 'null'],
    description: 'Pass it as `cursor` for the next page; null on the last one.',
  },
} as const;
