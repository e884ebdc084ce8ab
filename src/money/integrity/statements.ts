import { REPLAYED_BATCH, REPLAYED_COLUMNS, REPLAYED_JOIN } from '../ledger/replay.js';

/** The lines of the ledger that belong to requests. */
export const REQUEST_LINES = `type IN ('hold', 'finalize', 'release')`;

/** Sums over lines of the ledger. */
export const LINE_SUMS = `count(*) FILTER (WHERE type = 'hold') AS holds,
  count(*) FILTER (WHERE type = 'finalize') AS charges,
  count(*) FILTER (WHERE type = 'release') AS releases,
  COALESCE(sum(amount_micro) FILTER (WHERE type = 'finalize'), 0) AS charged_micro`;

function usageSums(amount: string, replayed: string): string {
  return `count(*) FILTER (WHERE status <> 'failed') AS served,
    count(*) FILTER (WHERE status = 'failed') AS failed,
    COALESCE(sum(${amount}), 0) AS used_micro,
    COALESCE(sum(${replayed}) FILTER (WHERE status <> 'failed'), 0) AS replayed_micro`;
}

/** Sums over usage rows that are joined with their replay. */
export const USAGE_SUMS = usageSums('amount_micro', 'replayed');

/** Rows of usage with their replay. */
export const REPLAYED_USAGE = `usage_event ${REPLAYED_JOIN}`;

/** The tax inside a charge by the rate of its line, half up. */
const VAT_REPLAYED = `div(2 * charged_micro * charged_rate + 10000 + charged_rate,
  2 * (10000 + charged_rate))`;

/** What a charge and its usage row must say alike. */
const IS_ALIKE = `status IN ('complete', 'partial') AND charged_micro = used_micro
  AND charged_vat_micro = used_vat_micro AND charged_rate = used_rate
  AND charged_micro = replayed_micro AND charged_vat_micro = ${VAT_REPLAYED} AND price_begun`;

/**
 * The condition of a request that both traces tell alike. It says in SQL that `faultsOf` of
 * faults.rules.ts names nothing and that the request has ended, so that only others leave the
 * database.
 */
const IS_WHOLE = `holds = 1 AND charges + releases = 1 AND CASE
  WHEN charges = 1 THEN ${IS_ALIKE}
  ELSE status IS NULL OR status = 'failed' END`;

/** What a statement answers of each request; money as text, since it may be of any size. */
export const FACT_COLUMNS = `tenant_id AS "tenantId", request_id AS "requestId", holds, charges,
  releases, charged_micro::text AS "chargedMicro", charged_vat_micro::text AS "chargedVatMicro",
  charged_rate AS "chargedRate", status, used_micro::text AS "usedMicro",
  used_vat_micro::text AS "usedVatMicro", used_rate AS "usedRate",
  replayed_micro::text AS "replayedMicro", price_begun AS "priceBegun", held_at AS "heldAt",
  ended_at AS "endedAt", used_at AS "usedAt"`;

/** What the lines of one request say. */
const LINE_FACTS = `count(*) FILTER (WHERE type = 'hold')::int AS holds,
  count(*) FILTER (WHERE type = 'finalize')::int AS charges,
  count(*) FILTER (WHERE type = 'release')::int AS releases,
  sum(amount_micro) FILTER (WHERE type = 'finalize') AS charged_micro,
  sum(vat_micro) FILTER (WHERE type = 'finalize') AS charged_vat_micro,
  max(vat_rate_basis_points) FILTER (WHERE type = 'finalize') AS charged_rate,
  min(created_at) FILTER (WHERE type = 'hold') AS held_at,
  min(created_at) FILTER (WHERE type <> 'hold') AS ended_at`;

/** What the usage row of a request says, with its replay. */
const USAGE_FACTS = `status, amount_micro AS used_micro, vat_micro AS used_vat_micro,
  vat_rate_basis_points AS used_rate, replayed AS replayed_micro,
  (prices ->> 'effective_from') COLLATE "C"
    <= (created_at AT TIME ZONE 'Europe/Moscow')::date::text AS price_begun,
  created_at AS used_at`;

/**
 * What both traces say of some requests, as `facts`. `touched` answers tenant_id, request_id and
 * accounts, the accounts that lines may stand in beside that of the tenant. OFFSET 0 keeps usage
 * from being joined as a whole, of which every row would be replayed.
 */
function factsOf(touched: string): string {
  return `touched AS MATERIALIZED (${touched}),
  facts AS (
    SELECT t.tenant_id, t.request_id, l.*, u.*
    FROM touched t
    LEFT JOIN LATERAL (
      SELECT id FROM account WHERE tenant_id = t.tenant_id OFFSET 0
    ) a ON TRUE
    CROSS JOIN LATERAL (
      SELECT ${LINE_FACTS} FROM ledger_entry
      WHERE account_id = ANY (t.accounts || a.id) AND request_id = t.request_id
        AND ${REQUEST_LINES} AND tenant_id = t.tenant_id
    ) l
    LEFT JOIN LATERAL (
      SELECT ${USAGE_FACTS} FROM usage_event ${REPLAYED_JOIN}
      WHERE tenant_id = t.tenant_id AND id = t.request_id
      OFFSET 0
    ) u ON TRUE
  )`;
}

/** Reads the facts of those touched requests that are not whole. */
export function unwholeSql(touched: string): string {
  return `WITH ${factsOf(touched)} ${UNWHOLE}`;
}

/** Reads the facts of touched requests, whole or not. */
export function factsSql(touched: string): string {
  return `WITH ${factsOf(touched)} SELECT ${FACT_COLUMNS} FROM facts`;
}

const UNWHOLE = `SELECT ${FACT_COLUMNS} FROM facts WHERE (${IS_WHOLE}) IS NOT TRUE`;

/** The rows of a batch, by the positions in $1 to $4, and of the transactions that it touches. */
const IN_BATCH = '(txid, seq) > ($1, $2) AND (txid, seq) <= ($3, $4)';
const IN_ITS_TRANSACTIONS = 'txid >= $1 AND txid <= $3';

/** What is judged anew is forgotten first; no row can undo that a request was ended twice. */
const FORGET = `DELETE FROM integrity_finding f USING touched t
  WHERE f.tenant_id = t.tenant_id AND f.request_id = t.request_id
    AND NOT 'double' = ANY (f.faults)`;

const HOURS_OF_LINES = `
  INSERT INTO integrity_hour AS h (tenant_id, hour, holds, charges, releases, charged_micro,
    version_min, version_max)
  SELECT tenant_id, hour, sum(holds), sum(charges), sum(releases), sum(charged_micro),
    min(version_min) FILTER (WHERE is_own), max(version_max) FILTER (WHERE is_own)
  FROM by_account GROUP BY tenant_id, hour
  ON CONFLICT (tenant_id, hour) DO UPDATE SET holds = h.holds + EXCLUDED.holds,
    charges = h.charges + EXCLUDED.charges, releases = h.releases + EXCLUDED.releases,
    charged_micro = h.charged_micro + EXCLUDED.charged_micro,
    version_min = LEAST(h.version_min, EXCLUDED.version_min),
    version_max = GREATEST(h.version_max, EXCLUDED.version_max)`;

/**
 * Proves a batch of lines: adds it to its hours, forgets and judges what it touches. Sound by
 * itself is a request whose hold and one end stand in the batch, both in the account of its tenant,
 * where each kind of line is unique: a charge beside a usage row of its transaction, a release
 * beside none that was served. What the rows of such a pair say is compared by PROVE_USAGE, which
 * sees both, whenever it comes to them. All else is judged by everything that there is of it, and
 * so is whatever has a finding.
 *
 * The planner takes a batch behind what it last counted for one row, and would compare each row of
 * one trace with each of the other. A full join is never made that way; what it adds is passed over
 * by a CASE, through which the planner does not see.
 */
export const PROVE_LINES = `
  WITH line AS MATERIALIZED (
    SELECT tenant_id, request_id, account_id, account_version, type, amount_micro, txid, created_at
    FROM ledger_entry WHERE ${REQUEST_LINES} AND ${IN_BATCH}
  ), by_account AS MATERIALIZED (
    SELECT k.*, a.id IS NOT DISTINCT FROM account_id AS is_own
    FROM (
      SELECT tenant_id, account_id, date_trunc('hour', created_at) AS hour, ${LINE_SUMS},
        min(account_version) AS version_min, max(account_version) AS version_max
      FROM line GROUP BY 1, 2, 3
    ) k LEFT JOIN LATERAL (
      SELECT id FROM account WHERE tenant_id = k.tenant_id OFFSET 0
    ) a ON TRUE
  ), hours AS (${HOURS_OF_LINES}),
  strange AS MATERIALIZED (SELECT tenant_id, account_id FROM by_account WHERE NOT is_own),
  suspect AS MATERIALIZED (
    SELECT l.tenant_id, l.request_id, l.accounts
    FROM (
      SELECT tenant_id, request_id, count(*) AS lines,
        count(*) FILTER (WHERE type = 'hold') AS holds, bool_or(type = 'finalize') AS is_charged,
        max(txid) FILTER (WHERE type <> 'hold') AS ended_in,
        array_agg(account_id) FILTER (
          WHERE (tenant_id, account_id) IN (SELECT * FROM strange)) AS accounts
      FROM line GROUP BY 1, 2
    ) l FULL JOIN (
      SELECT tenant_id, id, txid, status FROM usage_event WHERE ${IN_ITS_TRANSACTIONS}
    ) u ON u.txid = l.ended_in AND u.id = l.request_id AND u.tenant_id = l.tenant_id
    WHERE CASE
      WHEN l.request_id IS NULL THEN FALSE
      WHEN lines = 2 AND holds = 1 AND accounts IS NULL AND CASE
        WHEN is_charged THEN status IN ('complete', 'partial')
        ELSE status IS NULL OR status = 'failed' END
      THEN EXISTS (SELECT FROM integrity_finding f
        WHERE f.tenant_id = l.tenant_id AND f.request_id = l.request_id)
      ELSE TRUE END
  ),
  ${factsOf(`SELECT tenant_id, request_id, COALESCE(accounts, '{}') AS accounts FROM suspect`)},
  forgotten AS (${FORGET})
  ${UNWHOLE}`;

const HOURS_OF_USAGE = `
  INSERT INTO integrity_hour AS h (tenant_id, hour, served, failed, used_micro, replayed_micro,
    seq_min, seq_max)
  SELECT tenant_id, date_trunc('hour', used_at), ${usageSums('used_micro', 'replayed_micro')},
    min(seq), max(seq)
  FROM used GROUP BY 1, 2
  ON CONFLICT (tenant_id, hour) DO UPDATE SET served = h.served + EXCLUDED.served,
    failed = h.failed + EXCLUDED.failed, used_micro = h.used_micro + EXCLUDED.used_micro,
    replayed_micro = h.replayed_micro + EXCLUDED.replayed_micro,
    seq_min = LEAST(h.seq_min, EXCLUDED.seq_min), seq_max = GREATEST(h.seq_max, EXCLUDED.seq_max)`;

/**
 * Proves a batch of usage rows, as PROVE_LINES does lines. Sound by itself is a row that its
 * transaction has written beside the end that it explains: whoever reads that line sees this row.
 */
export const PROVE_USAGE = `
  WITH batch AS MATERIALIZED (
    SELECT tenant_id, id, account_id, seq, txid, status, amount_micro, vat_micro,
      vat_rate_basis_points, created_at, ${REPLAYED_COLUMNS}
    FROM usage_event WHERE ${IN_BATCH}
  ), used AS MATERIALIZED (
    SELECT tenant_id, id, account_id, seq, txid, ${USAGE_FACTS} FROM ${REPLAYED_BATCH}
  ), hours AS (${HOURS_OF_USAGE}),
  ${factsOf(`SELECT DISTINCT u.tenant_id, u.id AS request_id, ARRAY[u.account_id] AS accounts
    FROM used u FULL JOIN (
      SELECT tenant_id, request_id, txid, type, amount_micro AS charged_micro,
        vat_micro AS charged_vat_micro, vat_rate_basis_points AS charged_rate
      FROM ledger_entry WHERE type IN ('finalize', 'release') AND ${IN_ITS_TRANSACTIONS}
    ) l ON l.txid = u.txid AND l.request_id = u.id AND l.tenant_id = u.tenant_id
    WHERE CASE WHEN u.id IS NULL THEN FALSE ELSE (CASE type WHEN 'finalize' THEN ${IS_ALIKE}
      WHEN 'release' THEN status = 'failed' END) IS NOT TRUE END`)},
  forgotten AS (${FORGET})
  ${UNWHOLE}`;

/** The requests that lines of the ledger touch. */
export function touchedByLines(condition: string): string {
  return `SELECT tenant_id, request_id, array_agg(account_id) AS accounts FROM ledger_entry
    WHERE ${REQUEST_LINES} AND ${condition} GROUP BY tenant_id, request_id`;
}

/** The requests that usage rows touch. */
export function touchedByUsage(condition: string): string {
  return `SELECT tenant_id, id AS request_id, ARRAY[account_id] AS accounts FROM usage_event
    WHERE ${condition}`;
}

/**
 * Those requests whose given lines and usage rows are not whole by themselves, as what is touched:
 * each is then judged by all that there is of it.
 */
export function suspectSql(lines: string, usage: string): string {
  return `SELECT tenant_id, request_id, accounts FROM (
    SELECT COALESCE(l.tenant_id, u.tenant_id) AS tenant_id,
      COALESCE(l.request_id, u.request_id) AS request_id, COALESCE(l.accounts, '{}') AS accounts,
      COALESCE(l.holds, 0) AS holds, COALESCE(l.charges, 0) AS charges,
      COALESCE(l.releases, 0) AS releases, l.charged_micro, l.charged_vat_micro, l.charged_rate,
      u.status, u.used_micro, u.used_vat_micro, u.used_rate, u.replayed_micro, u.price_begun
    FROM (
      SELECT tenant_id, request_id, array_agg(account_id) AS accounts, ${LINE_FACTS}
      FROM (${lines}) line GROUP BY tenant_id, request_id
    ) l
    FULL JOIN (SELECT tenant_id, id AS request_id, ${USAGE_FACTS} FROM (${usage}) used) u
      ON u.request_id = l.request_id
  ) compared WHERE (${IS_WHOLE}) IS NOT TRUE`;
}
