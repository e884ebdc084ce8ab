import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { openSchema } from '../../src/app/schema.js';
import { permissionOfField } from '../../src/graph/builder.js';
import type { Permission } from '../../src/graph/permissions.js';
import { projectRoot } from '../../src/platform/database/project-root.js';

const schema = await openSchema();

/** A field at the root of the schema. */
export interface RootField {
  readonly name: string;
  readonly operation: 'query' | 'mutation' | 'subscription';
  readonly field: GraphQLField<unknown, unknown>;
  /** Undefined for public fields. */
  readonly permission: Permission | undefined;
}

const ROOTS = [
  ['query', schema.getQueryType()],
  ['mutation', schema.getMutationType()],
  ['subscription', schema.getSubscriptionType()],
] as const;

/** Every field at the root of the schema. */
export const ROOT_FIELDS: readonly RootField[] = ROOTS.flatMap(([operation, type]) =>
  Object.values(type?.getFields() ?? {}).map((field) => ({
    name: field.name,
    operation,
    field,
    permission: permissionOfField(field),
  })),
);

/** An id of the shape that ids have, which nothing has. */
const NO_ID = '01977c2a-5b1e-7005-8000-3f2b9c4d5e6f';

/**
 * A document that calls a field, with made-up values for what the field requires. It selects as
 * little as can be, unless told otherwise.
 */
export function documentOf(
  { name, operation, field }: RootField,
  given: Readonly<Record<string, unknown>> = {},
  selection = selectionOf(field.type),
): { readonly query: string; readonly variables: Record<string, unknown> } {
  const args = field.args.filter((arg) => isNonNullType(arg.type) || arg.name in given);
  const heads = args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
  const values = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const head = heads && `(${heads})`;
  const call = `${name}${values && `(${values})`} ${selection}`;
  const variables = Object.fromEntries(
    args.map((arg: GraphQLArgument) => [arg.name, given[arg.name] ?? madeUp(arg.type)]),
  );
  return { query: `${operation}${head} { ${call} }`, variables };
}

function selectionOf(type: GraphQLOutputType): string {
  return isLeafType(getNamedType(type)) ? '' : '{ __typename }';
}

const SCALARS: Readonly<Record<string, unknown>> = {
  ID: NO_ID,
  Rub: '1',
  Int: 1,
  Float: 1,
  Boolean: true,
  DateTime: '2026-01-01T00:00:00Z',
  PeriodBegin: '2026-01-01',
  PeriodEnd: '2026-01-31',
  Date: '2026-01-01',
  Sha256: '0'.repeat(64),
  BigInt: '1',
};

/** A value that a type accepts, with nothing in it that is not required. */
export function madeUp(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return madeUp(type.ofType);
  if (isListType(type)) return [madeUp(type.ofType)];
  if (isEnumType(type)) return type.getValues().at(-1)?.name;
  if (!isInputObjectType(type)) return SCALARS[type.name] ?? (type.name === 'String' ? 'x' : {});
  const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
  return Object.fromEntries(required.map((field) => [field.name, madeUp(field.type)]));
}

/** The root field that each REST operation calls, by the name of the operation. */
export const FIELD_OF_ROW: ReadonlyMap<string, RootField> = new Map(
  operationsOfRoutes().map((operation) => {
    const [selection] = operation.selectionSet.selections;
    const called = selection?.kind === Kind.FIELD ? selection.name.value : '';
    const field = ROOT_FIELDS.find(
      (root) => root.name === called && root.operation === String(operation.operation),
    );
    if (!field) throw new Error(`${operation.name?.value} calls no field of the schema`);
    return [operation.name?.value ?? '', field];
  }),
);

function operationsOfRoutes(): OperationDefinitionNode[] {
  const folder = join(projectRoot(), 'rest-compat', 'routes');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.graphql'))
    .flatMap((file) => parse(readFileSync(join(folder, file), 'utf8')).definitions)
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
}

/** Mutations after which their caller, or everybody of the organization, may do less. */
export const CHANGES_ITS_CALLER: ReadonlySet<string> = new Set([
  'authLogout',
  'authLogoutEverywhere',
  'organizationSecondFactorSet',
]);
