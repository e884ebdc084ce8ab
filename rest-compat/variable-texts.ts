import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type ValueNode,
} from 'graphql';
import type { CompiledRow } from './row.js';

/** What the schema says about the argument or input field that each variable of a row fills. */
export function variableTexts(
  schema: GraphQLSchema,
  row: CompiledRow,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const root = rootType(schema, row.operationKind);
  const fields = row.shape.kind === 'fields' ? row.shape.fields : [row.shape.field];
  for (const { node } of fields) {
    const definition = root?.getFields()[node.name.value];
    for (const written of node.arguments ?? []) {
      const argument = definition?.args.find((candidate) => candidate.name === written.name.value);
      if (argument) note(written.value, argument.type, argument.description, texts);
    }
  }
  return texts;
}

function rootType(schema: GraphQLSchema, kind: CompiledRow['operationKind']) {
  if (kind === 'query') return schema.getQueryType();
  return kind === 'mutation' ? schema.getMutationType() : schema.getSubscriptionType();
}

function note(
  value: ValueNode,
  type: GraphQLInputType,
  description: string | null | undefined,
  texts: Map<string, string>,
): void {
  if (value.kind === Kind.VARIABLE && description && !texts.has(value.name.value)) {
    texts.set(value.name.value, description);
  }
  const named = getNamedType(type);
  if (value.kind !== Kind.OBJECT || !isInputObjectType(named)) return;
  for (const member of value.fields) {
    const field = named.getFields()[member.name.value];
    if (field) note(member.value, field.type, field.description, texts);
  }
}
