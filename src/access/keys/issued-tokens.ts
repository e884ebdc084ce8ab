import type { Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';

/**
 * Revokes the ephemeral tokens that a key has issued, in the transaction that ends the key.
 * @returns how many worked until then
 */
export async function revokeTokensOf(
  tx: Transaction,
  tenantId: string,
  keyId: string,
): Promise<number> {
  const { count } = await tx.apiKey.updateMany({
    where: { tenantId, createdBy: keyId, keyType: 'ephemeral', revokedAt: null },
    data: { revokedAt: sharedNow() },
  });
  return count;
}

/**
 * Lets no ephemeral token outlive the key that has issued it, in the transaction that sets the end
 * of the key. An end that is taken back later leaves them as they are: they are short-lived.
 */
export async function endTokensOf(
  tx: Transaction,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
  endsAt: Date,
): Promise<void> {
  await tx.apiKey.updateMany({
    where: { tenantId, createdBy: id, keyType: 'ephemeral', expiresAt: { gt: endsAt } },
    data: { expiresAt: endsAt },
  });
}

/**
 * Ends what a member has made and answers for, where the keys that serve others are kept: the
 * tokens, the keys of every type but `service`,
 * which are the organization's, those that the member has rotated among them, and the tokens that
 * these keys have issued. In the transaction that
 * ends the membership, which holds the lock of the tenant.
 */
export async function revokeAllOf(
  tx: Transaction,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
): Promise<void> {
  const isTheirs = [{ createdBy: id }, { rotatedBy: id }];
  const own = { tenantId, OR: isTheirs, keyType: { not: 'service' } };
  const now = sharedNow();
  const ended = { revokedAt: now };
  await tx.keySecret.updateMany({
    where: { tenantId, madeBy: id, endsAt: { gt: now }, key: { keyType: { not: 'service' } } },
    data: { endsAt: now },
  });
  await tx.apiKey.updateMany({ where: { ...own, revokedAt: null }, data: ended });
  const keys = await tx.apiKey.findMany({
    where: { ...own, keyType: { notIn: ['service', 'ephemeral'] } },
    select: { id: true },
  });
  const createdBy = { in: keys.map((key) => key.id) };
  await tx.apiKey.updateMany({
    where: { tenantId, createdBy, keyType: 'ephemeral', revokedAt: null },
    data: ended,
  });
}
