import { Prisma } from '../generated/prisma/client.js';
import type { Transaction } from '../graph/ctx.js';
import { fail } from '../kernel/errors/fail.js';
import { snakeCase } from '../kernel/fields/names.js';
import { isUuid } from '../kernel/ids.js';
import { databaseOf, type TenantScope, type WriteOptions } from './scope.js';

/** The tables of tenants, whose rows are known by an id. */
export type OwnModel = {
  readonly [M in Prisma.ModelName]: 'id' | 'tenantId' extends keyof Row<M> ? M : never;
}[Prisma.ModelName];

/** A row of a table. */
export type Row<M extends Prisma.ModelName> = Prisma.TypeMap['model'][M]['payload']['scalars'];

/** How a thing that is missing is spoken of. */
export interface OwnOptions extends WriteOptions {
  /** The argument that named it; `id` unless stated. */
  readonly param?: string;
  /** What it is called; the words of its table unless stated. */
  readonly subject?: string;
}

/**
 * The tenant's row with this id.
 * @throws not_found, for a foreign id exactly as for an unknown one
 */
export async function requireOwn<M extends OwnModel>(
  scope: TenantScope,
  model: M,
  id: string,
  options: OwnOptions = {},
): Promise<Row<M>> {
  const rows = databaseOf(scope, options)[property(model)] as unknown as Readable<Row<M>>;
  const where = { id, tenantId: scope.who.tenantId };
  const row = isUuid(id) ? await rows.findFirst({ where }) : null;
  if (row) return row;
  const { param = 'id', subject = snakeCase(model).replaceAll('_', ' ') } = options;
  return fail('not_found', { values: { subject, id }, param });
}

/**
 * The same, locked until the transaction ends: whoever changes it too waits here, and then sees
 * what this transaction wrote.
 */
export async function lockOwn<M extends OwnModel>(
  scope: TenantScope,
  tx: Transaction,
  model: M,
  id: string,
  options: Omit<OwnOptions, 'tx'> = {},
): Promise<Row<M>> {
  const table = Prisma.raw(`"${snakeCase(model)}"`);
  if (!isUuid(id)) return requireOwn(scope, model, id, { ...options, tx });
  await tx.$queryRaw`SELECT 1 FROM ${table} WHERE id = ${id}::uuid
                     AND tenant_id = ${scope.who.tenantId}::uuid FOR UPDATE`;
  return requireOwn(scope, model, id, { ...options, tx });
}

interface Readable<R> {
  findFirst(args: { where: object }): Promise<R | null>;
}

function property(model: string): keyof Transaction {
  return `${model.charAt(0).toLowerCase()}${model.slice(1)}` as keyof Transaction;
}
