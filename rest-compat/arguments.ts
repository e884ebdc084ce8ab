import {
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  Kind,
  type ValueNode,
  valueFromAST,
} from 'graphql';

/** Makes a part of a field's arguments from coerced variables; undefined means absent. */
type Part = (variables: Readonly<Record<string, unknown>>) => unknown;

/** Makes the arguments of a field from coerced variables. */
export type MakeArguments = (
  variables: Readonly<Record<string, unknown>>,
) => Record<string, unknown>;

/**
 * Compiles what graphql-js' `getArgumentValues` does for each call: variables by name, literals
 * coerced once, defaults of the schema where a variable is absent. The validator has proved that
 * types fit, and `bind` that no required variable is missing.
 * @returns undefined for variables inside literals, which graphql-js is left to handle
 */
export function compileArguments(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): MakeArguments | undefined {
  const parts: { name: string; part: Part; defaultValue: unknown }[] = [];
  for (const argument of field.args) {
    const written = node.arguments?.find((candidate) => candidate.name.value === argument.name);
    const part = written ? compilePart(written.value, argument.type) : ABSENT;
    if (!part) return undefined;
    parts.push({ name: argument.name, part, defaultValue: argument.defaultValue });
  }
  return (variables) => {
    const values: Record<string, unknown> = {};
    for (const { name, part, defaultValue } of parts) {
      const value = part(variables);
      if (value !== undefined) values[name] = value;
      else if (defaultValue !== undefined) values[name] = defaultValue;
    }
    return values;
  };
}

const ABSENT: Part = () => undefined;

function compilePart(value: ValueNode, type: GraphQLInputType): Part | undefined {
  if (value.kind === Kind.VARIABLE) {
    const name = value.name.value;
    return (variables) => variables[name];
  }
  if (value.kind === Kind.OBJECT || value.kind === Kind.LIST) return undefined;
  const literal: unknown = valueFromAST(value, type);
  return () => literal;
}
