import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
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

/**
 * The root fields of an operation in the order of their execution. Executed one after the other,
 * each in its own document, they answer what the operation answers: directives stay where they
 * are, and fields under one key stay together.
 */
export function rootFieldsOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): RootField[] {
  const fragments: Fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [],
    ),
  );
  const { selections } = operation.selectionSet;
  const names = new Map<string, string>();
  for (const node of fieldsOf(selections, fragments)) {
    if (!names.has(keyOf(node))) names.set(keyOf(node), node.name.value);
  }
  return [...names].map(([key, name]) => {
    const selectionSet = {
      ...operation.selectionSet,
      selections: onlyKey(selections, key, fragments),
    };
    const definitions = [{ ...operation, selectionSet }, ...fragments.values()];
    return { key, name, document: { ...document, definitions } };
  });
}

function keyOf(node: FieldNode): string {
  return node.alias?.value ?? node.name.value;
}

function fieldsOf(selections: readonly SelectionNode[], fragments: Fragments): FieldNode[] {
  return selections.flatMap((node) =>
    node.kind === Kind.FIELD ? [node] : fieldsOf(selectionsOf(node, fragments), fragments),
  );
}

function selectionsOf(
  node: Exclude<SelectionNode, FieldNode>,
  fragments: Fragments,
): readonly SelectionNode[] {
  if (node.kind === Kind.INLINE_FRAGMENT) return node.selectionSet.selections;
  return fragments.get(node.name.value)?.selectionSet.selections ?? [];
}

/** The selections with what is answered under one key; spreads of fragments become inline. */
function onlyKey(
  selections: readonly SelectionNode[],
  key: string,
  fragments: Fragments,
): SelectionNode[] {
  return selections.flatMap((node): SelectionNode[] => {
    if (node.kind === Kind.FIELD) return keyOf(node) === key ? [node] : [];
    const kept = onlyKey(selectionsOf(node, fragments), key, fragments);
    if (kept.length === 0) return [];
    const selectionSet = { kind: Kind.SELECTION_SET, selections: kept } as const;
    if (node.kind === Kind.INLINE_FRAGMENT) return [{ ...node, selectionSet }];
    const { directives, loc } = node;
    const typeCondition = fragments.get(node.name.value)?.typeCondition;
    return [{ kind: Kind.INLINE_FRAGMENT, typeCondition, directives, selectionSet, loc }];
  });
}
