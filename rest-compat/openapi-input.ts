import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  isScalarType,
} from 'graphql';
import type { VariableRow } from './bind.js';
import type { InputNames, NamedField, Shortcut } from './input-names.js';
import {
  described,
  type JsonSchema,
  objectOf,
  orNull,
  type SchemaComponents,
  withDefault,
} from './openapi-schema.js';
import type { CompiledRow } from './row.js';

/** The schemas of what callers send. */
export class InputSchemas {
  /** @param plain how the fields of input objects are called where a row has no names of its own */
  constructor(
    private readonly components: SchemaComponents,
    private readonly plain: InputNames,
  ) {}

  /** The schema of a variable where null cannot be said, with its default and range. */
  variable(variable: VariableRow): JsonSchema {
    const { type } = variable;
    return withLimits(this.typeOf(isNonNullType(type) ? type.ofType : type, this.plain), variable);
  }

  /** The body of a row whose whole body is one variable: a named schema. */
  whole({ name, names }: CompiledRow, { type }: VariableRow): JsonSchema {
    return this.typeOf(isNonNullType(type) ? type.ofType : type, names, `${name}Request`);
  }

  /** The body of a row whose variables are its fields: a schema with the name of the operation. */
  fields(
    { name }: CompiledRow,
    variables: readonly VariableRow[],
    texts: ReadonlyMap<string, string>,
  ): JsonSchema {
    return this.components.named(`${name}Request`, () => {
      const properties = variables.map((variable) => {
        const schema = withLimits(this.orNullOf(variable.type, this.plain), variable);
        return [variable.name, described(schema, texts.get(variable.name))];
      });
      const required = variables.filter(isRequired).map((variable) => variable.name);
      return objectOf(Object.fromEntries(properties), required);
    });
  }

  private orNullOf(type: GraphQLInputType, names: InputNames, own?: string): JsonSchema {
    if (isNonNullType(type)) return this.typeOf(type.ofType, names, own);
    return orNull(this.typeOf(type, names, own));
  }

  /** @param own what the schema is called where the names are those of one row alone */
  private typeOf(type: GraphQLInputType, names: InputNames, own?: string): JsonSchema {
    if (isListType(type)) return this.listOf(type.ofType, names, own);
    if (isInputObjectType(type)) {
      const name = names.isOwn && own !== undefined ? own : type.name;
      return this.components.named(name, () => this.objectOf(type, names, own));
    }
    if (isEnumType(type)) return this.components.enumeration(type);
    return isScalarType(type) ? this.components.scalar(type) : {};
  }

  /** A list, and what else may stand in its place. */
  private listOf(type: GraphQLInputType, names: InputNames, own?: string): JsonSchema {
    const item = getNullableType(type);
    const byKey = isInputObjectType(item) ? names.byKeyOf(item) : undefined;
    const list = { type: 'array', items: this.orNullOf(type, names, own) };
    if (!byKey) return list;
    const { key, bare } = byKey;
    const description = `By \`${key}\`; a bare value stands for \`${bare}\`.`;
    return { anyOf: [list, { type: 'object', additionalProperties: true, description }] };
  }

  private objectOf(type: GraphQLInputObjectType, names: InputNames, own?: string): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    const shortcuts = names.shortcutsOf(type);
    for (const named of names.fieldsOf(type)) {
      const { field, wireName, below } = named;
      const part = own === undefined ? undefined : own + pascalCase(field.name);
      const value = this.orNullOf(field.type, below, part);
      const schema = withDefault(value, field.defaultValue, field.type);
      const through = shortcuts.filter((shortcut) => shortcut.through === field.name);
      const text = [field.description, acceptedText(named, through)].filter(Boolean).join(' ');
      properties[wireName] = described(schema, text);
      if (isRequiredInputField(field)) required.push(wireName);
    }
    const all = names.takesOneForAll(type) ? 'One value in its place stands for every field.' : '';
    const field = names.bareFieldOf(type);
    const bare = field === undefined ? '' : `A text in its place stands for \`${field}\`.`;
    const text = [type.description, all, bare].filter(Boolean).join(' ');
    const object = described(objectOf(properties, required), text);
    return field === undefined ? object : { anyOf: [object, { type: 'string' }] };
  }
}

/** The variables that a body carries. */
export function bodyVariables(row: CompiledRow): readonly VariableRow[] {
  const { body } = row.contract;
  if (body !== undefined) return row.variables.filter((variable) => variable.name === body);
  return row.variables.filter((variable) => !row.pathParameters.includes(variable.name));
}

/** True for a variable that a caller must give. */
export function isRequired(variable: VariableRow): boolean {
  return isNonNullType(variable.type) && variable.defaultValue === undefined;
}

/** What the schema says about the first place that a variable fills. */
export function variableTexts({ uses }: CompiledRow): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { variable, description } of uses) {
    if (description && !texts.has(variable)) texts.set(variable, description);
  }
  return texts;
}

/** Adds what a variable says beside its type: a default and a range. */
function withLimits(schema: JsonSchema, variable: VariableRow): JsonSchema {
  const complete = withDefault(schema, variable.defaultValue, variable.type);
  if (!variable.range) return complete;
  return { ...complete, minimum: variable.range.min, maximum: variable.range.max };
}

/** What else is accepted for a field, as its description says it. */
function acceptedText(named: NamedField, through: readonly Shortcut[]) {
  const { wireName, aliases, shares, alone, values } = named;
  return [
    aliases.length > 0 ? `Also accepted as ${listed(aliases)}.` : '',
    shares.length > 0 ? `Also accepted as ${listed(shares)}: a share from 0 to 1.` : '',
    alone === undefined ? '' : `Without \`${alone}\` beside it, it is accepted for that.`,
    ...values.map(([written, meant]) => `\`${written}\` is accepted for \`${meant}\`.`),
    ...through.map(({ alias, key }) => {
      return `\`${alias}\` beside it is accepted for \`${wireName}.${key}\`.`;
    }),
  ]
    .filter((text) => text !== '')
    .join(' ');
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
