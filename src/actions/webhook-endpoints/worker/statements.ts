import type { Pool } from 'pg';
import { TRACE_MEMBER } from '../../../kernel/trace.rules.js';
import { named } from '../../../platform/database/pool.js';
import type { Position } from '../../../records/feed.rules.js';
import { keptTracesSql } from '../../../records/kept-traces.js';
import type { DueDelivery } from '../delivery.rules.js';
import { WEBHOOK_LIMITS } from '../vocabulary.js';

/** An active endpoint's place in a feed. */
export interface Cursor extends Position {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly feed: string;
  readonly snapshot: string;
  readonly eventTypes: readonly string[];
}

const CURSORS = `SELECT c.tenant_id AS "tenantId", endpoint_id AS "endpointId", feed, txid, seq,
    snapshot, event_types AS "eventTypes"
  FROM webhook_feed_cursor c JOIN webhook_endpoint e ON e.id = c.endpoint_id
  WHERE e.status = 'active'`;

/** The places of all active endpoints. */
export async function readCursors(pool: Pool): Promise<Cursor[]> {
  return (await named<Cursor>(pool, 'webhook_cursors', CURSORS, [])).rows;
}

const IS_FULL = `SELECT count(*) >= $2 AS full FROM (SELECT 1 FROM webhook_delivery
  WHERE endpoint_id = $1 AND status = 'pending' AND NOT replayed LIMIT $2) AS waiting`;

/** True where so much waits for an endpoint that what follows waits in its feed. */
export async function isFull(pool: Pool, endpointId: string): Promise<boolean> {
  const values = [endpointId, WEBHOOK_LIMITS.pendingMax];
  const { rows } = await named<{ full: boolean }>(pool, 'webhook_is_full', IS_FULL, values);
  return rows[0]?.full === true;
}

/** A delivery that is owed. */
export interface NewDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly body: string;
}

/**
 * Moves a cursor and writes what it moved over, or neither. An event is owed once. Whoever follows
 * may not have heard yet that the endpoint was paused: what happens from then on is not owed.
 */
const FAN_OUT = `WITH moved AS (
    UPDATE webhook_feed_cursor c SET txid = $5, seq = $6 FROM webhook_endpoint e
    WHERE endpoint_id = $1 AND feed = $2 AND txid = $3 AND seq = $4
      AND e.id = endpoint_id AND e.status = 'active' RETURNING c.tenant_id),
  owed AS (
    INSERT INTO webhook_delivery
      (id, tenant_id, endpoint_id, event_id, event_type, body, next_attempt_at)
    SELECT u.id, moved.tenant_id, $1, u.event_id, u.event_type, u.body, clock_timestamp()
    FROM moved, unnest($7::uuid[], $8::text[], $9::text[], $10::text[])
      AS u(id, event_id, event_type, body)
    ON CONFLICT (endpoint_id, event_id) DO NOTHING)
  SELECT 1 FROM moved`;

/** @returns false where the cursor is not where it was: its endpoint has changed */
export async function fanOut(
  pool: Pool,
  { endpointId, feed, txid, seq }: Cursor,
  to: Position,
  owed: readonly NewDelivery[],
): Promise<boolean> {
  const { rowCount } = await named(pool, 'webhook_fan_out', FAN_OUT, [
    ...[endpointId, feed, txid, seq, to.txid, to.seq],
    owed.map(({ id }) => id),
    owed.map(({ eventId }) => eventId),
    owed.map(({ eventType }) => eventType),
    owed.map(({ body }) => body),
  ]);
  return rowCount === 1;
}

const due = (replayed: boolean) => `(SELECT id FROM webhook_delivery
  WHERE endpoint_id = e.id AND status = 'pending' AND replayed = ${replayed}
    AND next_attempt_at <= now() ORDER BY next_attempt_at, id LIMIT $4)`;

/** What is new comes before what is repeated. */
const DUE = `SELECT d.id, e.id AS "endpointId", e.tenant_id AS "tenantId",
    e.failing_since IS NOT NULL AS failing
  FROM webhook_endpoint e CROSS JOIN LATERAL (
    SELECT id FROM (${due(false)} UNION ALL ${due(true)}) AS both_lanes LIMIT $4) AS d
  WHERE e.status = 'active' AND e.id <> ALL ($1::uuid[]) AND e.tenant_id <> ALL ($2::uuid[])
    AND ($3 OR e.failing_since IS NULL)
  ORDER BY array_position($5::uuid[], e.id) NULLS FIRST LIMIT $6`;

/** Whom to pass over when asking what is due. */
export interface DueQuestion {
  /** Endpoints and tenants without a free place. */
  readonly fullEndpoints: readonly string[];
  readonly fullTenants: readonly string[];
  readonly failingToo: boolean;
  /** Endpoints by their last attempt, the earliest first; those that are not named come first. */
  readonly lately: readonly string[];
  readonly limit: number;
}

/** What is due, by endpoints whose turn is the longest ago. */
export async function readDue(pool: Pool, question: DueQuestion): Promise<DueDelivery[]> {
  const { fullEndpoints, fullTenants, failingToo, lately, limit } = question;
  const { endpointAttemptsMax } = WEBHOOK_LIMITS;
  const values = [fullEndpoints, fullTenants, failingToo, endpointAttemptsMax, lately, limit];
  return (await named<DueDelivery>(pool, 'webhook_due', DUE, values)).rows;
}

/** A delivery whose attempt this node makes. */
export interface TakenDelivery extends DueDelivery {
  readonly attempts: number;
  readonly step: number;
  readonly eventId: string;
  readonly eventType: string;
  readonly body: string;
  readonly begunAt: Date;
  readonly url: string;
  readonly secretGeneration: number;
  /** The secret before still signs too. */
  readonly overlaps: boolean;
  /** The trace of the request that has caused the event, as it was kept; null without one. */
  readonly trace: string | null;
}

/** By the id of the event: of a request by its usage, of what was written by itself. */
const TRACES = `
    (SELECT u.metadata ->> '${TRACE_MEMBER}' FROM usage_event u WHERE u.tenant_id = d.tenant_id
      AND u.id = substring(d.event_id FROM '^(?:usage|ledger)_([0-9a-f-]{36})')::uuid),
    ${keptTracesSql({ tenant: 'd.tenant_id', event: 'd.event_id' })}`;

const TAKE = `UPDATE webhook_delivery d SET status = 'sending', attempts = attempts + 1,
    begun_at = CASE WHEN step = 0 THEN clock_timestamp() ELSE begun_at END
  FROM webhook_endpoint e
  WHERE d.id IN (SELECT id FROM webhook_delivery WHERE id = ANY ($1::uuid[])
      AND status = 'pending' FOR UPDATE SKIP LOCKED)
    AND e.id = d.endpoint_id AND e.status = 'active'
  RETURNING d.id, d.endpoint_id AS "endpointId", d.tenant_id AS "tenantId",
    e.failing_since IS NOT NULL AS failing, d.attempts, d.step, d.event_id AS "eventId",
    d.event_type AS "eventType", d.body, d.begun_at AS "begunAt", e.url,
    e.secret_generation AS "secretGeneration",
    coalesce(e.former_secret_until > clock_timestamp(), false) AS overlaps,
    coalesce(${TRACES}) AS trace`;

/** Takes deliveries for their next attempt; those that are locked are taken another time. */
export async function takeDeliveries(pool: Pool, ids: readonly string[]): Promise<TakenDelivery[]> {
  return (await named<TakenDelivery>(pool, 'webhook_take', TAKE, [ids])).rows;
}

const RELEASE = `UPDATE webhook_delivery SET status = 'pending', next_attempt_at = now()
  WHERE status = 'sending'`;

/** Takes up what a worker left under way that is gone: it may have arrived, and is sent again. */
export async function releaseLeft(pool: Pool): Promise<number> {
  return (await named(pool, 'webhook_release_left', RELEASE, [])).rowCount ?? 0;
}

/** One attempt as the delivery tells it. */
export interface ToldAttempt {
  readonly number: number;
  readonly at: string;
  readonly status: number | null;
  readonly failure: string | null;
  readonly latency_ms: number;
}

/** What becomes of a delivery after an attempt. */
export interface Outcome {
  readonly id: string;
  readonly endpoint_id: string;
  /** The number of the attempt, which fences its outcome. */
  readonly attempts: number;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly step: number;
  /** Until the next attempt; null when there is none. */
  readonly wait_ms: number | null;
  readonly response_status: number | null;
  readonly failure: string | null;
  readonly response: string | null;
  readonly told: ToldAttempt;
}

const RECORD = `WITH given AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS g(id uuid, attempts int, status text, step int,
      wait_ms double precision, response_status int, failure text, response text, told jsonb)),
  own AS (
    SELECT d.id FROM webhook_delivery d JOIN given g ON g.id = d.id AND g.attempts = d.attempts
    WHERE d.status = 'sending' FOR UPDATE OF d SKIP LOCKED)
  UPDATE webhook_delivery d SET status = g.status, step = g.step,
    response_status = g.response_status, failure = g.failure, response = g.response,
    next_attempt_at = clock_timestamp() + g.wait_ms * interval '1 millisecond',
    ended_at = CASE WHEN g.status <> 'pending' THEN clock_timestamp() END,
    attempt_log = CASE WHEN jsonb_array_length(attempt_log) < $2 THEN attempt_log
      ELSE attempt_log - 0 END || g.told
  FROM given g JOIN own ON own.id = g.id WHERE d.id = g.id RETURNING d.id`;

/** Records outcomes. @returns the ids of those that were recorded; others are locked, or gone */
export async function recordOutcomes(
  pool: Pool,
  outcomes: readonly Outcome[],
): Promise<Set<string>> {
  const values = [JSON.stringify(outcomes), WEBHOOK_LIMITS.attemptsToldMax];
  const { rows } = await named<{ id: string }>(pool, 'webhook_record', RECORD, values);
  return new Set(rows.map(({ id }) => id));
}

const HEALTH = `UPDATE webhook_endpoint e SET
    failing_since = CASE WHEN g.delivered THEN NULL ELSE coalesce(failing_since, now()) END,
    last_success_at = CASE WHEN g.delivered THEN now() ELSE last_success_at END
  FROM jsonb_to_recordset($1::jsonb) AS g(id uuid, delivered boolean)
  WHERE e.id = g.id
    AND e.id IN (SELECT id FROM webhook_endpoint WHERE id IN
      (SELECT id FROM jsonb_to_recordset($1::jsonb) AS named(id uuid)) FOR UPDATE SKIP LOCKED)
    AND CASE WHEN g.delivered THEN e.failing_since IS NOT NULL OR e.last_success_at IS NULL
        OR e.last_success_at < now() - interval '10 seconds'
      ELSE e.failing_since IS NULL END`;

/** Keeps whether endpoints work; where a member changes one just now, the next attempt says it. */
export async function recordHealth(
  pool: Pool,
  health: ReadonlyMap<string, boolean>,
): Promise<void> {
  const given = [...health].map(([id, delivered]) => ({ id, delivered }));
  await named(pool, 'webhook_health', HEALTH, [JSON.stringify(given)]);
}
