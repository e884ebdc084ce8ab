import { LRUCache } from 'lru-cache';
import { Prisma } from '../../generated/prisma/client.js';
import { isJoined } from './joined.js';
import type { PrismaDatabase } from './prisma.js';

const WHERE_OPERATIONS = new Set([
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'update',
  'updateMany',
  'updateManyAndReturn',
  'delete',
  'deleteMany',
  'count',
  'aggregate',
  'groupBy',
]);

interface Scopable {
  where?: Record<string, unknown>;
  data?: Record<string, unknown> | Record<string, unknown>[];
}

const clients = new LRUCache<string, PrismaDatabase>({ max: 1_000 });

/**
 * The database as one tenant sees it: every read and change is narrowed to the tenant's rows and
 * every created row belongs to it, so a foreign id behaves exactly like an unknown one. The table
 * of tenants itself is narrowed to the tenant's own row.
 */
export function tenantDatabase(prisma: PrismaDatabase, tenantId: string): PrismaDatabase {
  if (isJoined(prisma)) return narrowed(prisma, tenantId);
  const known = clients.get(tenantId);
  if (known && sources.get(known) === prisma) return known;
  const scoped = prisma.$extends({
    name: 'tenant',
    query: {
      $allModels: {
        $allOperations({ model, operation, args, query }) {
          return query(narrow(model, operation, args as Scopable, tenantId) as typeof args);
        },
      },
    },
  }) as unknown as PrismaDatabase;
  sources.set(scoped, prisma);
  clients.set(tenantId, scoped);
  return scoped;
}

const MODELS: ReadonlyMap<string, string> = new Map(
  Object.values(Prisma.ModelName).map((model) => [model[0]?.toLowerCase() + model.slice(1), model]),
);

type Operations = Record<string, (args: Scopable) => unknown>;
type Begin = (work: (tx: object) => Promise<unknown>) => Promise<unknown>;

/** The same inside a transaction, whose client cannot be extended. */
function narrowed<D extends object>(database: D, tenantId: string): D {
  return new Proxy(database, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (property === '$transaction' && isJoined(database)) {
        return (work: Parameters<Begin>[0]) =>
          (value as Begin)((tx) => work(narrowed(tx, tenantId)));
      }
      const model = MODELS.get(String(property));
      return model ? narrowedModel(value as Operations, model, tenantId) : value;
    },
  });
}

function narrowedModel(delegate: Operations, model: string, tenantId: string): Operations {
  return new Proxy(delegate, {
    get(target, property) {
      const operation = Reflect.get(target, property);
      if (typeof property !== 'string' || typeof operation !== 'function') return operation;
      return (args: Scopable = {}) => operation(narrow(model, property, args, tenantId));
    },
  });
}

const sources = new WeakMap<PrismaDatabase, PrismaDatabase>();

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

const TENANT_FREE = new Set<string>(['SigningKey']);

function tenantColumn(model: string): string {
  if (TENANT_FREE.has(model)) throw new TypeError(`${model} does not belong to a tenant`);
  return model === Prisma.ModelName.Tenant ? 'id' : 'tenantId';
}
