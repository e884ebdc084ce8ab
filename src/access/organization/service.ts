import type { Tenant } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { change } from '../../records/change.js';

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
  data: { readonly fourEyesAlways?: boolean; readonly secondFactorRequired?: boolean },
  shown: (tenant: Tenant) => Record<string, boolean>,
): Promise<Tenant> {
  const id = ctx.who.tenantId;
  return change(ctx, { action, subject: 'Tenant' }, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM tenant WHERE id = ${id}::uuid FOR UPDATE`;
    const before = await tx.tenant.findUniqueOrThrow({ where: { id } });
    const after = await tx.tenant.update({ where: { id }, data });
    return { result: after, id, before: shown(before), after: shown(after) };
  });
}

/** Says whether members alone change limits; it holds for the next request of every key. */
export function setLimitsByMembers(ctx: AuthorizedCtx, always: boolean): Promise<Tenant> {
  const id = ctx.who.tenantId;
  const name = { action: 'organizationLimitsByMembersSet', subject: 'Tenant' } as const;
  return change(ctx, name, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM tenant WHERE id = ${id}::uuid FOR UPDATE`;
    const before = await tx.tenant.findUniqueOrThrow({ where: { id } });
    const after = await tx.tenant.update({ where: { id }, data: { limitsByMembers: always } });
    const shown = ({ limitsByMembers }: Tenant) => ({ limits_by_members: limitsByMembers });
    return { result: after, id, before: shown(before), after: shown(after) };
  });
}
