import type { Principal, Transaction } from '../../graph/ctx.js';

/**
 * The member who counts as the requester under four eyes, whatever asked: a member, or the one who
 * answers for the secret of a key that was shown. That is decided when the secret is made, since
 * its holder stays the same: a later rotation of the key that made it hands nothing on. Null where
 * no member is known.
 */
export async function accountableMember(
  tx: Transaction,
  who: Pick<Principal, 'kind' | 'id' | 'tenantId' | 'secret'>,
): Promise<string | null> {
  if (who.kind === 'user') return who.id;
  const { id, tenantId, secret } = who;
  // Whom a former secret was given to may hold it still.
  const [row] = await tx.$queryRaw<{ id: string | null }[]>`
    SELECT CASE WHEN former.id IS NULL THEN key_member(${tenantId}::uuid, ${id}::uuid)
      ELSE former.accountable_id END AS id
    FROM (SELECT ${secret?.id ?? null}::uuid AS id) AS shown
    LEFT JOIN key_secret AS former
      ON former.tenant_id = ${tenantId}::uuid AND former.key_id = ${id}::uuid
      AND former.id = shown.id`;
  return row?.id ?? null;
}

/** The organization's setting: nobody may ever approve their own request. */
export async function requiresFourEyes(tx: Transaction, tenantId: string): Promise<boolean> {
  const tenant = await tx.tenant.findUniqueOrThrow({ where: { id: tenantId } });
  return tenant.fourEyesAlways;
}
