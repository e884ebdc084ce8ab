import type { Pool } from 'pg';
import type { Transaction } from '../graph/ctx.js';
import { fail } from '../kernel/errors/fail.js';
import { named } from '../platform/database/pool.js';
import { tenantQuery } from '../platform/database/tenant-query.js';
import type { Position } from './feed.rules.js';

/** Months are dropped from the first one on, so what is left begins where the last one ended. */
const USAGE_KEPT = `
  SELECT max(until_month)::timestamp AT TIME ZONE 'Europe/Moscow' AS "keptFrom"
  FROM month_partition WHERE of_table = 'usage_event' AND dropped_at IS NOT NULL`;

interface Kept {
  /** From when on requests are kept one by one; null while none was ever dropped. */
  readonly keptFrom: Date | null;
}

/**
 * Refuses what was read of single requests from a time on, where some of them have been dropped:
 * it would be less than there was. Asked after the rows were read, it misses no drop meanwhile.
 * @throws detail_dropped
 */
export async function requireUsageSince(
  database: Pool | Pick<Transaction, '$queryRawUnsafe'>,
  from: Date,
): Promise<void> {
  const [row] =
    '$queryRawUnsafe' in database
      ? await database.$queryRawUnsafe<Kept[]>(USAGE_KEPT)
      : (await named<Kept & object>(database, 'usage_kept', USAGE_KEPT, [])).rows;
  const keptFrom = row?.keptFrom ?? null;
  if (keptFrom === null || from >= keptFrom) return;
  fail('detail_dropped', { values: { kept_from: keptFrom.toISOString() } });
}

/** The rows that a feed is read from. */
export interface KeptRows {
  readonly table: 'usage_event' | 'feed_event';
  /** Empty where the table is none of several feeds. */
  readonly feed: string;
}

const DROPPED_AFTER = {
  name: 'feed_dropped_after',
  text: `SELECT to_char(until_month - interval '1 day', 'YYYY-MM') AS month FROM dropped_rows
    WHERE tenant_id = $1 AND of_table = $2 AND feed = $3 AND (txid, seq) > ($4, $5)
    ORDER BY until_month DESC LIMIT 1`,
};

/**
 * Refuses a place in a feed after which rows were dropped.
 * @throws cursor_too_old
 */
export async function requireUnbroken(
  pool: Pool,
  tenantId: string,
  { table, feed }: KeptRows,
  { txid, seq }: Position,
): Promise<void> {
  const values = [tenantId, table, feed, txid, seq];
  const { rows } = await tenantQuery<{ month: string }>(pool, tenantId, {
    ...DROPPED_AFTER,
    values,
  });
  const [dropped] = rows;
  if (dropped) fail('cursor_too_old', { values: { month: dropped.month }, param: 'after' });
}
