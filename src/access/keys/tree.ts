import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import type { KeyType } from '../../graph/permissions.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import { requireOwn } from '../../records/own.js';
import { isKeyWithin, keyIdsWithin } from '../workspaces/keys-within.js';
import { endingOf } from './outliving.js';
import {
  KEY_BOUNDS,
  type KEY_MAKERS,
  type KEY_OUTLIVING_CAUSES,
  type KEY_STATUSES,
} from './vocabulary.js';

/** A key in the tree of an organization. */
export interface TreeKey {
  readonly id: string;
  readonly name: string;
  readonly keyType: KeyType;
  readonly status: CodeOf<typeof KEY_STATUSES>;
  readonly madeBy: string;
  readonly madeByKind: CodeOf<typeof KEY_MAKERS>;
  /** 1 for what a member has made. */
  readonly distance: number;
  /** Keys that work, of all that it has made. */
  readonly descendants: number;
  /** The nearest key that led to it and has ended, or that an incident ends, where it works. */
  readonly outlivesId: string | null;
  readonly outlivesBecause: CodeOf<typeof KEY_OUTLIVING_CAUSES> | null;
}

/** The keys of an organization by who made them. */
export interface KeyTree {
  readonly count: number;
  readonly keys: readonly TreeKey[];
}

/**
 * A relation `tree` of every key that works with all keys that led to it, also those that have
 * ended, each with the ids from the first of its line to itself. Tokens are left out.
 */
function treeOf(tenantId: string, now: Date): Prisma.Sql {
  return Prisma.sql`
    WITH RECURSIVE working AS (
      SELECT id FROM api_key WHERE tenant_id = ${tenantId}::uuid AND key_type <> 'ephemeral'
        AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})),
    held AS (
      SELECT k.id, k.created_by FROM working
      JOIN api_key k ON k.tenant_id = ${tenantId}::uuid AND k.id = working.id
      UNION
      SELECT m.id, m.created_by FROM held
      JOIN api_key m ON m.tenant_id = ${tenantId}::uuid AND m.id = held.created_by),
    tree AS (
      SELECT h.id, ARRAY[h.id] AS path FROM held h
      WHERE NOT EXISTS (SELECT FROM held m WHERE m.id = h.created_by)
      UNION ALL
      SELECT h.id, tree.path || h.id FROM tree JOIN held h ON h.created_by = tree.id
      WHERE cardinality(tree.path) < ${KEY_BOUNDS.distanceMax}::int),
    below AS (
      SELECT maker AS id, count(*)::int AS descendants
      FROM tree JOIN working USING (id) CROSS JOIN unnest(path) AS maker
      WHERE maker <> tree.id GROUP BY maker)`;
}

/**
 * The keys of the organization as the tree that they were made in, or the one line that a key
 * stands in: what led to it, and what it led to. One statement reads it.
 * Callers of a workspace see of it what belongs to that.
 * @throws not_found for what is no key that the caller sees
 */
export async function readKeyTree(ctx: AuthorizedCtx, keyId?: string | null): Promise<KeyTree> {
  if (keyId) await requireSeenKey(ctx, keyId);
  const { tenantId } = ctx.who;
  const now = sharedNow();
  const rows = await database(ctx).$queryRaw<(TreeKey & { count: number })[]>(Prisma.sql`
    ${treeOf(tenantId, now)}
    SELECT k.id, k.name, k.key_type AS "keyType", k.created_by AS "madeBy",
      CASE WHEN w.id IS NULL THEN 'revoked' ELSE 'active' END AS status,
      CASE WHEN cardinality(t.path) = 1 THEN 'member' ELSE 'key' END AS "madeByKind",
      cardinality(t.path) AS distance, coalesce(b.descendants, 0) AS descendants,
      o.id AS "outlivesId", o.because AS "outlivesBecause",
      (count(*) OVER ())::int AS count
    FROM tree t JOIN api_key k ON k.tenant_id = ${tenantId}::uuid AND k.id = t.id
    LEFT JOIN working w ON w.id = t.id LEFT JOIN below b ON b.id = t.id
    LEFT JOIN LATERAL (
      SELECT m.id, m.because FROM unnest(t.path) WITH ORDINALITY AS p (id, place)
      JOIN LATERAL (
        SELECT m.*, ${endingOf('m')} AS because FROM api_key m
        WHERE m.tenant_id = k.tenant_id AND m.id = p.id AND m.id <> k.id) m ON
          m.revoked_at IS NOT NULL OR m.expires_at <= ${now} OR (m.because = 'rotated'
            AND (k.expires_at IS NULL OR k.expires_at > m.expires_at))
      ORDER BY p.place DESC LIMIT 1) o ON w.id IS NOT NULL
        AND ${isKeyWithin(ctx, Prisma.sql`o.id`)}
    WHERE (${keyId ?? null}::uuid IS NULL OR ${keyId ?? null}::uuid = ANY (t.path)
        OR t.id = ANY ((SELECT path FROM tree WHERE id = ${keyId ?? null}::uuid)::uuid[]))
      AND ${isKeyWithin(ctx, Prisma.sql`t.id`)}
    ORDER BY t.path LIMIT ${KEY_BOUNDS.treeShownMax}::int`);
  return { count: rows[0]?.count ?? 0, keys: rows };
}

async function requireSeenKey(ctx: AuthorizedCtx, id: string): Promise<void> {
  const named = { param: 'keyId', subject: 'key' };
  await requireOwn(ctx, 'ApiKey', id, named);
  const seen = await keyIdsWithin(ctx, [id]);
  if (seen?.length === 0)
    fail('not_found', { values: { subject: named.subject, id }, param: 'keyId' });
}
