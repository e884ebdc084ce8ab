import { LINE_SUMS, REPLAYED_USAGE, REQUEST_LINES, USAGE_SUMS } from './statements.js';
import { NO_SUMS, type Sums } from './tally.rules.js';

/** Sums as the driver reads them: as text, since they may be of any size. */
export type SumsRow = { readonly [name in keyof Sums]: string };

/** Sums of lines alone, as a part of the sums of a window. */
function partOfLines(condition: string, beside = ''): string {
  return `SELECT s.holds, s.charges, s.releases, s.charged_micro, 0, 0, 0, 0, s.raw
    FROM ${beside} LATERAL (SELECT ${LINE_SUMS}, count(*) AS raw FROM ledger_entry
      WHERE ${REQUEST_LINES} AND ${condition}) s`;
}

/** Sums of usage alone, as a part of the sums of a window. */
function partOfUsage(condition: string, beside = ''): string {
  return `SELECT 0, 0, 0, 0, s.served, s.failed, s.used_micro, s.replayed_micro, s.raw
    FROM ${beside} LATERAL (SELECT ${USAGE_SUMS}, count(*) AS raw FROM ${REPLAYED_USAGE}
      WHERE ${condition}) s`;
}

function sumSql(before: string, parts: readonly string[]): string {
  return `WITH ${before} parts (holds, charges, releases, charged_micro, served, failed,
      used_micro, replayed_micro, raw) AS (${parts.join(' UNION ALL ')})
    SELECT sum(holds)::text AS holds, sum(charges)::text AS charges,
      sum(releases)::text AS releases, sum(charged_micro)::text AS "chargedMicro",
      sum(served)::text AS served, sum(failed)::text AS failed,
      sum(used_micro)::text AS "usedMicro", sum(replayed_micro)::text AS "replayedMicro",
      sum(raw)::text AS "rawRows"
    FROM parts`;
}

const HOUR = `interval '1 hour'`;
const HOURS = `hours AS (
  SELECT *, hour >= $6 AND hour + ${HOUR} <= $7 AS whole FROM integrity_hour
  WHERE tenant_id = $1 AND hour > $6::timestamptz - ${HOUR} AND hour < $7
),`;
const WHOLE_HOURS = `SELECT holds, charges, releases, charged_micro, served, failed, used_micro,
  replayed_micro, 0 FROM hours WHERE whole`;
const OF_HOUR = `created_at >= GREATEST(h.hour, $6) AND created_at < LEAST(h.hour + ${HOUR}, $7)`;
const EDGES = '(SELECT * FROM hours WHERE NOT whole) h CROSS JOIN';
const OWN = 'JOIN account a ON a.tenant_id = $1';
const IN_WINDOW = 'created_at >= $6 AND created_at < $7';

/**
 * The sums of a window: of whole hours from their proof, of hours at its edges from their rows, and
 * from the rows behind the marks. $1 is the tenant, $2 to $5 the marks, $6 and $7 the window.
 */
export const WINDOW_SUMS = sumSql(HOURS, [
  WHOLE_HOURS,
  partOfLines(
    `account_id = a.id AND account_version BETWEEN h.version_min AND h.version_max
      AND ${OF_HOUR} AND (txid, seq) <= ($2, $3)`,
    `(SELECT * FROM hours WHERE NOT whole) h ${OWN} CROSS JOIN`,
  ),
  partOfUsage(
    `tenant_id = $1 AND seq BETWEEN h.seq_min AND h.seq_max AND ${OF_HOUR}
      AND (txid, seq) <= ($4, $5)`,
    EDGES,
  ),
  partOfLines(`tenant_id = $1 AND (txid, seq) > ($2, $3) AND ${IN_WINDOW}`),
  partOfUsage(`tenant_id = $1 AND (txid, seq) > ($4, $5) AND ${IN_WINDOW}`),
]);

/** The sums of a window from its rows alone: $1 is the tenant, $2 and $3 the window. */
export const RAW_SUMS = sumSql('', [
  partOfLines('tenant_id = $1 AND created_at >= $2 AND created_at < $3'),
  partOfUsage('tenant_id = $1 AND created_at >= $2 AND created_at < $3'),
]);

/** The sums that a statement has answered. */
export function sumsOfRow(row: SumsRow | undefined): Sums {
  if (!row) return NO_SUMS;
  const names = Object.keys(NO_SUMS) as (keyof Sums)[];
  return Object.fromEntries(names.map((name) => [name, BigInt(row[name])])) as unknown as Sums;
}
