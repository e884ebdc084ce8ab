import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import type { KeyType } from '../../graph/permissions.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import { workspaceOfCaller } from '../workspaces/boundary.js';
import { isKeyWithin, keyIdsWithin } from '../workspaces/keys-within.js';
import { revokeTokensOf } from './issued-tokens.js';
import { type Descendants, KEY_BOUNDS } from './vocabulary.js';

/** A key or a member of an organization. */
export interface Maker {
  readonly tenantId: string;
  readonly id: string;
}

/** A key that works and would end with its maker. */
export interface Descendant {
  readonly id: string;
  readonly name: string;
  readonly keyType: KeyType;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** 1 for what the maker has made itself. */
  readonly distance: number;
}

/** What works of all that a key or a member has made. */
export interface DescendantsShown {
  readonly count: number;
  readonly tokens: number;
  readonly keys: readonly Descendant[];
}

/** How long a request may go on with a secret that has ended meanwhile. */
const UNDER_WAY = Prisma.raw("interval '1 minute'");

/**
 * All secrets that somebody was ever given, a relation `held` with the time in which each works:
 * those that they made, and those that were made by the key of such a secret in its time.
 */
function heldBy({ tenantId, id }: Maker): Prisma.Sql {
  return Prisma.sql`
    secret AS (
      SELECT id AS key_id, COALESCE(secret_id, id) AS id,
        COALESCE(rotated_by, created_by) AS made_by,
        COALESCE(secret_made_at, created_at) AS since, 'infinity'::timestamptz AS until
      FROM api_key WHERE tenant_id = ${tenantId}::uuid AND key_type <> 'ephemeral'
      UNION ALL
      SELECT key_id, id, made_by, made_at, ends_at FROM key_secret
      WHERE tenant_id = ${tenantId}::uuid),
    held AS (
      SELECT secret.*, 1 AS distance FROM secret WHERE made_by = ${id}::uuid
      UNION
      SELECT s.*, held.distance + (s.key_id <> held.key_id)::int FROM held
      JOIN secret s ON s.made_by = held.key_id AND s.id <> held.id
        AND s.since BETWEEN held.since AND held.until + ${UNDER_WAY}
      WHERE held.distance < ${KEY_BOUNDS.distanceMax}::int)`;
}

/**
 * All keys and tokens that somebody has made, at any distance, also by keys that have ended since:
 * a relation `line` of ids with their least distance. A key whose value they were given counts as
 * made; of one that was given another value since, what it made in the time of theirs.
 */
function lineOf(maker: Maker): Prisma.Sql {
  const { tenantId, id } = maker;
  return Prisma.sql`
    WITH RECURSIVE ${heldBy(maker)}, found AS (
      SELECT id, 1 AS distance FROM api_key
      WHERE tenant_id = ${tenantId}::uuid AND id <> ${id}::uuid
        AND (created_by = ${id}::uuid OR rotated_by = ${id}::uuid)
      UNION
      SELECT key_id, distance FROM held WHERE until = 'infinity'
      UNION
      SELECT k.id, held.distance + 1 FROM held
      JOIN api_key k ON k.tenant_id = ${tenantId}::uuid AND k.created_by = held.key_id
        AND k.created_at BETWEEN held.since AND held.until + ${UNDER_WAY}
      UNION
      SELECT k.id, found.distance + 1 FROM found
      JOIN api_key k ON k.tenant_id = ${tenantId}::uuid AND k.created_by = found.id
      WHERE found.distance < ${KEY_BOUNDS.distanceMax}::int),
    line AS (SELECT id, min(distance) AS distance FROM found WHERE id <> ${id}::uuid GROUP BY id)`;
}

/**
 * Revokes what a key or a member has made, and ends the former secrets that it was given, in the
 * transaction that ends the maker and holds the lock of the makers.
 * @returns how many keys and tokens worked until then
 */
export async function revokeDescendants(tx: Transaction, maker: Maker): Promise<number> {
  const now = sharedNow();
  const count = await tx.$executeRaw(Prisma.sql`${lineOf(maker)}
    UPDATE api_key SET revoked_at = ${now}
    WHERE tenant_id = ${maker.tenantId}::uuid AND id IN (SELECT id FROM line)
      AND revoked_at IS NULL`);
  await tx.$executeRaw(Prisma.sql`WITH RECURSIVE ${heldBy(maker)}
    UPDATE key_secret SET ends_at = ${now}
    WHERE tenant_id = ${maker.tenantId}::uuid AND id IN (SELECT id FROM held)
      AND ends_at > ${now}`);
  return count;
}

/**
 * Revokes what a key has made, or its tokens alone where the keys are to be kept: a token is never
 * more than a part of the key that has issued it.
 */
export async function revokeMadeBy(
  tx: Transaction,
  key: Maker,
  descendants: Descendants | null,
): Promise<number> {
  if (descendants !== 'keep') return revokeDescendants(tx, key);
  return revokeTokensOf(tx, key.tenantId, key.id);
}

/**
 * Lets nothing that a key has made work longer than until a time. An end that is taken back later
 * leaves them as they are.
 */
export async function endDescendants(tx: Transaction, key: Maker, endsAt: Date): Promise<void> {
  await tx.$executeRaw(Prisma.sql`${lineOf(key)}
    UPDATE api_key SET expires_at = ${endsAt}
    WHERE tenant_id = ${key.tenantId}::uuid AND id IN (SELECT id FROM line)
      AND (expires_at IS NULL OR expires_at > ${endsAt})`);
  await tx.$executeRaw(Prisma.sql`WITH RECURSIVE ${heldBy(key)}
    UPDATE key_secret SET ends_at = ${endsAt}
    WHERE tenant_id = ${key.tenantId}::uuid AND id IN (SELECT id FROM held)
      AND ends_at > ${endsAt}`);
}

/**
 * What would end with a key or a member: all that it has made and that works, the nearest first. A
 * caller of a workspace sees of it what belongs to that.
 * @param endsAt only what would work longer than until then, if that were the end of the key
 * @throws not_found for what is no key or member that the caller sees
 */
export async function descendantsShown(
  ctx: AuthorizedCtx,
  id: string,
  endsAt: Date | null = null,
): Promise<DescendantsShown> {
  const { tenantId } = ctx.who;
  const db = database(ctx);
  const where = { id, tenantId };
  const keysSeen = (await keyIdsWithin(ctx, [id])) ?? [id];
  const known =
    (await db.apiKey.count({ where: { ...where, AND: { id: { in: [...keysSeen] } } } })) +
    (await db.user.count({ where: { ...where, workspaceId: workspaceOfCaller(ctx) } }));
  if (known === 0) fail('not_found', { values: { subject: 'key or member', id }, param: 'id' });
  const now = sharedNow();
  const works = Prisma.sql`${lineOf({ tenantId, id })}
    SELECT k.id, k.name, k.key_type AS "keyType", k.created_by AS "createdBy",
      k.created_at AS "createdAt", k.expires_at AS "expiresAt", line.distance
    FROM line JOIN api_key k ON k.tenant_id = ${tenantId}::uuid AND k.id = line.id
    WHERE k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > GREATEST(${now}, ${endsAt}::timestamptz))
      AND ${isKeyWithin(ctx, Prisma.sql`k.id`)}`;
  const [counts] = await db.$queryRaw<{ count: number; tokens: number }[]>(Prisma.sql`
    SELECT count(*)::int AS count,
      (count(*) FILTER (WHERE "keyType" = 'ephemeral'))::int AS tokens
    FROM (${works}) AS working`);
  const keys = await db.$queryRaw<Descendant[]>(Prisma.sql`
    SELECT * FROM (${works}) AS working WHERE "keyType" <> 'ephemeral'
    ORDER BY distance, id LIMIT ${KEY_BOUNDS.descendantsShownMax}`);
  return { count: counts?.count ?? 0, tokens: counts?.tokens ?? 0, keys };
}
