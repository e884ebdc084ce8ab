import { createHash } from 'node:crypto';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { Services } from '../../graph/ctx.js';
import { tenantQuery } from '../../platform/database/tenant-query.js';
import { type GroupsQuestion, METERS, shownSql } from './shown-groups.js';

/** A period with no more groups than this is summed up again for each of its few pages. */
const KEPT_MIN = 500;

/** How long groups are kept: a page that comes later has them made anew. */
const KEPT_MINUTES = 15;

/** Where an organization has kept so many groups, all of them go before the next are kept. */
const KEPT_MAX = 1_000_000;

const COLUMNS = [
  ...['key', 'period', 'kind', 'correction', 'rate', 'note', 'sample', 'requests', 'net', 'vat'],
  ...METERS,
].join(', ');

/** What a reading of one period is of, but for the snapshot that it saw. */
export function readingName({ span, granularity }: GroupsQuestion): string {
  return `${granularity} ${span.from.getTime()} ${span.to.getTime()} `;
}

/**
 * A part of the statement that sums up a period: it keeps `groups` for the pages to come. Nothing
 * is written before all are summed, so that no transaction number is held meanwhile.
 * @param name the parameter with the name of the reading
 * @param snapshot the parameter with what was seen; undefined where it is what this statement sees
 */
export function keepSql(name: string, snapshot = 'pg_current_snapshot()::text'): string {
  const isKept = `(SELECT count(*) FROM groups) > ${KEPT_MIN}`;
  return `dropped AS (
    DELETE FROM focus_group WHERE tenant_id = $1 AND ${isKept} AND (SELECT count(*) FROM (
      SELECT FROM focus_group WHERE tenant_id = $1 LIMIT ${KEPT_MAX}) each) = ${KEPT_MAX}
  ), kept AS (
    INSERT INTO focus_group (tenant_id, reading, ${COLUMNS})
    SELECT $1, sha256(convert_to(${name}::text || ${snapshot}::text, 'UTF8')), ${COLUMNS}
    FROM groups WHERE ${isKept}
    ON CONFLICT DO NOTHING
  ),`;
}

/** The groups of a page that are kept; none for the first page of a period. */
export async function readKept<R extends QueryResultRow>(
  pool: Pool,
  question: GroupsQuestion,
): Promise<readonly R[]> {
  const { tenantId, beginning, snapshot, limit, isOnePeriod } = question;
  if (!beginning || snapshot === undefined || !isOnePeriod) return [];
  const reading = createHash('sha256')
    .update(readingName(question) + snapshot)
    .digest();
  const config: QueryConfig = {
    name: 'focus_kept',
    text: `WITH page AS MATERIALIZED (
        SELECT ${COLUMNS} FROM focus_group
        WHERE tenant_id = $1 AND reading = $2 AND key >= $3 ORDER BY key LIMIT $4
      ) ${shownSql('page', '$5::text')}`,
    values: [tenantId, reading, beginning.key, limit, snapshot],
  };
  return (await tenantQuery<R>(pool, tenantId, config)).rows;
}

const FORGET = `DELETE FROM focus_group WHERE (tenant_id, reading) IN (
    SELECT tenant_id, reading FROM (
      SELECT tenant_id, reading FROM focus_group
      WHERE made_at < clock_timestamp() - make_interval(mins => ${KEPT_MINUTES}) LIMIT 20000) old)`;

/** As long as the groups of the largest reading take. */
const FORGET_MS_MAX = 60_000;

/**
 * Forgets groups that were kept for long enough, the groups of some readings at once: a page that
 * found a part of its reading would take it for the whole.
 */
export async function forgetFocusGroups({ platformPool }: Pick<Services, 'platformPool'>) {
  await platformPool.query({ text: FORGET, query_timeout: FORGET_MS_MAX } as QueryConfig);
}
