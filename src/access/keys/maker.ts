import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { shareMakers } from './makers-lock.js';
import { KEY_BOUNDS } from './vocabulary.js';

/**
 * When the key that makes another one, or issues a token, ends by itself: what it makes ends no
 * later. A secret that another one has followed ends with its grace. Undefined for members and for
 * keys without an end. Held until the commit: what ends the
 * maker at this moment comes after it, and finds what was made.
 * @throws api_key_revoked, invalid_token where the maker has ended since it was shown
 */
export async function endOfMaker(
  { who: { kind, id, tenantId, secret } }: AuthorizedCtx,
  tx: Transaction,
): Promise<Date | undefined> {
  // First of all locks. Its row is not locked: what ends or moves a key holds the makers alone, and
  // a row that many share is never free for one who needs it alone.
  await shareMakers(tx, tenantId);
  if (kind === 'user') {
    const member = await tx.user.findFirst({ where: { id, tenantId, status: 'active' } });
    if (member) return undefined;
    return fail('invalid_token', { values: { reason: 'its session has ended' } });
  }
  const shown = secret?.id ?? null;
  const [maker] = await tx.$queryRaw<{ expiresAt: Date | null; ended: boolean }[]>`
    SELECT LEAST(k.expires_at, s.ends_at) AS "expiresAt",
      k.revoked_at IS NOT NULL
        OR COALESCE(LEAST(k.expires_at, s.ends_at) <= clock_timestamp(), false)
        OR s.id IS NULL
          AND COALESCE(k.secret_id, k.id) <> COALESCE(${shown}::uuid, k.secret_id, k.id)
        AS ended
    FROM api_key k
    LEFT JOIN key_secret s
      ON s.tenant_id = k.tenant_id AND s.key_id = k.id AND s.id = ${shown}::uuid
    WHERE k.id = ${id}::uuid AND k.tenant_id = ${tenantId}::uuid`;
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
