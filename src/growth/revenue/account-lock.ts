import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';

/**
 * Lets nobody else record events of the account, or derive from them, until the transaction ends:
 * so events are in the order of their times, and each derivation sees what the one before has used.
 */
export async function lockAccount(
  { who }: AuthorizedCtx,
  tx: Transaction,
  accountRef: string,
): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(
    E'\n', 'revenue_account', ${who.tenantId}::uuid, ${accountRef}::text), 0))`;
}
