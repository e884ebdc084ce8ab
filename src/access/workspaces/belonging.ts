import type { Project, User } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { change } from '../../records/change.js';
import { lockOwn } from '../../records/own.js';
import { requireOwnerOutside } from '../auth/last-owner.js';
import { lockMakers } from '../keys/makers-lock.js';
import { requireLimitChanger } from '../organization/limit-changes.js';
import { requireNoWorkspace, requireStillUnbound, requireWorkspace } from './boundary.js';

/**
 * Says which workspace a member belongs to; it holds for the next request of the member, and of the
 * keys that it owns, on every node. One owner always stays outside all workspaces, so that
 * somebody can say otherwise.
 * @throws not_found, invalid_request for the last owner outside, workspace_caller_bound,
 * limits_by_members_only
 */
export async function setMemberWorkspace(
  ctx: AuthorizedCtx,
  id: string,
  workspaceId: string | null,
): Promise<User> {
  const { tenantId } = ctx.who;
  await requirePlacing(ctx, workspaceId);
  return change(ctx, { action: 'memberWorkspaceSet', subject: 'User' }, async (tx) => {
    // Roles, removals and places of members wait for one another: all ask for the last owner.
    await lockMakers(tx, tenantId);
    await requireStillUnbound(ctx, tx);
    const before = await tx.user.findFirst({ where: { id, tenantId, status: 'active' } });
    if (!before) return fail('not_found', { values: { subject: 'member', id }, param: 'id' });
    const result = await tx.user.update({ where: { id, tenantId }, data: { workspaceId } });
    await requireOwnerOutside(tx, tenantId);
    return { result, id, before: shown(before), after: shown(result) };
  });
}

/**
 * Says under which workspace all requests in a project are made; it holds for the next request on
 * every node.
 * @throws not_found, workspace_caller_bound, limits_by_members_only
 */
export async function setProjectWorkspace(
  ctx: AuthorizedCtx,
  id: string,
  workspaceId: string | null,
): Promise<Project> {
  const { tenantId } = ctx.who;
  await requirePlacing(ctx, workspaceId);
  return change(ctx, { action: 'projectWorkspaceSet', subject: 'Project' }, async (tx) => {
    // Who makes keys holds this lock: what is made at this moment comes before, or sees the rule.
    await lockMakers(tx, tenantId);
    await requireStillUnbound(ctx, tx);
    const before = await lockOwn(ctx, tx, 'Project', id);
    const result = await tx.project.update({ where: { id, tenantId }, data: { workspaceId } });
    return { result, id, before: shown(before), after: shown(result) };
  });
}

async function requirePlacing(ctx: AuthorizedCtx, workspaceId: string | null): Promise<void> {
  requireLimitChanger(ctx);
  requireNoWorkspace(ctx);
  if (workspaceId !== null) await requireWorkspace(ctx, workspaceId, { param: 'workspaceId' });
}

function shown({ workspaceId }: Pick<User, 'workspaceId'>) {
  return { workspace: workspaceId };
}

/** What joins an organization by an invite belongs to the workspace of who has sent it. */
export async function workspaceOfInviter(
  tx: Transaction,
  { invitedBy: id, tenantId }: { readonly invitedBy: string; readonly tenantId: string },
): Promise<string | null> {
  const inviter = await tx.user.findFirst({ where: { id, tenantId } });
  return inviter?.workspaceId ?? null;
}
