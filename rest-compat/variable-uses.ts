import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLObjectType,
  getNamedType,
  isInputObjectType,
  Kind,
  type ValueNode,
} from 'graphql';

/** Where an operation uses a variable: as an argument, or inside one that it writes out. */
export interface VariableUse {
  readonly variable: string;
  /** The path of the argument or of the field of an input object, such as `filter.type.eq`. */
  readonly path: string;
  /** What the schema says about that place. */
  readonly description: string | undefined;
}

/** Every use of a variable by the fields at the root of an operation. */
export function variableUses(root: GraphQLObjectType, nodes: readonly FieldNode[]): VariableUse[] {
  return nodes.flatMap((node) => {
    const places = root.getFields()[node.name.value]?.args ?? [];
    return (node.arguments ?? []).flatMap(({ name, value }) => {
      const place = places.find((candidate) => candidate.name === name.value);
      return place ? usesIn(name.value, value, place) : [];
    });
  });
}

function usesIn(
  path: string,
  value: ValueNode,
  { type, description }: GraphQLArgument | GraphQLInputField,
): VariableUse[] {
  if (value.kind === Kind.VARIABLE) {
    return [{ variable: value.name.value, path, description: description ?? undefined }];
  }
  const named = getNamedType(type);
  if (value.kind !== Kind.OBJECT || !isInputObjectType(named)) return [];
  const fields = named.getFields();
  return value.fields.flatMap((member) => {
    const field = fields[member.name.value];
    return field ? usesIn(`${path}.${member.name.value}`, member.value, field) : [];
  });
}
