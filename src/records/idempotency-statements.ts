/** An Idempotency-Key and the answer that stands under it are kept for so many hours. */
export const KEY_HOURS = 24;
const TTL = `interval '${KEY_HOURS} hours'`;
const DEAD_AFTER = "interval '60 seconds'";
const SWEEP_ROWS = 1_000;

/**
 * A running record whose process is not there any more: its node serves in a later epoch or has
 * been retired, or it was silent for a minute.
 */
const IS_DEAD = `(r.renewed_at < clock_timestamp() - ${DEAD_AFTER} OR EXISTS (
  SELECT 1 FROM gateway_node n WHERE n.node_id = r.node_id
    AND (n.epoch > r.node_epoch OR n.epoch = r.node_epoch AND n.retired_at IS NOT NULL)))`;

/**
 * A running record of this very process that asks, which knows of no such request: the answer to
 * its claim was lost on the way.
 */
const IS_UNKNOWN = `(r.node_id = EXCLUDED.node_id AND r.node_epoch = EXCLUDED.node_epoch)`;

/**
 * One statement decides who runs: a new key, a key past its time, or, with the same body only, one
 * that was left open, whose node is dead or of which this process knows nothing becomes the
 * caller's. All others get no row. A process asks only for what does not run in it.
 */
export const CLAIM = `
  INSERT INTO idempotency_record AS r (tenant_id, actor_id, key, body_hash, request_id,
    first_request_id, node_id, node_epoch, renewed_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $5, $6, $7, clock_timestamp(), clock_timestamp() + ${TTL})
  ON CONFLICT (tenant_id, actor_id, key) DO UPDATE SET
    first_request_id = CASE WHEN r.expires_at <= clock_timestamp() THEN EXCLUDED.request_id
                       ELSE r.first_request_id END,
    body_hash = EXCLUDED.body_hash, status = 'running', request_id = EXCLUDED.request_id,
    node_id = EXCLUDED.node_id, node_epoch = EXCLUDED.node_epoch,
    renewed_at = EXCLUDED.renewed_at, expires_at = EXCLUDED.expires_at,
    created_at = EXCLUDED.created_at, http_status = NULL, content_type = NULL, answer = NULL
  WHERE r.expires_at <= clock_timestamp()
     OR (r.body_hash = EXCLUDED.body_hash
         AND (r.status = 'open' OR (r.status = 'running' AND (${IS_DEAD} OR ${IS_UNKNOWN}))))
  RETURNING first_request_id`;

export const READ = `
  SELECT body_hash, status, request_id, http_status, content_type, answer
  FROM idempotency_record WHERE tenant_id = $1 AND actor_id = $2 AND key = $3`;

const OWN = `tenant_id = $1 AND actor_id = $2 AND key = $3 AND request_id = $4
  AND status = 'running'`;

export const FINISH = `
  UPDATE idempotency_record SET status = 'done', http_status = $5, content_type = $6, answer = $7,
    expires_at = clock_timestamp() + ${TTL}
  WHERE ${OWN}`;

export const KEEP_OPEN = `
  UPDATE idempotency_record SET status = 'open', expires_at = clock_timestamp() + ${TTL}
  WHERE ${OWN}`;

export const RELEASE = `DELETE FROM idempotency_record WHERE ${OWN}`;

export const RENEW = `
  UPDATE idempotency_record r SET renewed_at = clock_timestamp(), node_epoch = $5::bigint
  FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) AS own(tenant, actor, key, request)
  WHERE r.tenant_id = own.tenant AND r.actor_id = own.actor AND r.key = own.key
    AND r.request_id = own.request AND r.status = 'running'`;

export const SWEEP = `
  DELETE FROM idempotency_record WHERE (tenant_id, actor_id, key) IN (
    SELECT tenant_id, actor_id, key FROM idempotency_record
    WHERE expires_at <= clock_timestamp()
      AND (status <> 'running' OR renewed_at < clock_timestamp() - ${DEAD_AFTER})
    ORDER BY expires_at LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED)`;

/** Outcomes live as long as the key that they belong to, and at least as long as a key can. */
export const SWEEP_OUTCOMES = `
  DELETE FROM keyed_outcome WHERE effect_id IN (
    SELECT o.effect_id FROM keyed_outcome o
    WHERE o.created_at <= clock_timestamp() - ${TTL} AND NOT EXISTS (
      SELECT 1 FROM idempotency_record r WHERE r.first_request_id = o.root_id::text)
    ORDER BY o.created_at LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED)`;
