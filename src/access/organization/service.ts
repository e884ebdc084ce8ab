import type { Tenant } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { change } from '../../records/change.js';
import { lockMakers } from '../keys/makers-lock.js';
import { requireNoWorkspace, requireStillUnbound } from '../workspaces/boundary.js';

/**
 * Says whether anybody may ever approve their own request. What waits already keeps what was in
 * force when it was asked for, unless the new setting is stricter.
 */
export function setFourEyes(ctx: AuthorizedCtx, always: boolean): Promise<Tenant> {
  const shown = ({ fourEyesAlways }: Tenant) => ({ four_eyes_always: fourEyesAlways });
  return set(ctx, 'organizationFourEyesSet', { fourEyesAlways: always }, shown);
}

/**
 * Says whether members need a second factor. From the commit on, on every node, a member without
 * one can do nothing but enrol one, and what lives on their sessions ends. Keys are not concerned.
 */
export function setSecondFactorRequired(ctx: AuthorizedCtx, required: boolean): Promise<Tenant> {
  const shown = (tenant: Tenant) => ({ second_factor_required: tenant.secondFactorRequired });
  return set(ctx, 'organizationSecondFactorSet', { secondFactorRequired: required }, shown);
}

function set(
  ctx: AuthorizedCtx,
  action: string,
  data: Partial<
    Pick<
      Tenant,
      'fourEyesAlways' | 'secondFactorRequired' | 'limitsByMembers' | 'workspaceRequired'
    >
  >,
  shown: (tenant: Tenant) => Record<string, boolean>,
  allow?: (ctx: AuthorizedCtx, tx: Transaction) => Promise<void>,
): Promise<Tenant> {
  const id = ctx.who.tenantId;
  return change(ctx, { action, subject: 'Tenant' }, async (tx) => {
    // Who places members and keys holds this lock too: who asks is asked about after them.
    await lockMakers(tx, id);
    await allow?.(ctx, tx);
    const before = await tx.tenant.findUniqueOrThrow({ where: { id } });
    const after = await tx.tenant.update({ where: { id }, data });
    return { result: after, id, before: shown(before), after: shown(after) };
  });
}

/**
 * Says whether every request needs a workspace; it holds for the next request on every node.
 * @throws workspace_caller_bound
 */
export function setWorkspaceRequired(ctx: AuthorizedCtx, required: boolean): Promise<Tenant> {
  requireNoWorkspace(ctx);
  const shown = (tenant: Tenant) => ({ workspace_required: tenant.workspaceRequired });
  const data = { workspaceRequired: required };
  return set(ctx, 'organizationWorkspaceRequiredSet', data, shown, requireStillUnbound);
}

/** Says whether members alone change limits; it holds for the next request of every key. */
export function setLimitsByMembers(ctx: AuthorizedCtx, always: boolean): Promise<Tenant> {
  const shown = ({ limitsByMembers }: Tenant) => ({ limits_by_members: limitsByMembers });
  return set(ctx, 'organizationLimitsByMembersSet', { limitsByMembers: always }, shown);
}
