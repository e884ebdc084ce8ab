import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  parseType,
  type SelectionSetNode,
} from 'graphql';

/** The alias of the paging facts that every list row selects. */
export const PAGE_KEY = 'gwPage';

/** Rows a page has unless the caller says otherwise, and at most. */
export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;

/** The variables that carry a list row's paging. */
export interface Paging {
  readonly limit: string | undefined;
  readonly cursor: string | undefined;
}

/** The field that an operation asks for at the root, when it is exactly one. */
export function onlyRootField(operation: OperationDefinitionNode): FieldNode | undefined {
  const [only, second] = operation.selectionSet.selections;
  return only?.kind === Kind.FIELD && !second ? only : undefined;
}

/** True for a Relay connection that offers its nodes. */
export function isConnection(field: GraphQLField<unknown, unknown>): boolean {
  const type = getNamedType(field.type);
  if (!isObjectType(type) || !type.name.endsWith('Connection')) return false;
  return 'nodes' in type.getFields() && 'pageInfo' in type.getFields();
}

/**
 * Adds to a row with a connection at its root what it does not write itself: `$limit` and
 * `$cursor`, the arguments `first` and `after`, and the paging facts.
 */
export function completePaging(
  operation: OperationDefinitionNode,
  root: GraphQLObjectType,
): OperationDefinitionNode {
  const node = onlyRootField(operation);
  const field = node && root.getFields()[node.name.value];
  if (!node?.selectionSet || !field || !isConnection(field)) return operation;
  const first = pagingArgument(operation, node, field, 'first', 'limit');
  const after = pagingArgument(first.operation, first.node, field, 'after', 'cursor');
  const selectionSet: SelectionSetNode = {
    ...node.selectionSet,
    selections: [...node.selectionSet.selections, PAGE_FIELD],
  };
  const completed: FieldNode = { ...after.node, selectionSet };
  return {
    ...after.operation,
    selectionSet: { ...operation.selectionSet, selections: [completed] },
  };
}

/** The names of the variables that page a completed row. */
export function pagingOf(node: FieldNode): Paging {
  return { limit: variableOf(node, 'first'), cursor: variableOf(node, 'after') };
}

const PAGE_FIELD = pageField();

function pageField(): FieldNode {
  const text = `{ ${PAGE_KEY}: pageInfo { hasNextPage endCursor } }`;
  const [definition] = parse(text, { noLocation: true }).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error('not an operation');
  const [field] = definition.selectionSet.selections;
  if (field?.kind !== Kind.FIELD) throw new Error('not a field');
  return field;
}

function pagingArgument(
  operation: OperationDefinitionNode,
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  argumentName: 'first' | 'after',
  variableName: string,
): { readonly operation: OperationDefinitionNode; readonly node: FieldNode } {
  const argument = field.args.find((candidate) => candidate.name === argumentName);
  const written = node.arguments?.some((candidate) => candidate.name.value === argumentName);
  const backwards = node.arguments?.some((candidate) => candidate.name.value === 'last');
  if (!argument || written || backwards) return { operation, node };
  const name = { kind: Kind.NAME, value: variableName } as const;
  const variable = { kind: Kind.VARIABLE, name } as const;
  const argumentNode = {
    kind: Kind.ARGUMENT,
    name: { kind: Kind.NAME, value: argumentName },
    value: variable,
  } as const;
  const definitions = operation.variableDefinitions ?? [];
  const declared = definitions.some((candidate) => candidate.variable.name.value === variableName);
  const type = parseType(String(argument.type), { noLocation: true });
  const definition = { kind: Kind.VARIABLE_DEFINITION, variable, type } as const;
  return {
    node: { ...node, arguments: [...(node.arguments ?? []), argumentNode] },
    operation: declared
      ? operation
      : { ...operation, variableDefinitions: [...definitions, definition] },
  };
}

function variableOf(node: FieldNode, argumentName: string): string | undefined {
  const value = node.arguments?.find((argument) => argument.name.value === argumentName)?.value;
  return value?.kind === Kind.VARIABLE ? value.name.value : undefined;
}
