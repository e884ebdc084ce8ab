import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getDirectiveValues,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { snakeCase } from '../src/kernel/fields/names.js';
import { isConnection } from './paging.js';
import type { Fragments } from './projection.js';

/** What `@all` is expanded by. */
export interface EveryField {
  readonly schema: GraphQLSchema;
  readonly directive: GraphQLDirective;
  /** The fragments of the file, as they are written. */
  readonly fragments: Fragments;
}

/**
 * The definition with each `@all` replaced by the fields that it stands for, so that validation,
 * execution and description see an ordinary selection.
 * @throws GraphQLError at the field whose selection would have no end, or need an argument
 */
export function withEveryField<Node extends OperationDefinitionNode | FragmentDefinitionNode>(
  node: Node,
  parent: GraphQLNamedType | undefined,
  plan: EveryField,
): Node {
  return { ...node, selectionSet: expanded(node.selectionSet, parent, plan) };
}

function expanded(
  selection: SelectionSetNode,
  parent: GraphQLNamedType | undefined,
  plan: EveryField,
): SelectionSetNode {
  return {
    ...selection,
    selections: selection.selections.map((node) => expandedNode(node, parent, plan)),
  };
}

function expandedNode(
  node: SelectionNode,
  parent: GraphQLNamedType | undefined,
  plan: EveryField,
): SelectionNode {
  if (node.kind === Kind.FRAGMENT_SPREAD) return node;
  if (node.kind === Kind.INLINE_FRAGMENT) {
    const name = node.typeCondition?.name.value;
    const type = name === undefined ? parent : plan.schema.getType(name);
    return { ...node, selectionSet: expanded(node.selectionSet, type, plan) };
  }
  const hasFields = isObjectType(parent) || isInterfaceType(parent);
  const field = hasFields ? parent.getFields()[node.name.value] : undefined;
  const values = getDirectiveValues(plan.directive, node);
  // A field that the type lacks is for the validator to name.
  if (!field) return node;
  if (values) return allOfField(node, field, values, plan);
  if (!node.selectionSet) return node;
  return { ...node, selectionSet: expanded(node.selectionSet, getNamedType(field.type), plan) };
}

function allOfField(
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  { except = [], rename = {} }: Differences,
  plan: EveryField,
): FieldNode {
  const type = getNamedType(field.type);
  const written = node.selectionSet && expanded(node.selectionSet, type, plan);
  const directives = (node.directives ?? []).filter(({ name }) => name.value !== 'all');
  const taken = namesOf(written, plan.fragments);
  const makes = isConnection(field) ? nodesOf : fieldsOf;
  const added = makes(type, { node, taken, except, rename, open: [] });
  const selections = [...added, ...(written?.selections ?? [])];
  return { ...node, directives, selectionSet: { kind: Kind.SELECTION_SET, selections } };
}

/** How the fields of the type itself differ from all of them under their wire names. */
interface Differences {
  readonly except?: readonly string[];
  readonly rename?: Readonly<Record<string, string>>;
}

/** Where an expansion stands. */
interface Reach extends Required<Differences> {
  /** The field that has `@all`, for messages and their lines. */
  readonly node: FieldNode;
  /** Fields that are written beside it. */
  readonly taken: ReadonlySet<string>;
  /** The types that are being expanded, outermost first. */
  readonly open: readonly GraphQLNamedType[];
}

const NOTHING_TAKEN: ReadonlySet<string> = new Set();

/** The nodes of a connection; its other fields are the envelope's, or written. */
function nodesOf(type: GraphQLNamedType, reach: Reach): FieldNode[] {
  const nodes = isObjectType(type) ? type.getFields().nodes : undefined;
  if (!nodes || reach.taken.has('nodes')) return [];
  const below = fieldsOf(getNamedType(nodes.type), { ...reach, taken: NOTHING_TAKEN });
  return [fieldNode('nodes', reach.node, below)];
}

function fieldsOf(type: GraphQLNamedType, reach: Reach): FieldNode[] {
  if (!isObjectType(type)) {
    const what = isLeafType(type) ? 'has no fields' : 'is of several types';
    return stop(reach, `@all needs an object: ${type.name} ${what}`);
  }
  const fields = type.getFields();
  const differs = { except: reach.except, rename: Object.keys(reach.rename) };
  for (const [verb, names] of Object.entries(differs)) {
    const unknown = names.find((name) => !Object.hasOwn(fields, name));
    if (unknown !== undefined) stop(reach, `${type.name} has no field "${unknown}" to ${verb}`);
  }
  const left = new Set([...reach.taken, ...reach.except]);
  return Object.values(fields)
    .filter((field) => !left.has(field.name))
    .map((field) => fieldOf(type, field, reach));
}

function fieldOf(
  parent: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  reach: Reach,
): FieldNode {
  const type = getNamedType(field.type);
  const open = [...reach.open, parent];
  const obstacle = obstacleOf(field, type, open);
  if (obstacle !== undefined) {
    const name = `${parent.name}.${field.name}`;
    stop(reach, `${name} ${obstacle}: write what is wanted of it, or except it from @all`);
  }
  const { node, rename } = reach;
  const below = isLeafType(type)
    ? undefined
    : fieldsOf(type, { node, taken: NOTHING_TAKEN, except: [], rename: {}, open });
  return fieldNode(field.name, node, below, rename[field.name]);
}

/** Why a field has no selection that follows from its type alone. */
function obstacleOf(
  field: GraphQLField<unknown, unknown>,
  type: GraphQLNamedType,
  open: readonly GraphQLNamedType[],
): string | undefined {
  const required = field.args.find(isRequiredArgument);
  if (required) return `needs the argument "${required.name}"`;
  if (isLeafType(type)) return undefined;
  if (isConnection(field)) return 'is a list with pages of its own';
  if (!isObjectType(type)) return 'is of several types';
  return open.includes(type) ? `leads to ${type.name} again` : undefined;
}

function stop({ node }: Reach, message: string): never {
  throw new GraphQLError(message, { nodes: node });
}

/** A field under its wire name, at the place of the `@all` that asks for it. */
function fieldNode(
  name: string,
  at: FieldNode,
  below: readonly SelectionNode[] | undefined,
  wireName = snakeCase(name),
): FieldNode {
  const { loc } = at;
  return {
    kind: Kind.FIELD,
    loc,
    name: { kind: Kind.NAME, value: name, loc },
    ...(wireName === name ? {} : { alias: { kind: Kind.NAME, value: wireName, loc } }),
    ...(below ? { selectionSet: { kind: Kind.SELECTION_SET, selections: below, loc } } : {}),
  };
}

/** The fields that a selection writes, through fragments too, whatever their aliases. */
function namesOf(
  selection: SelectionSetNode | undefined,
  fragments: Fragments,
): ReadonlySet<string> {
  const names = new Set<string>();
  const spread = new Set<string>();
  const follow = (inside: SelectionSetNode | undefined) => {
    for (const node of inside?.selections ?? []) {
      if (node.kind === Kind.FIELD) names.add(node.name.value);
      if (node.kind === Kind.INLINE_FRAGMENT) follow(node.selectionSet);
      if (node.kind !== Kind.FRAGMENT_SPREAD || spread.has(node.name.value)) continue;
      spread.add(node.name.value);
      follow(fragments.get(node.name.value)?.selectionSet);
    }
  };
  follow(selection);
  return names;
}
