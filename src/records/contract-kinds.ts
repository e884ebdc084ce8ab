import { brandWithType, type ObjectRef } from '@pothos/core';
import type { ContractVersion } from '../generated/prisma/client.js';
import { builder } from '../graph/builder.js';
import type { Transaction } from '../graph/ctx.js';
import { authorized, database } from '../graph/database.js';
import { idPage } from '../graph/keyset.js';
import { loadNodesOf } from '../graph/node.js';
import { connectionOf, forwardArgs, pageComplexity } from '../graph/page.js';
import type { Permission } from '../graph/permissions.js';
import { type RootFields, type SchemaTypesOf, shownFields } from '../graph/table-types.js';
import { type Fields, fieldTable, type ValuesOf } from '../kernel/fields/field.js';
import { wireName } from '../kernel/fields/names.js';
import { openedContent, type SealedContent, sealedContent } from '../kernel/fields/sealed.js';
import { contractsPage } from './contract-page.js';
import {
  allVersions,
  latestContracts,
  lockContract,
  type PublishingScope,
  publishContract,
} from './contracts.js';
import { databaseOf, type TenantScope, type WriteOptions } from './scope.js';

/** What a module says of a kind of versioned contract. */
export interface ContractDefinition<F extends Fields> {
  /** As it stands in the rows, such as `price_plan`; it is never changed. */
  readonly kind: string;
  /** The GraphQL type, such as `PricePlan`. */
  readonly type: string;
  readonly description: string;
  /** What a version says. */
  readonly body: F;
  /** What tells one contract from another: a text of the body. */
  readonly key: keyof F & string;
  /** The query of all versions, such as `pricePlans`: who may ask it, and by which texts. */
  readonly list: {
    readonly field: string;
    readonly permission: Permission;
    readonly by: readonly (keyof F & string)[];
    /** A second query, of the versions in force alone; left out where nobody asks for them. */
    readonly inForce?: string;
  };
}

/** A version of a contract, as the table of its kind reads it. */
export interface Version<C> {
  /** The id of this version. */
  readonly id: string;
  /** 1, 2, 3 … of its key, without a gap. */
  readonly version: number;
  readonly body: C;
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** A kind of contract: all that a module does with contracts of its own. */
export interface ContractKind<C> {
  readonly kind: string;
  readonly type: ObjectRef<SchemaTypesOf, Version<C>>;
  /** Appends the next version. In a transaction of the caller, publish last. */
  publish(scope: PublishingScope, body: C, options?: WriteOptions): Promise<Version<C>>;
  /** The latest version of a key that a reader accepts, or undefined. */
  latest(
    scope: TenantScope,
    key: string,
    accepts?: (body: C) => boolean,
    options?: WriteOptions,
  ): Promise<Version<C> | undefined>;
  /**
   * The latest versions of keys, by key; with `until`, those that were in force at that time. One
   * statement for however many there are.
   */
  latestOf(
    scope: TenantScope,
    keys: readonly string[],
    options?: WriteOptions & { readonly until?: Date },
  ): Promise<ReadonlyMap<string, Version<C>>>;
  /** All versions of keys, by key, the latest first; at most 10,000. */
  allOf(
    scope: TenantScope,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, readonly Version<C>[]>>;
  /** Every version of every key, those of a key in the order of publication; at most 10,000. */
  all(scope: TenantScope, options?: WriteOptions): Promise<readonly Version<C>[]>;
  /** Lets nobody else publish this key until the transaction ends. */
  lock(scope: TenantScope, tx: Transaction, key: string): Promise<void>;
}

/** How versions of a kind are read by their ids alone, and who may. */
interface Reading {
  readonly read: (row: ContractVersion) => Version<unknown>;
  readonly permission: Permission;
}

const readings = new Map<string, Reading>();

loadNodesOf('ContractVersion', async (ctx, ids) => {
  const rows = await database(ctx).contractVersion.findMany({ where: { id: { in: [...ids] } } });
  return rows.flatMap((row) => {
    const reading = readings.get(row.kind);
    const isAllowed = reading !== undefined && ctx.who?.permissions.has(reading.permission);
    return isAllowed ? [reading.read(row)] : [];
  });
});

/** The most versions of one key that are looked through for an older one. */
const LOOKED_THROUGH_MAX = 1_000;

/**
 * Defines a kind of contract by the table of what its versions say: append-only versions, GraphQL
 * type and list follow from it.
 * @throws TypeError for a kind that is defined already
 */
export function contractKind<F extends Fields>(
  definition: ContractDefinition<F>,
): ContractKind<ValuesOf<F>> {
  type Own = ValuesOf<F>;
  const { kind, type: name, description, key: keyField } = definition;
  const { fields } = fieldTable(name, description, definition.body);
  const read = ({ body: stored, ...row }: ContractVersion): Version<Own> => {
    const { id, version, createdBy, createdAt } = row;
    const body = openedContent(fields, stored as SealedContent);
    const made = { id, version, createdBy, createdAt, body };
    brandWithType(made, name as never);
    return made;
  };
  if (readings.has(kind)) throw new TypeError(`contracts of the kind ${kind} are defined twice`);
  readings.set(kind, { read, permission: definition.list.permission });
  const type = builder.objectRef<Version<Own>>(name).implement({
    description,
    interfaces: [builder.nodeInterfaceRef()],
    fields: (t) => ({
      id: t.exposeID('id', { description: 'The id of this version.' }),
      version: t.exposeInt('version', {
        description: 'The number of this version: 1, 2, 3 without a gap.',
      }),
      ...(shownFields(t, fields, ({ body }: Version<Own>) => body) as object),
      createdBy: t.expose('createdBy', {
        type: 'ID',
        description: 'The member or key that published this version.',
      }),
      createdAt: t.expose('createdAt', {
        type: 'DateTime',
        description: 'The moment at which this version was published.',
      }),
    }),
  }) as unknown as ContractKind<Own>['type'];
  addList(definition, type, read);
  if (definition.list.inForce) addListInForce(definition, type, read, definition.list.inForce);
  return {
    kind,
    type,
    async publish(scope, body, options) {
      const contract = { kind, key: String(body[keyField]) };
      return read(await publishContract(scope, contract, sealedContent(fields, body), options));
    },
    async latestOf(scope, keys, options) {
      const rows = await latestContracts(scope, kind, keys, options);
      return new Map(rows.map((row) => [row.contractKey, read(row)]));
    },
    async allOf(scope, keys) {
      const rows = await allVersions(scope, kind, keys);
      const found = new Map<string, Version<Own>[]>();
      for (const row of rows) {
        const before = found.get(row.contractKey) ?? [];
        found.set(row.contractKey, [...before, read(row)]);
      }
      return found;
    },
    all: async (scope, options) =>
      (await allVersions(scope, kind, undefined, options)).map(read).reverse(),
    lock: (scope, tx, key) => lockContract(scope, tx, { kind, key }),
    async latest(scope, key, accepts = () => true, options = {}) {
      const rows = await databaseOf(scope, options).contractVersion.findMany({
        where: { tenantId: scope.who.tenantId, kind, contractKey: key },
        orderBy: { version: 'desc' },
        take: LOOKED_THROUGH_MAX,
      });
      return rows.map(read).find(({ body }) => accepts(body));
    },
  };
}

function addList<F extends Fields>(
  { kind, list, body }: ContractDefinition<F>,
  type: ContractKind<ValuesOf<F>>['type'],
  read: (row: ContractVersion) => Version<ValuesOf<F>>,
): void {
  builder.queryField(list.field, (t) =>
    t.field({
      type: connectionOf(type),
      description: 'All published versions, the newest first.',
      authScopes: { can: list.permission },
      complexity: pageComplexity,
      args: {
        ...forwardArgs(t),
        ...conditionArgs(t, list.by, body),
      },
      resolve: async (_root, args, ctx) => {
        const AND = Object.entries(wantedOf(list.by, args)).map(([name, equals]) => ({
          body: { path: [name], equals },
        }));
        const { edges, pageInfo } = await idPage(args, (below, take) =>
          database(authorized(ctx)).contractVersion.findMany({
            where: { kind, AND, id: { lt: below } },
            orderBy: { id: 'desc' },
            take,
          }),
        );
        const shown = edges.map(({ node, cursor }) => ({ node: read(node), cursor }));
        return { edges: shown, pageInfo } as never;
      },
    }),
  );
}

function addListInForce<F extends Fields>(
  { kind, list, body }: ContractDefinition<F>,
  type: ContractKind<ValuesOf<F>>['type'],
  read: (row: ContractVersion) => Version<ValuesOf<F>>,
  field: string,
): void {
  builder.queryField(field, (t) =>
    t.field({
      type: connectionOf(type),
      description:
        'The versions in force, the latest of each; what was first published last comes first.',
      authScopes: { can: list.permission },
      complexity: pageComplexity,
      args: { ...forwardArgs(t), ...conditionArgs(t, list.by, body) },
      resolve: (_root, args, ctx) =>
        contractsPage(authorized(ctx), kind, args, read, wantedOf(list.by, args)) as never,
    }),
  );
}

/** The conditions of a list, as arguments. */
function conditionArgs(t: Pick<RootFields, 'arg'>, by: readonly string[], body: Fields) {
  const entries = by.map((name) => {
    const description = `Only versions of which this is so: ${body[name]?.description}`;
    return [name, t.arg.string({ description })] as const;
  });
  return Object.fromEntries(entries);
}

/** What a body must hold, by the names that it is stored under. */
function wantedOf(by: readonly string[], args: object): Readonly<Record<string, string>> {
  const given = args as Readonly<Record<string, unknown>>;
  const stated = by.filter((name) => given[name] != null);
  return Object.fromEntries(stated.map((name) => [wireName(name), String(given[name])]));
}
