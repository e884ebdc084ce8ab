import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  type OperationDefinitionNode,
} from 'graphql';
import { fail } from '../src/kernel/errors/fail.js';
import { isConnection, onlyRootField, PAGE_KEY, pagingOf } from './paging.js';
import {
  compileProject,
  type Fragments,
  type SelectedField,
  selectedFields,
} from './projection.js';
import type { RestDirective } from './rest-directive.js';
import type { Shape } from './row.js';

/** How an answer is shaped: one value, the object of its root fields, or a list. */
export function shapeOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  root: GraphQLObjectType,
  fragments: Fragments,
  contract: RestDirective,
): Shape {
  const fields = selectedFields(schema, root.name, operation.selectionSet, fragments);
  const [only] = fields;
  const node = onlyRootField(operation);
  if (!node || !only || !contract.unwrap) return { kind: 'fields', fields };
  const field = contract.list ? root.getFields()[node.name.value] : undefined;
  if (field && isConnection(field)) return connectionShape(only, node);
  const isList = isListType(getNullableType(only.type));
  if (contract.list && isList) {
    return { kind: 'list', field: only, data: only, beside: [], paging: undefined };
  }
  return { kind: 'value', field: only };
}

function connectionShape(field: SelectedField, node: FieldNode): Shape {
  const inside = field.fields ?? [];
  const data = inside.find((candidate) => candidate.node.name.value === 'nodes');
  if (!data) throw new Error('a connection at the root needs `nodes { … }`');
  const taken = new Set(['nodes', 'edges', 'pageInfo']);
  const beside = inside.filter((candidate) => !taken.has(candidate.node.name.value));
  return { kind: 'list', field, data, beside, paging: pagingOf(node) };
}

/** The list envelope of the wire. */
export interface ListEnvelope extends Record<string, unknown> {
  object: 'list';
  data: unknown[];
  has_more: boolean;
  next_cursor: string | null;
}

/**
 * Compiles the shaping of an operation's data.
 * @param pathParameter the parameter that names the object, when the path has one
 * @throws GatewayError `not_found` when the value asked for by a path parameter is null
 */
export function compileShape(
  shape: Shape,
  pathParameter: string | undefined,
): (data: Record<string, unknown>, variables: Record<string, unknown>) => unknown {
  if (shape.kind === 'list') return compileList(shape);
  if (shape.kind === 'fields') {
    const projects = shape.fields.map((field) => ({
      key: field.key,
      project: compileProject(field),
    }));
    return (data) => {
      for (const { key, project } of projects) if (project) data[key] = project(data[key]);
      return data;
    };
  }
  const { key, type } = shape.field;
  const project = compileProject(shape.field);
  const subject = words(getNamedType(type).name);
  return (data, variables) => {
    const value = data[key];
    if (value == null && pathParameter !== undefined) {
      const id = String(variables[pathParameter]);
      return fail('not_found', { values: { subject, id }, param: pathParameter });
    }
    return project ? project(value) : value;
  };
}

function compileList(
  shape: Shape & { readonly kind: 'list' },
): (data: Record<string, unknown>) => unknown {
  const { key } = shape.field;
  const project = compileProject(shape.field);
  const beside = shape.beside.map((field) => field.key);
  const dataKey = shape.data.key;
  return (data): ListEnvelope => {
    const value = project ? project(data[key]) : data[key];
    if (!shape.paging) return envelope(value, undefined);
    const connection = (value ?? {}) as Record<string, unknown>;
    const list = envelope(connection[dataKey], connection[PAGE_KEY]);
    for (const name of beside) list[name] = connection[name];
    return list;
  };
}

function envelope(rows: unknown, page: unknown): ListEnvelope {
  const facts = (page ?? {}) as { hasNextPage?: boolean; endCursor?: string | null };
  const more = facts.hasNextPage === true;
  const data = Array.isArray(rows) ? rows.filter((row) => row !== null) : [];
  return {
    object: 'list',
    data,
    has_more: more,
    next_cursor: more ? (facts.endCursor ?? null) : null,
  };
}

/** The name of a type as words: `PromptPackage` → `prompt package`. */
function words(typeName: string): string {
  return typeName.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
}
