import type { Transaction } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';

/**
 * Refuses a change of members after which no owner is left, or none outside all workspaces: nobody
 * could say then who belongs where. The lock of the makers is held.
 * @throws invalid_request
 */
export async function requireOwnerOutside(tx: Transaction, tenantId: string): Promise<void> {
  const owners = { tenantId, role: 'owner', status: 'active' };
  if ((await tx.user.count({ where: { ...owners, workspaceId: null } })) > 0) return;
  const isLast = (await tx.user.count({ where: owners })) === 0;
  const what = isLast
    ? 'is the last owner: the organization keeps one'
    : 'is the last owner outside all workspaces: the organization keeps one there';
  failOnFaults([fault('id', 'invalid', what)]);
}
