import type { Pool } from 'pg';
import { tenantReport } from '../../platform/database/tenant-query.js';
import type { ChargeGroup, ChargeUse } from './charge.rules.js';
import { keepSql, readingName, readKept } from './kept-groups.js';
import { DIMENSIONS, type GroupsQuestion, METERS, shownSql } from './shown-groups.js';

/** A group with its place in the export. */
export interface PlacedGroup extends ChargeGroup {
  /** Orders the groups of a period; the same for the same group at all times. */
  readonly key: string;
}

/** Groups in their order, and what the statement saw; undefined where it found nothing. */
export interface FoundGroups {
  readonly groups: readonly PlacedGroup[];
  readonly snapshot: string | undefined;
}

const COLUMNS = DIMENSIONS.map(([, column]) => column).join(', ');
const TOKENS = METERS.map((meter) => `u.${meter}`).join(', ');
const SUMS = METERS.map((meter) => `coalesce(sum(${meter}), 0)::bigint AS ${meter}`).join(', ');

/** What an earlier statement saw, of a table by this name. */
function seen(table: string, snapshot: string | undefined): string {
  return snapshot === undefined
    ? ''
    : `AND pg_visible_in_snapshot(${table}.txid::text::xid8, $9::pg_snapshot)`;
}

/** The text by which charges are grouped: equal for equal values, and for no others. */
function keyOf(more: readonly string[]): string {
  return `md5(ROW(${[...more, COLUMNS].join(', ')})::text) AS key`;
}

/**
 * Charges come from usage, each of which is its line of the ledger (invariant 6 of the books); what
 * is given back or posted by people comes from the ledger. A refund takes back the share of the
 * tokens that it is of the charge, all refunds of a charge counted together and rounded half up, so
 * that whatever is refunded in parts ends at the whole. The books post tax for charges and refunds
 * alone. Usage is found by the index of the tenant and the BRIN index of times, postings by their
 * partial index of the account. Groups are told apart by one short text and say what they have in
 * common by one row of theirs: to sort by all of it takes most of the time otherwise.
 */
function statement({ snapshot, isOnePeriod }: GroupsQuestion): string {
  const given = snapshot === undefined ? 8 : 9;
  const part = (meter: string, whole: string) =>
    `round(u.${meter} * ${whole}::numeric / u.amount_micro)`;
  const after = '(r.before + r.amount_micro)';
  const taken = METERS.map(
    (meter) => `(${part(meter, 'r.before')} - ${part(meter, after)})::bigint`,
  );
  return `
  WITH posted AS (
    SELECT e.*, coalesce(sum(e.amount_micro) FILTER (WHERE e.type = 'refund') OVER (
             PARTITION BY e.charged_request_id ORDER BY e.account_version
             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
    FROM ledger_entry e
    WHERE e.tenant_id = $1 AND e.account_id = $2
      AND e.type IN ('refund', 'credit', 'adjustment') AND e.created_at < $4
      ${seen('e', snapshot)}
  ), given AS (
    SELECT r.*,
           CASE WHEN r.type = 'refund' AND u.id IS NULL THEN 'unnamed_refund'
                ELSE r.type END AS kind,
           coalesce(date_trunc('month', u.created_at, 'Europe/Moscow')
             < date_trunc('month', r.created_at, 'Europe/Moscow'), false) AS correction,
           CASE WHEN r.type = 'refund' THEN r.vat_rate_basis_points END AS rate,
           CASE WHEN u.id IS NULL THEN r.description END AS note, u.seq AS sample
    FROM posted r
    LEFT JOIN usage_event u
      ON u.tenant_id = $1 AND u.id = r.charged_request_id AND r.type = 'refund'
        AND u.amount_micro > 0
    WHERE r.created_at >= $3
  ), charges AS (
    SELECT u.created_at, 'usage' AS kind, false AS correction, u.vat_rate_basis_points AS rate,
           NULL AS note, u.seq AS sample, ${keyOf(["'usage'", 'u.vat_rate_basis_points'])},
           ${TOKENS}, u.amount_micro - u.vat_micro AS net, u.vat_micro AS vat
    FROM usage_event u
    WHERE u.tenant_id = $1 AND u.created_at >= $3 AND u.created_at < $4
      AND (u.status <> 'failed' OR u.amount_micro <> 0) ${seen('u', snapshot)}
    UNION ALL
    SELECT r.created_at, r.kind, r.correction, r.rate, r.note, r.sample,
           ${keyOf(['r.kind', 'r.correction', 'r.rate', 'r.note'])}, ${taken.join(', ')},
           CASE WHEN r.type = 'refund' THEN r.vat_micro - r.amount_micro ELSE -r.posted_delta END,
           CASE WHEN r.type = 'refund' THEN -r.vat_micro ELSE 0 END
    FROM given r
    LEFT JOIN usage_event u ON u.tenant_id = $1 AND u.seq = r.sample
  ), sums AS (
    SELECT date_trunc($5, created_at, 'Europe/Moscow') AS period, key, min(kind) AS kind,
           bool_or(correction) AS correction, min(rate) AS rate, min(note) AS note,
           min(sample) AS sample, count(*) AS requests, sum(net)::bigint AS net,
           sum(vat)::bigint AS vat, ${SUMS}
    FROM charges GROUP BY period, key
  ), groups AS MATERIALIZED (
    SELECT * FROM sums
    WHERE net <> 0 OR vat <> 0 OR ${METERS.map((meter) => `${meter} <> 0`).join(' OR ')}
    ORDER BY period, key
  ), ${isOnePeriod ? keepSql(`$${given + 1}`, snapshot === undefined ? undefined : '$9') : ''}
  page AS (
    SELECT * FROM groups
    WHERE $6::timestamptz IS NULL OR (period, key) >= ($6, $7::text)
    ORDER BY period, key LIMIT $8
  )
  ${shownSql('page', 'pg_current_snapshot()::text')}`;
}

/** A day of a large customer is read at once. */
const READ_MS_MAX = 20_000;

/**
 * The groups of charges in a span, in the order of period and key: the one place that reads what
 * the export is made of. A page that begins in the middle of a period goes on from the groups that
 * are kept of it; where none are, the period is summed up.
 */
export async function readGroups(pool: Pool, question: GroupsQuestion): Promise<FoundGroups> {
  const { tenantId, accountId, span, granularity, beginning, snapshot, limit } = question;
  const kept = await readKept<GroupRow>(pool, question);
  if (kept.length > 0) return { groups: kept.map(groupOf), snapshot };
  const given = [tenantId, accountId, span.from, span.to, granularity];
  const place = [beginning?.period ?? null, beginning?.key ?? null, limit];
  const seenBy = snapshot === undefined ? [] : [snapshot];
  const name = question.isOnePeriod ? [readingName(question)] : [];
  const config = {
    text: statement(question),
    values: [...given, ...place, ...seenBy, ...name],
  };
  const { rows } = await tenantReport<GroupRow>(pool, tenantId, config, READ_MS_MAX);
  return { groups: rows.map(groupOf), snapshot: rows[0]?.snapshot };
}

type Meters<T> = Readonly<Record<(typeof METERS)[number], T>>;
type Prices = Meters<string> & { readonly effective_from: string };

/** A row of the statement; what it has of usage is null for postings of people. */
interface GroupRow extends Omit<ChargeUse, 'tokens' | 'prices'>, Meters<bigint> {
  readonly key: string;
  readonly snapshot: string;
  readonly kind: ChargeGroup['kind'];
  readonly correction: boolean;
  readonly period: Date;
  readonly rate: number | null;
  readonly note: string | null;
  readonly requests: bigint;
  readonly net: bigint;
  readonly vat: bigint;
  readonly prices: Prices | null;
}

function groupOf(row: GroupRow): PlacedGroup {
  const { key, kind, correction, period, requests, prices } = row;
  return {
    key,
    kind,
    correction,
    period,
    vatRateBasisPoints: row.rate,
    netMicro: row.net,
    vatMicro: row.vat,
    requests,
    description: row.note,
    use: prices && useOf(row, prices),
  };
}

function useOf(row: GroupRow, prices: Prices): ChargeUse {
  const { projectId, projectName, keyId, userId, operation, model, provider, route } = row;
  const { simulated, cachedAnswer, feature, environment, clientId } = row;
  return {
    ...{ projectId, projectName, keyId, userId, operation, model, provider, route },
    ...{ simulated, cachedAnswer, feature, environment, clientId },
    priceEffectiveFrom: prices.effective_from || null,
    prices: byMeter((meter) => BigInt(prices[meter])),
    tokens: byMeter((meter) => row[meter]),
  };
}

function byMeter(of: (meter: (typeof METERS)[number]) => bigint): Meters<bigint> {
  return Object.fromEntries(METERS.map((meter) => [meter, of(meter)])) as Meters<bigint>;
}
