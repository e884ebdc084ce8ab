import type { Account } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { newId } from '../../kernel/ids.js';

/** Opens the ruble account of a new tenant, empty. Its row is what the ledger locks. */
export function openAccount(tx: Transaction, tenantId: string): Promise<Account> {
  return tx.account.create({ data: { id: newId('Account'), tenantId } });
}
