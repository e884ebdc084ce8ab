import type { Transaction } from '../../graph/ctx.js';

/** Revokes the ephemeral tokens that a key has issued, in the transaction that ends the key. */
export async function revokeTokensOf(
  tx: Transaction,
  tenantId: string,
  keyId: string,
): Promise<void> {
  await tx.apiKey.updateMany({
    where: { tenantId, createdBy: keyId, keyType: 'ephemeral', revokedAt: null },
    data: { revokedAt: new Date() },
  });
}
