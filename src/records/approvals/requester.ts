import type { Principal, Transaction } from '../../graph/ctx.js';

/**
 * The member who counts as the requester under four eyes, whatever asked: a member, or the one who
 * created or last rotated the key. For a key that a key made it is the member at the end of that
 * way. A secret that another one has followed counts as its own holder. Null where no member is
 * known.
 */
export async function accountableMember(
  tx: Transaction,
  who: Pick<Principal, 'kind' | 'id' | 'tenantId' | 'secret'>,
): Promise<string | null> {
  if (who.kind === 'user') return who.id;
  const { tenantId, secret } = who;
  // Whom a former secret was given to may hold it still.
  const holder = secret?.formerUntilMs === undefined ? who.id : secret.madeBy;
  const [row] = await tx.$queryRaw<{ id: string | null }[]>`
    SELECT COALESCE(
      (SELECT u.id FROM app_user u
       WHERE u.id = ${holder}::uuid AND u.tenant_id = ${tenantId}::uuid),
      key_member(${tenantId}::uuid, ${holder}::uuid)) AS id`;
  return row?.id ?? null;
}

/** The organization's setting: nobody may ever approve their own request. */
export async function requiresFourEyes(tx: Transaction, tenantId: string): Promise<boolean> {
  const tenant = await tx.tenant.findUniqueOrThrow({ where: { id: tenantId } });
  return tenant.fourEyesAlways;
}
