import type { Tenant } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { audit } from '../../records/audit-trail.js';
import { inTransaction } from '../../records/scope.js';

/**
 * Says whether anybody may ever approve their own request. What waits already keeps what was in
 * force when it was asked for, unless the new setting is stricter.
 */
export function setFourEyes(ctx: AuthorizedCtx, always: boolean): Promise<Tenant> {
  const id = ctx.who.tenantId;
  return inTransaction(ctx, {}, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM tenant WHERE id = ${id}::uuid FOR UPDATE`;
    const before = await tx.tenant.findUniqueOrThrow({ where: { id } });
    const after = await tx.tenant.update({ where: { id }, data: { fourEyesAlways: always } });
    await audit(ctx, tx, {
      action: 'organizationFourEyesSet',
      subject: 'Tenant',
      subjectId: id,
      before: { four_eyes_always: before.fourEyesAlways },
      after: { four_eyes_always: after.fourEyesAlways },
    });
    return after;
  });
}
