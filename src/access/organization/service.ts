import type { Tenant } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { change } from '../../records/change.js';

/**
 * Says whether anybody may ever approve their own request. What waits already keeps what was in
 * force when it was asked for, unless the new setting is stricter.
 */
export function setFourEyes(ctx: AuthorizedCtx, always: boolean): Promise<Tenant> {
  const id = ctx.who.tenantId;
  return change(ctx, { action: 'organizationFourEyesSet', subject: 'Tenant' }, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM tenant WHERE id = ${id}::uuid FOR UPDATE`;
    const before = await tx.tenant.findUniqueOrThrow({ where: { id } });
    const after = await tx.tenant.update({ where: { id }, data: { fourEyesAlways: always } });
    const shown = ({ fourEyesAlways }: Tenant) => ({ four_eyes_always: fourEyesAlways });
    return { result: after, id, before: shown(before), after: shown(after) };
  });
}
