import type { Account } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { newId } from '../../kernel/ids.js';

/** Opens the ruble account of a new tenant, empty. Its row is what the ledger locks. */
export async function openAccount(tx: Transaction, tenantId: string): Promise<Account> {
  const id = newId('Account');
  await tx.$executeRaw`SELECT ledger_open_account(${id}::uuid, ${tenantId}::uuid)`;
  return tx.account.findFirstOrThrow({ where: { id } });
}
