import type { Pool } from 'pg';
import { Prisma } from '../../generated/prisma/client.js';
import type { Services, Transaction } from '../../graph/ctx.js';
import { KEY_TYPES } from '../../graph/permissions.js';
import { sharedNow } from '../../kernel/clock.js';
import {
  code,
  fieldTable,
  instant,
  optional,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { ANOMALY_FEED } from '../../records/anomaly-feed.js';
import { publish } from '../../records/feed.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { KEY_BOUNDS, KEY_OUTLIVING_CAUSES } from './vocabulary.js';

/** A key that outlives one that led to it, as the feed tells it. */
export const KEY_OUTLIVING = fieldTable(
  'KeyOutlivingPayload',
  'A key that works though one that led to it has ended, or that has ended since; the subject of ' +
    'the event is the key.',
  {
    keyId: uuid('The key that works, by its id.'),
    keyType: code(KEY_TYPES, 'What the key may do.'),
    createdBy: uuid('The key that made it.'),
    revokedKeyId: uuid('The nearest key that has ended of those that led to it.'),
    revokedAt: instant('When that one was revoked, or ended by itself.'),
    because: optional(
      code(KEY_OUTLIVING_CAUSES, 'How that one ended; null in events from before this was kept.'),
    ),
  },
);

type Outliving = ValuesOf<typeof KEY_OUTLIVING.fields>;

/** How a key ended; an expression of a row of `api_key`. */
export function endingOf(alias: 'm' | 'r'): Prisma.Sql {
  const key = Prisma.raw(alias);
  return Prisma.sql`CASE WHEN ${key}.revoked_at IS NOT NULL THEN 'revoked'
    WHEN EXISTS (SELECT FROM key_action a WHERE a.tenant_id = ${key}.tenant_id
      AND a.key_id = ${key}.id AND a.action = 'rotate' AND a.undone_at IS NULL) THEN 'rotated'
    ELSE 'expired' END`;
}

const KEY = Prisma.sql`k.key_type AS "keyType", k.created_by AS "createdBy",
  COALESCE(r.revoked_at, r.expires_at) AS "revokedAt", ${endingOf('r')} AS because`;

/**
 * Keys that work and were led to by one that has ended: those that such a key has made, and what
 * these have made through keys that have not ended. Tokens are left out: they end within a day.
 */
function lookFor(tenantId: string, now: Date): Prisma.Sql {
  return Prisma.sql`
    WITH RECURSIVE led AS (
      SELECT k.id, m.id AS revoked_id, 1 AS distance FROM api_key m
      JOIN api_key k ON k.tenant_id = m.tenant_id AND k.created_by = m.id
      WHERE m.tenant_id = ${tenantId}::uuid
        AND (m.revoked_at IS NOT NULL OR m.expires_at <= ${now})
      UNION ALL
      SELECT k.id, led.revoked_id, led.distance + 1 FROM led
      JOIN api_key p ON p.tenant_id = ${tenantId}::uuid AND p.id = led.id
        AND p.revoked_at IS NULL AND (p.expires_at IS NULL OR p.expires_at > ${now})
      JOIN api_key k ON k.tenant_id = p.tenant_id AND k.created_by = p.id
      WHERE led.distance < ${KEY_BOUNDS.distanceMax}::int),
    found AS (
      INSERT INTO key_outliving (tenant_id, key_id, revoked_id)
      SELECT k.tenant_id, k.id, led.revoked_id
      FROM led JOIN api_key k ON k.tenant_id = ${tenantId}::uuid AND k.id = led.id
      WHERE k.revoked_at IS NULL AND k.key_type <> 'ephemeral'
        AND (k.expires_at IS NULL OR k.expires_at > ${now})
        AND NOT EXISTS (SELECT FROM key_outliving o
          WHERE o.tenant_id = k.tenant_id AND o.key_id = k.id AND o.cleared_at IS NULL)
      ORDER BY k.id LIMIT ${KEY_BOUNDS.outlivingToldMax}::int
      ON CONFLICT DO NOTHING RETURNING key_id, revoked_id)
    SELECT f.key_id AS "keyId", f.revoked_id AS "revokedKeyId", ${KEY}
    FROM found f JOIN api_key k ON k.tenant_id = ${tenantId}::uuid AND k.id = f.key_id
    JOIN api_key r ON r.tenant_id = k.tenant_id AND r.id = f.revoked_id ORDER BY f.key_id`;
}

function lookForEnded(tenantId: string, now: Date): Prisma.Sql {
  return Prisma.sql`
    WITH ended AS (
      UPDATE key_outliving o SET cleared_at = clock_timestamp()
      WHERE o.cleared_at IS NULL AND (o.tenant_id, o.key_id) IN (
        SELECT e.tenant_id, e.key_id FROM key_outliving e
        JOIN api_key k ON k.tenant_id = e.tenant_id AND k.id = e.key_id
        WHERE e.tenant_id = ${tenantId}::uuid AND e.cleared_at IS NULL
          AND (k.revoked_at IS NOT NULL OR k.expires_at <= ${now})
        ORDER BY e.key_id LIMIT ${KEY_BOUNDS.outlivingToldMax}::int)
      RETURNING o.key_id, o.revoked_id)
    SELECT d.key_id AS "keyId", d.revoked_id AS "revokedKeyId", ${KEY}
    FROM ended d JOIN api_key k ON k.tenant_id = ${tenantId}::uuid AND k.id = d.key_id
    JOIN api_key r ON r.tenant_id = k.tenant_id AND r.id = d.revoked_id ORDER BY d.key_id`;
}

/**
 * Tells the feed of anomalies of each key that works though one that led to it has ended, once,
 * and of those that have ended, in the transaction that changes keys or in one of its own.
 */
export async function tellOutliving(tx: Transaction, tenantId: string): Promise<void> {
  const now = sharedNow();
  const tell = async (type: string, keys: readonly Outliving[]) => {
    for (const key of keys) {
      const payload = sealedContent(KEY_OUTLIVING.fields, key);
      await publish(tx, { tenantId, feed: ANOMALY_FEED.name, type, subjectId: key.keyId, payload });
    }
  };
  await tell('key_outlives_maker', await tx.$queryRaw<Outliving[]>(lookFor(tenantId, now)));
  await tell('key_outliving_ended', await tx.$queryRaw<Outliving[]>(lookForEnded(tenantId, now)));
}

/** How often it is looked for keys that no revocation has told of, in milliseconds. */
export const OUTLIVING_EVERY_MS = 300_000;

const TENANTS_AT_ONCE = 100;

/** Organizations with a key to tell of: its direct maker has ended, or outlives one itself. */
const DUE = `
  SELECT k.tenant_id AS "tenantId" FROM api_key k
  JOIN api_key m ON m.tenant_id = k.tenant_id AND m.id = k.created_by
  WHERE k.revoked_at IS NULL AND k.key_type <> 'ephemeral'
    AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
    AND (m.revoked_at IS NOT NULL OR m.expires_at <= clock_timestamp() OR EXISTS (
      SELECT FROM key_outliving o
      WHERE o.tenant_id = m.tenant_id AND o.key_id = m.id AND o.cleared_at IS NULL))
    AND NOT EXISTS (SELECT FROM key_outliving o
      WHERE o.tenant_id = k.tenant_id AND o.key_id = k.id AND o.cleared_at IS NULL)
  UNION
  SELECT o.tenant_id FROM key_outliving o
  JOIN api_key k ON k.tenant_id = o.tenant_id AND k.id = o.key_id
  WHERE o.cleared_at IS NULL
    AND (k.revoked_at IS NOT NULL OR k.expires_at <= clock_timestamp())
  LIMIT ${TENANTS_AT_ONCE}`;

/**
 * Tells of outliving keys that no revocation has told of: those kept from before, those whose maker
 * has ended by itself or with the grace of an incident, those that an outliving key has made since,
 * and those that have expired.
 */
export async function findOutliving(
  services: Pick<Services, 'prisma'> & { readonly platformPool: Pool },
): Promise<void> {
  const { rows } = await services.platformPool.query<{ tenantId: string }>(DUE);
  for (const { tenantId } of rows) {
    await transactAcrossTenants(services, (tx) => tellOutliving(tx, tenantId));
  }
}
