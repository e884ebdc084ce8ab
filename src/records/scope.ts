import type { Ctx, Services, Transaction } from '../graph/ctx.js';
import { GatewayError } from '../kernel/errors/fail.js';
import { keptCause, type Trace } from '../kernel/trace.rules.js';
import { everyTenant, tenantDatabase, tenantReports } from '../platform/database/tenant.js';

/**
 * Whose rows an operation sees. A request is one; work that no request has started, such as a
 * sweep, makes one for the tenant of the row that it works on.
 */
export interface TenantScope {
  readonly services: Pick<Services, 'prisma' | 'dataKeys'>;
  readonly who: { readonly tenantId: string };
  /** Of a request alone. */
  readonly transport?: { readonly trace?: Trace | undefined };
}

/** Lets a write join the caller's transaction. */
export interface WriteOptions {
  readonly tx?: Transaction;
}

const TRANSACTION = { maxWait: 10_000, timeout: 15_000 };

/** The tenant's view of the database, or the caller's transaction when there is one. */
export function databaseOf(scope: TenantScope, options: WriteOptions = {}): Transaction {
  return options.tx ?? tenantDatabase(scope.services.prisma, scope.who.tenantId);
}

/** The same for the statements of a report, which may take their time. */
export function reportsOf(scope: TenantScope, options: WriteOptions = {}): Transaction {
  return options.tx ?? tenantReports(scope.services.prisma, scope.who.tenantId);
}

/**
 * Runs work in the caller's transaction, or in a new one that commits when the work resolves.
 * Events and receipts that are written in it keep the trace of the request (migration
 * traces_of_events).
 */
export function inTransaction<T>(
  scope: TenantScope,
  options: WriteOptions,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  if (options.tx) return work(options.tx);
  const database = tenantDatabase(scope.services.prisma, scope.who.tenantId);
  const trace = scope.transport?.trace;
  if (trace === undefined) return database.$transaction(work, TRANSACTION);
  return database.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT set_config('gw.trace', ${keptCause(trace)}, true)`;
    return work(tx);
  }, TRANSACTION);
}

/**
 * Writes what has happened already, such as the answer of a tool: where an erasure has overtaken
 * the write, it is made again, under the key of after it.
 */
export async function despiteErasure<T>(
  { services, who }: TenantScope,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isOvertaken = error instanceof GatewayError && error.code === 'personal_data_key_changed';
    if (!isOvertaken) throw error;
    services.dataKeys.forget(who.tenantId);
    return work();
  }
}

/**
 * Runs work that begins before its tenant is known, such as a login, in a transaction that sees the
 * rows of all.
 */
export function transactAcrossTenants<T>(
  { prisma }: Pick<Services, 'prisma'>,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return everyTenant(prisma).$transaction(work, TRANSACTION);
}

/**
 * Does something when the change of this request is committed: at once, or where the whole request
 * is one transaction, after that. It must not throw.
 */
export function afterCommit({ atCommit }: Pick<Ctx, 'atCommit'>, work: () => void): void {
  if (atCommit) atCommit(work);
  else work();
}
