import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { KEY_BOUNDS } from './vocabulary.js';

/**
 * When the key that makes another one, or issues a token, ends by itself: what it makes ends no
 * later. Undefined for members and for keys without an end. Held until the commit: what ends the
 * maker at this moment comes after it, and finds what was made.
 * @throws api_key_revoked, invalid_token where the maker has ended since it was shown
 */
export async function endOfMaker(
  { who: { kind, id, tenantId } }: AuthorizedCtx,
  tx: Transaction,
): Promise<Date | undefined> {
  // First of all locks, as whoever removes a member takes it.
  await tx.$queryRaw`SELECT 1 FROM tenant WHERE id = ${tenantId}::uuid FOR KEY SHARE`;
  if (kind === 'user') {
    const member = await tx.user.findFirst({ where: { id, tenantId, status: 'active' } });
    if (member) return undefined;
    return fail('invalid_token', { values: { reason: 'its session has ended' } });
  }
  const [maker] = await tx.$queryRaw<{ expiresAt: Date | null; ended: boolean }[]>`
    SELECT expires_at AS "expiresAt",
      revoked_at IS NOT NULL OR COALESCE(expires_at <= clock_timestamp(), false) AS ended
    FROM api_key WHERE id = ${id}::uuid AND tenant_id = ${tenantId}::uuid FOR SHARE`;
  if (maker?.ended !== false) return fail('api_key_revoked');
  return maker.expiresAt ?? undefined;
}

/**
 * Lets a line of keys grow no longer than it may: each request of a key is bound by all of it.
 * @throws key_line_too_long
 */
export function requirePlaceInLine({ who }: AuthorizedCtx): void {
  const { lineMax } = KEY_BOUNDS;
  if (who.kind === 'user' || who.makers.length + 2 <= lineMax) return;
  fail('key_line_too_long', { values: { count: lineMax } });
}

/** The earlier of two ends; undefined is none. */
export function earlierEnd(one: Date, other: Date | undefined): Date {
  return other && other < one ? other : one;
}
