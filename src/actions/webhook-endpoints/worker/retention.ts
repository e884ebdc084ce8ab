import type { Pool } from 'pg';
import { named } from '../../../platform/database/pool.js';
import { WEBHOOK_LIMITS } from '../vocabulary.js';

const ROWS_AT_ONCE = 1_000;
const BATCHES_MAX = 20;

const OLD = `DELETE FROM webhook_delivery WHERE id IN (
  SELECT id FROM webhook_delivery WHERE ended_at < now() - make_interval(days => $1)
  ORDER BY ended_at LIMIT $2)`;

const BEYOND = `DELETE FROM webhook_delivery WHERE id IN (
  SELECT d.id FROM webhook_endpoint e CROSS JOIN LATERAL (
    SELECT id, ended_at FROM webhook_delivery WHERE endpoint_id = e.id
    ORDER BY id DESC OFFSET $1 LIMIT $2) AS d
  WHERE d.ended_at IS NOT NULL LIMIT $2)`;

/**
 * Deletes deliveries that ended before the days of retention, and of each endpoint those beyond the
 * number that is kept, the oldest first; some batches at once.
 * @returns how many were deleted
 */
export async function sweepDeliveries(pool: Pool): Promise<number> {
  const { retentionDays, endedMax } = WEBHOOK_LIMITS;
  const old = await inBatches(pool, 'webhook_sweep_old', OLD, retentionDays);
  return old + (await inBatches(pool, 'webhook_sweep_beyond', BEYOND, endedMax));
}

async function inBatches(pool: Pool, name: string, sql: string, bound: number): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const { rowCount } = await named(pool, name, sql, [bound, ROWS_AT_ONCE]);
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < ROWS_AT_ONCE) break;
  }
  return deleted;
}
