import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { isSameForm, type WireForm, wireFormOf } from './wire-form.js';

/** The named fragments that a selection may spread. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** One key of an answer object, with everything that its type says. */
export interface SelectedField {
  /** The alias, which is the wire name. */
  readonly key: string;
  readonly node: FieldNode;
  readonly type: GraphQLOutputType;
  readonly description: string | undefined;
  /** The fields below, over all fragments; undefined for leaves. */
  readonly fields: readonly SelectedField[] | undefined;
  /** True where only some of the possible types have the key. */
  readonly conditional: boolean;
  /** How the wire writes it. */
  readonly form: WireForm;
}

/**
 * The fields of a selection in the order of their first mention, fragments opened. Where several
 * fragments select the same key, their sub-selections are united.
 */
export function selectedFields(
  schema: GraphQLSchema,
  parentName: string,
  selection: SelectionSetNode,
  fragments: Fragments,
): readonly SelectedField[] {
  const fields = new Map<string, SelectedField>();
  collect(schema, parentName, selection, fragments, false, fields);
  return [...fields.values()];
}

function collect(
  schema: GraphQLSchema,
  parentName: string,
  selection: SelectionSetNode,
  fragments: Fragments,
  conditional: boolean,
  into: Map<string, SelectedField>,
): void {
  for (const node of selection.selections) {
    if (node.kind === 'Field') {
      const field = selectField(schema, parentName, node, fragments, conditional);
      if (field) into.set(field.key, united(into.get(field.key), field));
      continue;
    }
    const fragment = node.kind === 'InlineFragment' ? node : fragments.get(node.name.value);
    if (!fragment) continue;
    const name = fragment.typeCondition?.name.value ?? parentName;
    const narrows = conditional || !covers(schema, name, parentName);
    collect(schema, name, fragment.selectionSet, fragments, narrows, into);
  }
}

/** True when every value of `parentName` has the fields of a fragment on `name`. */
function covers(schema: GraphQLSchema, name: string, parentName: string): boolean {
  if (name === parentName) return true;
  const outer = schema.getType(name);
  const inner = schema.getType(parentName);
  return isInterfaceType(outer) && isObjectType(inner) && schema.isSubType(outer, inner);
}

function selectField(
  schema: GraphQLSchema,
  parentName: string,
  node: FieldNode,
  fragments: Fragments,
  conditional: boolean,
): SelectedField | undefined {
  const parent = schema.getType(parentName);
  const key = node.alias?.value ?? node.name.value;
  const form = wireFormOf(schema, node);
  if (node.name.value === '__typename') {
    const type = schema.getType('String');
    if (!type || isCompositeType(type)) return undefined;
    const leaf = type as GraphQLOutputType;
    const description = 'The name of the object type.';
    return {
      key,
      node,
      type: leaf,
      description,
      fields: undefined,
      conditional,
      form,
    };
  }
  if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined;
  const definition = parent.getFields()[node.name.value];
  if (!definition) return undefined;
  const fields = node.selectionSet
    ? selectedFields(schema, getNamedType(definition.type).name, node.selectionSet, fragments)
    : undefined;
  return {
    key,
    node,
    type: definition.type,
    description: definition.description ?? undefined,
    fields,
    conditional,
    form,
  };
}

function united(before: SelectedField | undefined, now: SelectedField): SelectedField {
  if (!before) return now;
  if (!isSameForm(before.form, now.form)) {
    throw new Error(`${now.key} is selected twice, and not written alike`);
  }
  const conditional = before.conditional && now.conditional;
  if (!before.fields || !now.fields) return { ...before, conditional };
  const fields = new Map(before.fields.map((field) => [field.key, field]));
  for (const field of now.fields) fields.set(field.key, united(fields.get(field.key), field));
  return { ...before, conditional, fields: [...fields.values()] };
}

/** Turns a value as GraphQL serialises it into the value of the wire. Objects change in place. */
export type Project = (value: unknown) => unknown;

/**
 * The projection of a field, or undefined where GraphQL's value is the wire's value already.
 * @throws Error for a list that cannot be written as an object
 */
export function compileProject(field: SelectedField): Project | undefined {
  const one = field.fields
    ? projectObject(field.fields)
    : projectLeaf(getNamedType(field.type).name);
  const project = one && lifted(one, field.type);
  const asObject = projectByKey(field);
  if (!asObject) return project;
  return project ? (value) => asObject(project(value)) : asObject;
}

/** A list of entries as an object, whose keys are one member of them and its values another. */
function projectByKey({ key: name, type, fields, form }: SelectedField): Project | undefined {
  const { byKey } = form;
  if (!byKey) return undefined;
  const { key, value } = byKey;
  const selected = new Set(fields?.map((field) => field.key));
  if (!isListType(getNullableType(type)) || !selected.has(key) || !selected.has(value)) {
    throw new Error(`@byKey of ${name} needs a list of objects with ${key} and ${value}`);
  }
  return (list) => {
    if (!Array.isArray(list)) return list;
    const entries = list as readonly Record<string, unknown>[];
    return Object.fromEntries(entries.map((entry) => [String(entry[key]), entry[value]]));
  };
}

function lifted(one: Project, type: GraphQLOutputType): Project {
  const nullable = getNullableType(type);
  if (!isListType(nullable)) return (value) => (value == null ? value : one(value));
  const item = lifted(one, nullable.ofType);
  return (value) => {
    if (!Array.isArray(value)) return value;
    for (let index = 0; index < value.length; index += 1) value[index] = item(value[index]);
    return value;
  };
}

function projectObject(fields: readonly SelectedField[]): Project | undefined {
  const changes = fields.flatMap((field) => {
    const project = compileProject(field);
    const { whenNull } = field.form;
    return project || whenNull ? [{ key: field.key, project, whenNull }] : [];
  });
  const bare = fields.find(({ form }) => form.bare)?.key;
  if (changes.length === 0 && bare === undefined) return undefined;
  return (value) => {
    const object = value as Record<string, unknown>;
    for (const { key, project, whenNull } of changes) {
      const before = object[key];
      if (before === null && whenNull) writeNull(object, key, whenNull);
      else if (before !== undefined && project) object[key] = project(before);
    }
    return bare !== undefined && Object.hasOwn(object, bare) ? object[bare] : object;
  };
}

function writeNull(object: Record<string, unknown>, key: string, { write }: { write?: unknown }) {
  if (write === undefined) delete object[key];
  else object[key] = write;
}

function projectLeaf(typeName: string): Project | undefined {
  if (typeName === 'Rub') return decimalNumber;
  if (typeName === 'BigInt') return safeNumber;
  return undefined;
}

/**
 * Rubles as a JSON number. Decimals of at most six places print back unchanged up to nine billion
 * rubles, where the 53 bits of a number end.
 */
function decimalNumber(value: unknown): unknown {
  return typeof value === 'string' ? Number(value) : value;
}

/** A counter as a JSON number, or its decimal text where a number could not carry it exactly. */
function safeNumber(value: unknown): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
