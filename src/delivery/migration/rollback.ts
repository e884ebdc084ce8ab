import type { MigrationProject } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { next } from '../../kernel/lifecycle.js';
import { endApproval } from '../../records/approvals/queue.js';
import { inTransaction } from '../../records/scope.js';
import { MIGRATION_LIFECYCLE } from './lifecycle.js';
import { auditStep, lockProject, writeStep } from './step.js';
import type { Status } from './vocabulary.js';

/**
 * Rolls a migration back, from whatever status; its plan says what the clients must do. A cutover
 * that waits in the approval queue is void.
 * @throws not_found
 */
export async function rollBackProject(ctx: AuthorizedCtx, id: string): Promise<MigrationProject> {
  const { before, project } = await inTransaction(ctx, {}, async (tx) => {
    const before = await lockProject(tx, ctx.who.tenantId, id);
    const project = await writeStep(tx, {
      before,
      data: {
        status: next(MIGRATION_LIFECYCLE, before.status as Status, 'roll_back'),
        approvalId: null,
      },
      note: 'rolled_back',
      body: { from: before.status },
    });
    await auditStep(ctx, tx, 'migrationProjectRollback', before, project);
    return { before, project };
  });
  if (before.approvalId) await endApproval(ctx, before.approvalId);
  return project;
}
