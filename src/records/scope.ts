import type { Ctx, Services, Transaction } from '../graph/ctx.js';
import { everyTenant, tenantDatabase, tenantReports } from '../platform/database/tenant.js';

/**
 * Whose rows an operation sees. A request is one; work that no request has started, such as a
 * sweep, makes one for the tenant of the row that it works on.
 */
export interface TenantScope {
  readonly services: Pick<Services, 'prisma'>;
  readonly who: { readonly tenantId: string };
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

/** Runs work in the caller's transaction, or in a new one that commits when the work resolves. */
export function inTransaction<T>(
  scope: TenantScope,
  options: WriteOptions,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  if (options.tx) return work(options.tx);
  const database = tenantDatabase(scope.services.prisma, scope.who.tenantId);
  return database.$transaction(work, TRANSACTION);
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
