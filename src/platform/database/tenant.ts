import { LRUCache } from 'lru-cache';
import { Prisma } from '../../generated/prisma/client.js';
import { isJoined } from './joined.js';
import type { PrismaDatabase } from './prisma.js';
import { seeing, unsaid } from './whose-rows.js';

const WHERE_OPERATIONS = new Set([
  ...['findUnique', 'findUniqueOrThrow', 'findFirst', 'findFirstOrThrow', 'findMany'],
  ...['update', 'updateMany', 'updateManyAndReturn', 'delete', 'deleteMany'],
  ...['count', 'aggregate', 'groupBy'],
]);

interface Scopable {
  where?: Record<string, unknown>;
  data?: Record<string, unknown> | Record<string, unknown>[];
}

/** Changes the arguments of a model's operation before it begins. */
type Narrow = (model: string, operation: string, args: Scopable) => Scopable;

/** Begins what Prisma does only when somebody waits for it. */
type Begin = <T>(work: () => PromiseLike<T>) => PromiseLike<T>;

const clients = new LRUCache<string, PrismaDatabase>({ max: 1_000 });
const sources = new WeakMap<PrismaDatabase, PrismaDatabase>();

/**
 * The database as one tenant sees it: every read and change is narrowed to the tenant's rows and
 * every created row belongs to it, so a foreign id behaves exactly like an unknown one. The table
 * of tenants itself is narrowed to the tenant's own row. Behind that, the sessions of the database
 * are told the tenant, and see no row of another one whatever a statement says.
 */
export function tenantDatabase(prisma: PrismaDatabase, tenantId: string): PrismaDatabase {
  const narrowed: Narrow = (model, operation, args) => narrow(model, operation, args, tenantId);
  if (isJoined(prisma)) return standIn(prisma, straightAway, narrowed);
  const known = clients.get(tenantId);
  if (known && sources.get(known) === prisma) return known;
  const scoped = standIn(prisma, (work) => seeing({ tenantId }, work), narrowed);
  sources.set(scoped, prisma);
  clients.set(tenantId, scoped);
  return scoped;
}

/**
 * The same for a report: each of its statements may take its time, and is told as a report that
 * took too long where the server had to stop it.
 */
export function tenantReports(prisma: PrismaDatabase, tenantId: string): PrismaDatabase {
  if (isJoined(prisma)) return tenantDatabase(prisma, tenantId);
  const narrowed: Narrow = (model, operation, args) => narrow(model, operation, args, tenantId);
  return standIn(prisma, (work) => seeing({ tenantId, isReport: true }, work), narrowed);
}

/**
 * A transaction of one tenant that is not narrowed, for whoever names the tenant in every condition
 * and hands it on. The database shows it no other rows all the same.
 */
export function tenantTransaction<T>(
  prisma: PrismaDatabase,
  tenantId: string,
  work: (tx: Prisma.TransactionClient) => Promise<T>,
  limits?: { readonly maxWait: number; readonly timeout: number },
): Promise<T> {
  return seeing({ tenantId }, () => prisma.$transaction((tx) => unsaid(() => work(tx)), limits));
}

/**
 * The database with the rows of all tenants, for what is the platform's own: sweeps, recovery, and
 * finding out whose credential it is. What runs inside of a larger transaction stays with its rows.
 */
export function everyTenant(prisma: PrismaDatabase): PrismaDatabase {
  if (isJoined(prisma)) return prisma;
  return standIn(prisma, (work) => seeing('every_tenant', work));
}

const MODELS: ReadonlyMap<string, string> = new Map(
  Object.values(Prisma.ModelName).map((model) => [model[0]?.toLowerCase() + model.slice(1), model]),
);

const RAW_STATEMENTS = new Set(['$queryRaw', '$executeRaw']);

/** Prisma merges lookups of one moment into one statement, which would then be of one tenant. */
const UNMERGED: Readonly<Record<string, string>> = {
  findUnique: 'findFirst',
  findUniqueOrThrow: 'findFirstOrThrow',
};

type Call = (...words: unknown[]) => PromiseLike<unknown>;
type Work = (tx: object) => Promise<unknown>;

const straightAway: Begin = (work) => work();

/** Stands in for a client, or for a transaction of it, whose client cannot be extended. */
function standIn<D extends object>(database: D, begin: Begin, narrowed?: Narrow): D {
  return new Proxy(database, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (property === '$transaction' && typeof value === 'function') {
        return (work: Work, limits?: object) => {
          const inner: Work = (tx) =>
            unsaid(() => work(narrowed ? standIn(tx, straightAway, narrowed) : tx));
          return begin(() => (value as Call).call(target, inner, limits));
        };
      }
      if (RAW_STATEMENTS.has(String(property))) {
        return (...words: unknown[]) => begin(() => (value as Call).apply(target, words));
      }
      const model = MODELS.get(String(property));
      return model ? modelStandIn(value as object, model, begin, narrowed) : value;
    },
  });
}

function modelStandIn(delegate: object, model: string, begin: Begin, narrowed?: Narrow): object {
  return new Proxy(delegate, {
    get(target, property) {
      const operation: unknown = Reflect.get(target, property);
      if (typeof property !== 'string' || typeof operation !== 'function') return operation;
      const unmerged = UNMERGED[property];
      const call = (unmerged ? Reflect.get(target, unmerged) : operation) as Call;
      return (args: Scopable = {}) => {
        const asked = unmerged ? { ...args, where: flat(args.where) } : args;
        return begin(() => call(narrowed ? narrowed(model, property, asked) : asked));
      };
    },
  });
}

/** A key of several fields is named by them, `promptId_version`; a search takes them one by one. */
function flat(where: Record<string, unknown> = {}): Record<string, unknown> {
  const fields = Object.entries(where).flatMap(([name, value]) =>
    name.includes('_') && typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [[name, value] as const],
  );
  return Object.fromEntries(fields);
}

function narrow(model: string, operation: string, args: Scopable, tenantId: string): Scopable {
  const column = tenantColumn(model);
  if (WHERE_OPERATIONS.has(operation)) {
    return {
      ...args,
      where: { ...args.where, AND: [conditions(args.where), { [column]: tenantId }] },
    };
  }
  if (operation === 'create') return { ...args, data: { ...args.data, [column]: tenantId } };
  if (operation === 'createMany' || operation === 'createManyAndReturn') {
    const rows = Array.isArray(args.data) ? args.data : [args.data ?? {}];
    return { ...args, data: rows.map((row) => ({ ...row, [column]: tenantId })) };
  }
  throw new TypeError(`${operation} is not scoped by tenant: use another operation on ${model}`);
}

/** The AND that the caller wrote; the rest of its conditions stay beside it. */
function conditions(where: Record<string, unknown> | undefined): unknown {
  const and = where?.AND;
  return Array.isArray(and) ? { AND: and } : (and ?? {});
}

const TENANT_FREE = new Set<string>([
  'BeaconCount',
  'BeaconSession',
  'FormerHashKey',
  'ProviderChange',
  'SigningKey',
]);

function tenantColumn(model: string): string {
  if (TENANT_FREE.has(model)) throw new TypeError(`${model} does not belong to a tenant`);
  return model === Prisma.ModelName.Tenant ? 'id' : 'tenantId';
}
