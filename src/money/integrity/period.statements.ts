import type { CodeOf } from '../../kernel/vocabulary.js';
import { ENTRY_LEAF, leafHashSql } from '../ledger/entry-leaf.js';
import { LEAF_ORDER, PERIOD_LEAVES, USAGE_LEAF } from './leaves.js';
import { REQUEST_LINES } from './statements.js';
import type { INTEGRITY_FAULTS } from './vocabulary.js';
import { USAGE_HASH, WITNESS_MARK } from './witness.js';

const OWN = '(SELECT id FROM account WHERE tenant_id = $1)';
const IN_SLICE = (row: string) => `${row}.created_at >= $2 AND ${row}.created_at < $3`;

/** How many rows a slice has, at most $4 of each table. */
export const COUNT_ROWS = `
  SELECT (
    SELECT count(*) FROM (SELECT FROM ledger_entry e WHERE e.tenant_id = $1 AND ${IN_SLICE('e')}
      LIMIT $4) l
  )::int AS lines, (
    SELECT count(*) FROM (SELECT FROM usage_event u WHERE u.tenant_id = $1 AND ${IN_SLICE('u')}
      LIMIT $4) r
  )::int AS used`;

/** About how many rows a period has, by the proof of its hours. */
export const ESTIMATE_ROWS = `
  SELECT COALESCE(sum(holds + charges + releases + served + failed), 0)::bigint AS rows
  FROM integrity_hour WHERE tenant_id = $1 AND hour >= $2::timestamptz - interval '1 hour'
    AND hour < $3`;

/** The hashes of the leaves of a slice, side by side. */
export const LEAF_HASHES = `
  SELECT string_agg(${leafHashSql('leaf')}, ''::bytea ORDER BY ${LEAF_ORDER}) AS hashes,
    count(*)::int AS leaves
  FROM (${PERIOD_LEAVES}) leaf`;

/** Every line of the account or the organization with its hold row. */
const LINES = `
  SELECT e.*, e.account_id IS NOT DISTINCT FROM ${OWN} AS is_own,
    h.account_id IS NOT NULL AS has_hold, h.tenant_id AS h_tenant, h.amount_micro AS h_amount,
    h.state AS h_state, h.charged_micro AS h_charged, h.refunded_micro AS h_refunded,
    h.created_at AS h_at
  FROM ledger_entry e LEFT JOIN LATERAL (
    SELECT * FROM hold h WHERE h.account_id = e.account_id
      AND h.request_id = COALESCE(e.charged_request_id, e.request_id)
    OFFSET 0
  ) h ON TRUE
  WHERE (e.account_id = ${OWN} OR e.tenant_id = $1) AND ${IN_SLICE('e')}`;

/** Every usage row of either with the end of its request, and whether its hash was taken. */
const USED = `
  SELECT u.id, u.tenant_id, u.account_id, u.status, u.cost_micro, u.amount_micro, u.vat_micro,
    u.vat_rate_basis_points, u.created_at, u.tenant_id = $1 AS is_own, ${USAGE_HASH} AS hash,
    (u.txid, u.seq) <= (SELECT txid, seq FROM reader_mark WHERE name = '${WITNESS_MARK}')
      AS is_read,
    l.ended_at, l.uncollected_micro, l.h_at
  FROM usage_event u LEFT JOIN LATERAL (
    SELECT e.created_at AS ended_at, h.uncollected_micro, h.created_at AS h_at
    FROM ledger_entry e LEFT JOIN hold h
      ON h.account_id = e.account_id AND h.request_id = e.request_id
    WHERE e.account_id = u.account_id AND e.request_id = u.id AND e.type IN ('finalize', 'release')
    ORDER BY e.type LIMIT 1
  ) l ON TRUE
  WHERE (u.tenant_id = $1 OR u.account_id = ${OWN}) AND ${IN_SLICE('u')}`;

const WITNESSES = `
  SELECT r.id, substr(w.hashes, (r.n::int - 1) * 32 + 1, 32) AS hash
  FROM integrity_witness w
  CROSS JOIN LATERAL unnest(w.request_ids, w.used_at) WITH ORDINALITY AS r (id, at, n)
  WHERE w.tenant_id = $1 AND w.until_at >= $2 AND w.until_at < $3::timestamptz + interval '1 hour'
    AND w.from_at < $3 AND r.at >= $2 AND r.at < $3`;

/** The tax inside an amount by the rate of the line, half up. */
const vatInside = (amount: string) => `div(2 * (${amount})::numeric * vat_rate_basis_points + 10000
  + vat_rate_basis_points, 2 * (10000 + vat_rate_basis_points))`;

const EARLIER_REFUNDS = `(SELECT COALESCE(sum(r.amount_micro), 0) FROM ledger_entry r
  WHERE r.account_id = line.account_id AND r.charged_request_id = line.charged_request_id
    AND r.account_version < line.account_version)`;

/**
 * Whether a line bears the tax that it must. What supplies nothing has no rate; older credits and
 * adjustments have one. Refunds of a charge bear the tax of their sum, each what it adds.
 */
const TAX_AGREES = `CASE
  WHEN type IN ('hold', 'release', 'balance_return')
    OR (type IN ('credit', 'adjustment') AND vat_rate_basis_points IS NULL)
    THEN vat_micro = 0 AND vat_rate_basis_points IS NULL
  WHEN type = 'refund' AND charged_request_id IS NOT NULL
    THEN vat_micro = ${vatInside(`${EARLIER_REFUNDS} + amount_micro`)}
      - ${vatInside(EARLIER_REFUNDS)}
  ELSE vat_micro = ${vatInside('amount_micro')} END`;

/** What a line must be by its type; the rest of it is held against the hold row. */
const LINE_AGREES = `amount_micro >= 0
  AND account_version BETWEEN 1 AND (SELECT version FROM account WHERE tenant_id = $1)
  AND CASE
    WHEN type = 'hold' THEN contra = 'held' AND posted_delta = 0 AND held_delta = amount_micro
    WHEN type = 'release' THEN contra = 'held' AND posted_delta = 0 AND held_delta = -amount_micro
    WHEN type = 'finalize' THEN contra = 'revenue' AND posted_delta = -amount_micro
      AND held_delta <= 0
    WHEN type = 'balance_return' THEN contra = 'cash_in' AND posted_delta = -amount_micro
      AND held_delta = 0
    ELSE held_delta = 0 AND (posted_delta = amount_micro
        OR (type = 'adjustment' AND posted_delta = -amount_micro))
      AND contra = CASE type WHEN 'top_up' THEN 'cash_in' WHEN 'refund' THEN 'refunds'
        WHEN 'credit' THEN 'credits' WHEN 'adjustment' THEN 'adjustments' END END
  AND ${TAX_AGREES}
  AND (type = 'refund' OR charged_request_id IS NULL)
  AND (type NOT IN ('hold', 'finalize', 'release') OR (description IS NULL AND actor_id IS NULL))`;

const REFUNDS = `(SELECT COALESCE(sum(r.amount_micro), 0) FROM ledger_entry r
  WHERE r.account_id = line.account_id
    AND r.charged_request_id = COALESCE(line.charged_request_id, line.request_id))`;

/** What the hold row of a line must say. */
const HOLD_AGREES = `has_hold AND CASE type
  WHEN 'hold' THEN h_amount = amount_micro AND h_at = created_at
    AND (h_state = 'open' OR EXISTS (SELECT FROM ledger_entry n
      WHERE n.account_id = line.account_id AND n.request_id = line.request_id
        AND n.type IN ('finalize', 'release')))
  WHEN 'finalize' THEN h_charged = amount_micro AND held_delta = -h_amount
    AND h_amount >= amount_micro AND h_state IN ('finalized', 'delivered', 'refunded')
    AND (h_state <> 'refunded' OR h_refunded = h_charged) AND h_refunded = ${REFUNDS}
  WHEN 'release' THEN h_amount = amount_micro AND h_state = 'released' AND h_charged IS NULL
    AND h_refunded = 0
  ELSE h_refunded = ${REFUNDS} END`;

/**
 * Whether a rate was in force when a request was supplied: on a day between its hold and its end.
 * A charge that waited for the database bears the rate of its own day.
 */
const rateInForce = (since: string) => `EXISTS (
  SELECT FROM vat_rate v WHERE v.basis_points = vat_rate_basis_points
    AND v.effective_from <= (created_at AT TIME ZONE 'Europe/Moscow')::date
    AND v.effective_from >= (SELECT max(effective_from) FROM vat_rate
      WHERE effective_from <= (${since} AT TIME ZONE 'Europe/Moscow')::date - 1))`;

type RowFault = Extract<
  CodeOf<typeof INTEGRITY_FAULTS>,
  | 'row_changed'
  | 'foreign_row'
  | 'line_differs'
  | 'hold_differs'
  | 'rate_not_in_force'
  | 'usage_differs'
>;

/** The requests of a slice with each fault, over `line` and `used`. */
const FAULTY: Readonly<Record<RowFault, string>> = {
  // Those that were removed or added are told by the same comparison, with a code of their own.
  row_changed: `
    SELECT COALESCE(id, w_id), CASE
      WHEN id IS NOT NULL AND w_id IS NOT NULL THEN 'row_changed'
      WHEN w_id IS NULL THEN 'row_added'
      WHEN EXISTS (SELECT FROM usage_event x WHERE x.tenant_id = $1 AND x.id = w_id)
        THEN 'row_changed'
      ELSE 'row_removed' END
    FROM matched
    WHERE CASE WHEN w_id IS NULL THEN is_read WHEN id IS NULL THEN TRUE ELSE hash <> w_hash END`,
  foreign_row: `
    SELECT request_id, 'foreign_row' FROM line
    WHERE NOT is_own OR tenant_id <> $1 OR h_tenant <> $1
    UNION ALL SELECT id, 'foreign_row' FROM used
    WHERE NOT is_own OR account_id IS DISTINCT FROM ${OWN}`,
  line_differs: `
    SELECT request_id, 'line_differs' FROM line WHERE is_own AND (${LINE_AGREES}) IS NOT TRUE`,
  hold_differs: `
    SELECT COALESCE(charged_request_id, request_id), 'hold_differs' FROM line
    WHERE is_own AND (${REQUEST_LINES} OR charged_request_id IS NOT NULL)
      AND (${HOLD_AGREES}) IS NOT TRUE`,
  rate_not_in_force: `
    SELECT request_id, 'rate_not_in_force' FROM line
    WHERE is_own AND type = 'finalize' AND NOT ${rateInForce('COALESCE(h_at, created_at)')}
    UNION ALL SELECT id, 'rate_not_in_force' FROM used
    WHERE is_own AND NOT ${rateInForce('COALESCE(h_at, created_at)')}`,
  usage_differs: `
    SELECT id, 'usage_differs' FROM used
    WHERE is_own AND (created_at <> ended_at OR CASE WHEN status = 'failed'
      THEN cost_micro <> 0 OR amount_micro <> 0 OR vat_micro <> 0
      ELSE cost_micro <> amount_micro + uncollected_micro END)`,
};

/**
 * What is wrong with the rows of a slice, by request, and how many usage rows were held against
 * their witness. Rows that name the account or the organization are both read, wherever they have
 * been moved to. The planner takes what it has not counted for one row, and would compare each row
 * with each; a full join is never made that way.
 */
export const ROW_FAULTS = `
  WITH line AS MATERIALIZED (${LINES}),
  used AS MATERIALIZED (${USED}),
  matched AS MATERIALIZED (
    SELECT u.id, u.hash, u.is_read, w.id AS w_id, w.hash AS w_hash
    FROM (SELECT * FROM used WHERE is_own) u FULL JOIN (${WITNESSES}) w ON w.id = u.id
  ),
  found (request_id, fault) AS (${Object.values(FAULTY).join(' UNION ALL ')})
  SELECT (
      SELECT COALESCE(jsonb_object_agg(request_id, faults), '{}') FROM (
        SELECT request_id, jsonb_agg(DISTINCT fault) AS faults FROM found
        WHERE request_id IS NOT NULL GROUP BY request_id
      ) f
    ) AS faults,
    (SELECT count(DISTINCT id) FROM matched WHERE w_id IS NOT NULL)::int AS witnessed,
    (SELECT min(account_version)::text FROM line WHERE is_own) AS "versionMin",
    (SELECT max(account_version)::text FROM line WHERE is_own) AS "versionMax"`;

/** Hold rows of a period whose hold line is gone: ids from $4 to $5, $6 of them at once. */
export const LOOSE_HOLDS = `
  WITH held AS MATERIALIZED (
    SELECT * FROM hold h WHERE h.account_id = ${OWN} AND h.request_id > $4 AND h.request_id < $5
    ORDER BY h.request_id LIMIT $6
  )
  SELECT (SELECT max(request_id::text) FROM held) AS last, (SELECT count(*)::int FROM held) AS rows,
    ARRAY(
      SELECT request_id::text FROM held h WHERE ${IN_SLICE('h')} AND NOT EXISTS (
        SELECT FROM ledger_entry e WHERE e.account_id = h.account_id
          AND e.request_id = h.request_id AND e.type = 'hold')
    ) AS loose`;

/** The numbers of the lines beside those of a period: what was removed at its edges is between. */
export const VERSION_EDGES = `
  SELECT COALESCE((SELECT max(account_version) FROM ledger_entry
      WHERE account_id = ${OWN} AND account_version < $2), 0)::text AS "below",
    (SELECT min(account_version) FROM ledger_entry
      WHERE account_id = ${OWN} AND account_version > $3)::text AS "above",
    (SELECT version FROM account WHERE tenant_id = $1)::text AS last`;

/**
 * Lines of the account whose numbers are from $4 up to and without $5, each with the line before it
 * and its leaf in the log: which of a period's do not follow or were changed, which are gone, and
 * how many were held against their leaf.
 */
export const CHAINED_LINES = `
  WITH line AS MATERIALIZED (
    SELECT e.account_version, e.request_id, e.created_at, e.posted_after, e.held_after,
      e.posted_delta, e.held_delta, ${leafHashSql(ENTRY_LEAF)} AS hash
    FROM ledger_entry e
    WHERE e.account_id = ${OWN} AND e.account_version >= $4 - 1 AND e.account_version < $5
  ), leaf AS MATERIALIZED (
    SELECT k.key, substr(t.hashes, (k.n::int - 1) * 32 + 1, 32) AS hash
    FROM log_tile t CROSS JOIN LATERAL unnest(t.keys) WITH ORDINALITY AS k (key, n)
    WHERE t.tenant_id = $1 AND t.level = 0 AND t.entries >= $4 - 1
      AND t.index <= COALESCE((SELECT min(l.index) FROM log_tile l WHERE l.tenant_id = $1
        AND l.level = 0 AND l.entries >= $5), 9223372036854775807)
      AND k.key >= $4 - 1 AND k.key < $5 AND k.key > 0
  ), told AS MATERIALIZED (
    SELECT *, key IS NOT NULL AS is_logged, leaf_hash <> hash AS is_changed,
      lag(account_version) OVER own IS DISTINCT FROM account_version - 1 AS is_first,
      posted_after <> COALESCE(lag(posted_after) OVER own, 0) + posted_delta
        OR held_after <> COALESCE(lag(held_after) OVER own, 0) + held_delta AS is_off,
      lag(leaf_hash <> hash) OVER own AS follows_changed
    FROM (
      SELECT l.*, f.key, f.hash AS leaf_hash
      FROM line l FULL JOIN leaf f ON f.key = l.account_version
    ) matched WHERE CASE WHEN account_version IS NULL THEN FALSE ELSE TRUE END
    WINDOW own AS (ORDER BY account_version)
  ), period AS MATERIALIZED (
    SELECT * FROM told WHERE account_version >= $4 AND ${IN_SLICE('told')}
  ), found (request_id, fault) AS (
    SELECT request_id, 'row_changed' FROM period WHERE is_changed
    UNION ALL
    SELECT request_id, 'balance_differs' FROM period
    WHERE is_off AND (NOT is_first OR account_version = 1) AND follows_changed IS NOT TRUE
    UNION ALL
    SELECT request_id, 'line_added' FROM period
    WHERE NOT is_logged AND account_version <= (SELECT entries FROM log_tree WHERE tenant_id = $1)
  )
  SELECT (
      SELECT COALESCE(jsonb_object_agg(request_id, faults), '{}') FROM (
        SELECT request_id, jsonb_agg(DISTINCT replace(fault, 'line_added', 'row_added')) AS faults
        FROM found GROUP BY request_id
      ) f
    ) AS faults,
    (SELECT count(*) FROM period WHERE is_logged)::int AS logged,
    ARRAY(
      SELECT n::text FROM generate_series($4::bigint, $5::bigint - 1) AS n
      FULL JOIN line ON account_version = n
      WHERE CASE WHEN account_version IS NULL THEN TRUE ELSE FALSE END ORDER BY n
    ) AS missing`;

/**
 * Rows from outside of a period of $4 to $5 that requests of a slice have: those that were held
 * before it, or that ended after it; and earlier refunds of a charge that was refunded in it, since
 * the tax of a refund follows from them. Each is a line of the export around its leaf.
 */
export const BESIDE_LEAVES = `
  WITH touched AS MATERIALIZED (
    SELECT e.account_id, e.request_id FROM ledger_entry e
    WHERE e.tenant_id = $1 AND ${IN_SLICE('e')} AND ${REQUEST_LINES}
    GROUP BY 1, 2 HAVING count(*) <> 2
  )
  SELECT '{"kind":"beside","leaf":' || ${ENTRY_LEAF} || '}' AS line
  FROM touched t JOIN ledger_entry e ON e.account_id = t.account_id
    AND e.request_id = t.request_id AND ${REQUEST_LINES}
  WHERE e.created_at < $4 OR e.created_at >= $5
  UNION ALL
  SELECT '{"kind":"beside","leaf":' || ${USAGE_LEAF} || '}'
  FROM touched t JOIN usage_event u ON u.tenant_id = $1 AND u.id = t.request_id
  WHERE u.created_at < $4 OR u.created_at >= $5
  UNION ALL
  SELECT '{"kind":"beside","leaf":' || ${ENTRY_LEAF} || '}'
  FROM (
    SELECT DISTINCT account_id, charged_request_id FROM ledger_entry r
    WHERE r.tenant_id = $1 AND ${IN_SLICE('r')} AND r.type = 'refund'
      AND r.charged_request_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM ledger_entry x WHERE x.account_id = r.account_id
          AND x.charged_request_id = r.charged_request_id
          AND x.created_at >= $4 AND x.created_at < $2)
  ) first JOIN ledger_entry e ON e.account_id = first.account_id
    AND e.charged_request_id = first.charged_request_id
  WHERE e.created_at < $4 OR e.created_at >= $5`;

/** The hashes of usage rows of a slice from when they were new, as lines of the export. */
export const WITNESS_LINES = `
  WITH witness AS (${WITNESSES})
  SELECT '{"kind":"witness","request_id":"' || id || '","sha256":"' || encode(hash, 'hex') || '"}'
    AS line
  FROM witness ORDER BY id`;
