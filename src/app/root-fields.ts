import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';

/** A root field of an operation as a document of its own. */
export interface RootField {
  /** The name under which it is answered. */
  readonly key: string;
  /** The name of the field. */
  readonly name: string;
  /** The document with nothing else at its root. */
  readonly document: DocumentNode;
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;
type Variables = Readonly<Record<string, unknown>>;

/**
 * The root fields of an operation in the order of their execution. Executed one after the other,
 * each in its own document, they answer what the operation answers: what is skipped is left out,
 * and fields under one key stay together.
 * @param variables the values of the operation, coerced
 */
export function rootFieldsOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): RootField[] {
  const fragments: Fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [],
    ),
  );
  const selections = included(operation.selectionSet.selections, fragments, variables);
  const names = new Map<string, string>();
  for (const node of fieldsOf(selections)) {
    if (!names.has(keyOf(node))) names.set(keyOf(node), node.name.value);
  }
  return [...names].map(([key, name]) => {
    const selectionSet = {
      ...operation.selectionSet,
      selections: onlyKey(selections, key),
    };
    const definitions = [{ ...operation, selectionSet }, ...fragments.values()];
    return { key, name, document: { ...document, definitions } };
  });
}

function keyOf(node: FieldNode): string {
  return node.alias?.value ?? node.name.value;
}

/** A selection at the root in which spreads are written out. */
type Selection = Exclude<SelectionNode, { kind: Kind.FRAGMENT_SPREAD }>;

/** What is not skipped, at the root; spreads of fragments become inline. */
function included(
  selections: readonly SelectionNode[],
  fragments: Fragments,
  variables: Variables,
): Selection[] {
  return selections.flatMap((node): Selection[] => {
    if (!isIncluded(node, variables)) return [];
    if (node.kind === Kind.FIELD) return [node];
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
    if (!fragment) return [];
    const { typeCondition, selectionSet } = fragment;
    const inner = included(selectionSet.selections, fragments, variables);
    return [inlined(inner, typeCondition)];
  });
}

function inlined(
  selections: readonly SelectionNode[],
  typeCondition: InlineFragmentNode['typeCondition'],
): InlineFragmentNode {
  const selectionSet = { kind: Kind.SELECTION_SET, selections } as const;
  return { kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet };
}

function isIncluded(node: SelectionNode, variables: Variables): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variables);
  if (skip?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
}

function fieldsOf(selections: readonly SelectionNode[]): FieldNode[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node];
    return node.kind === Kind.INLINE_FRAGMENT ? fieldsOf(node.selectionSet.selections) : [];
  });
}

function onlyKey(selections: readonly SelectionNode[], key: string): SelectionNode[] {
  return selections.flatMap((node): SelectionNode[] => {
    if (node.kind === Kind.FIELD) return keyOf(node) === key ? [node] : [];
    if (node.kind !== Kind.INLINE_FRAGMENT) return [];
    const kept = onlyKey(node.selectionSet.selections, key);
    return kept.length > 0 ? [inlined(kept, node.typeCondition)] : [];
  });
}
