import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { collectFields } from 'graphql/execution/collectFields.js';

/** A root field of an operation as a document of its own. */
export interface RootField {
  /** The name under which it is answered. */
  readonly key: string;
  /** The name of the field. */
  readonly name: string;
  /** The document with nothing else at its root. */
  readonly document: DocumentNode;
}

/**
 * The root fields of an operation in the order of their execution, collected as graphql-js itself
 * collects them. Executed one after the other, each in its own document, they answer what the
 * operation answers: what is skipped is left out, and fields under one key stay together.
 * @param variables the values of the operation, coerced
 */
export function rootFieldsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): RootField[] {
  const root = schema.getRootType(operation.operation);
  if (!root) return [];
  const fragments: Record<string, FragmentDefinitionNode> = {};
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
    fragments[definition.name.value] = definition;
  }
  const fields = collectFields(schema, fragments, variables, root, operation.selectionSet);
  return [...fields].map(([key, selections]) => {
    const selectionSet = { ...operation.selectionSet, selections };
    const definitions = [{ ...operation, selectionSet }, ...Object.values(fragments)];
    return { key, name: selections[0]?.name.value ?? key, document: { ...document, definitions } };
  });
}
