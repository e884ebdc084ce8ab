import type { ClientBase, Pool, QueryConfig } from 'pg';

/** What must hold of the books at every moment, by the numbers of the design. */
export type InvariantName =
  | 'I1_posted_is_sum'
  | 'I2_held_is_sum_and_open_holds'
  | 'I3_no_overdraft'
  | 'I4_versions_without_gap'
  | 'I5_entries_chain'
  | 'I6_each_operation_once'
  | 'I7_trial_balance_zero'
  | 'I8_charges_are_usage'
  | 'I9_charge_within_hold'
  | 'I10_entries_and_holds_agree'
  | 'I11_quiet_holds_nothing'
  | 'I12_budget_counters_are_sums'
  | 'I12_budget_caps_are_kept'
  | 'I15_operations_have_receipts'
  | 'I16_refunds_within_charges';

/** Asked only of quiet books, and only by the monitor and the full check. */
type Elsewhere = 'I11_quiet_holds_nothing' | 'I15_operations_have_receipts';

/** One place where the books are wrong. */
export interface Violation {
  readonly invariant: InvariantName;
  /** What it is about: an account, a request or a budget. */
  readonly subject: string;
  readonly detail: string;
}

/** Requests with lesser ids are of months whose usage was dropped, in sums that were kept of it. */
const DROPPED_BEFORE = `(SELECT month_start_id(max(until_month)) FROM month_partition
  WHERE of_table = 'usage_event' AND dropped_at IS NOT NULL)`;

/** Each query answers (subject, detail) for every violation, and nothing when all is right. */
const QUERIES: Readonly<Record<Exclude<InvariantName, Elsewhere>, string>> = {
  I1_posted_is_sum: `
    SELECT a.id::text AS subject, a.posted_micro || ' <> ' || e.total AS detail
    FROM account a CROSS JOIN LATERAL (
      SELECT COALESCE(sum(posted_delta), 0) AS total FROM ledger_entry WHERE account_id = a.id
    ) e WHERE a.posted_micro <> e.total`,
  I2_held_is_sum_and_open_holds: `
    SELECT a.id::text AS subject,
           a.held_micro || ' <> entries ' || e.total || ' or open holds ' || h.total AS detail
    FROM account a
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(held_delta), 0) AS total FROM ledger_entry WHERE account_id = a.id
    ) e
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(amount_micro), 0) AS total FROM hold
      WHERE account_id = a.id AND state = 'open'
    ) h WHERE a.held_micro <> e.total OR a.held_micro <> h.total`,
  I3_no_overdraft: `
    SELECT id::text AS subject, (posted_micro - held_micro)::text AS detail FROM account
    WHERE held_micro < 0 OR posted_micro - held_micro < -credit_limit_micro
    UNION ALL
    SELECT request_id::text, (posted_after - held_after)::text FROM ledger_entry e
    JOIN account a ON a.id = e.account_id
    WHERE e.held_after < 0 OR e.posted_after - e.held_after < -a.credit_limit_micro`,
  I4_versions_without_gap: `
    SELECT a.id::text AS subject, a.version || ' with ' || e.lines || ' to ' || e.last AS detail
    FROM account a CROSS JOIN LATERAL (
      SELECT count(*) AS lines, COALESCE(max(account_version), 0) AS last
      FROM ledger_entry WHERE account_id = a.id
    ) e WHERE a.version <> e.lines OR a.version <> e.last`,
  I5_entries_chain: `
    SELECT request_id::text AS subject, 'line ' || account_version AS detail FROM (
      SELECT *, lag(posted_after, 1, 0::bigint) OVER w AS posted_before,
             lag(held_after, 1, 0::bigint) OVER w AS held_before
      FROM ledger_entry WINDOW w AS (PARTITION BY account_id ORDER BY account_version)
    ) e WHERE posted_after <> posted_before + posted_delta
           OR held_after <> held_before + held_delta`,
  I6_each_operation_once: `
    SELECT request_id::text AS subject, string_agg(type, ', ') AS detail
    FROM ledger_entry WHERE type IN ('hold', 'finalize', 'release')
    GROUP BY account_id, request_id
    HAVING count(*) FILTER (WHERE type = 'hold') <> 1
        OR count(*) FILTER (WHERE type IN ('finalize', 'release')) > 1
    UNION ALL
    SELECT request_id::text, type FROM ledger_entry
    GROUP BY account_id, request_id, type HAVING count(*) > 1`,
  I7_trial_balance_zero: `
    SELECT request_id::text AS subject, type || ' off by ' || sum(amount_micro) AS detail
    FROM ledger_posting GROUP BY account_id, account_version, request_id, type
    HAVING sum(amount_micro) <> 0`,
  I8_charges_are_usage: `
    SELECT COALESCE(e.request_id, u.id)::text AS subject,
           COALESCE(e.amount_micro::text, 'none') || ' charged, '
           || COALESCE(u.amount_micro::text, 'none') || ' used' AS detail
    FROM (SELECT * FROM ledger_entry WHERE type = 'finalize') e
    FULL JOIN (SELECT * FROM usage_event WHERE status <> 'failed') u
      ON u.account_id = e.account_id AND u.id = e.request_id
    WHERE (e.amount_micro IS DISTINCT FROM u.amount_micro
        OR e.vat_micro IS DISTINCT FROM u.vat_micro)
      AND (u.id IS NULL AND e.request_id < ${DROPPED_BEFORE}) IS NOT TRUE
    UNION ALL
    SELECT COALESCE(l.tenant_id, d.tenant_id)::text,
           COALESCE(l.amount, 0) || ' charged in ' || COALESCE(l.charges, 0)
           || ' lines of dropped usage, ' || COALESCE(d.amount, 0) || ' used in '
           || COALESCE(d.charges, 0)
    FROM (
      SELECT tenant_id, count(*) AS charges, sum(amount_micro) AS amount, sum(vat_micro) AS vat
      FROM ledger_entry e WHERE type = 'finalize' AND request_id < ${DROPPED_BEFORE}
        AND NOT EXISTS (
          SELECT FROM usage_event u WHERE u.tenant_id = e.tenant_id AND u.id = e.request_id)
      GROUP BY tenant_id
    ) l FULL JOIN (
      SELECT tenant_id, sum(charges) AS charges, sum(amount_micro) AS amount,
             sum(vat_micro) AS vat
      FROM dropped_rows WHERE of_table = 'usage_event' GROUP BY tenant_id HAVING sum(charges) > 0
    ) d ON d.tenant_id = l.tenant_id
    WHERE (l.charges, l.amount, l.vat) IS DISTINCT FROM (d.charges, d.amount, d.vat)`,
  I9_charge_within_hold: `
    SELECT h.request_id::text AS subject,
           COALESCE(h.charged_micro::text, 'none') || ' charged, ' || h.amount_micro || ' held'
             AS detail
    FROM hold h LEFT JOIN ledger_overrun o
      ON o.account_id = h.account_id AND o.request_id = h.request_id
    WHERE h.charged_micro > h.amount_micro
       OR (o.request_id IS NULL AND h.uncollected_micro > 0)
       OR (o.request_id IS NOT NULL AND
           ((o.charged_micro, o.held_micro) IS DISTINCT FROM (h.charged_micro, h.amount_micro)
            OR o.cost_micro < h.charged_micro + h.uncollected_micro))`,
  I10_entries_and_holds_agree: `
    SELECT COALESCE(h.request_id, e.request_id)::text AS subject,
           COALESCE(h.state, 'no hold') || ', lines ' || COALESCE(e.types, 'none') AS detail
    FROM hold h FULL JOIN (
      SELECT account_id, request_id, string_agg(type, ', ') AS types,
             sum(held_delta) AS held,
             -sum(posted_delta) FILTER (WHERE type = 'finalize') AS charged,
             bool_or(type = 'release') AS released
      FROM ledger_entry WHERE type IN ('hold', 'finalize', 'release')
      GROUP BY account_id, request_id
    ) e ON e.account_id = h.account_id AND e.request_id = h.request_id
    WHERE h.request_id IS NULL OR e.request_id IS NULL
       OR e.held <> CASE h.state WHEN 'open' THEN h.amount_micro ELSE 0 END
       OR e.charged IS DISTINCT FROM h.charged_micro OR e.released <> (h.state = 'released')
    UNION ALL
    SELECT COALESCE(h.request_id, r.charged_request_id)::text,
           COALESCE(h.refunded_micro::text, 'no hold') || ' refunded, lines say '
           || COALESCE(r.total, 0)
    FROM hold h FULL JOIN (
      SELECT account_id, charged_request_id, sum(amount_micro) AS total FROM ledger_entry
      WHERE charged_request_id IS NOT NULL GROUP BY 1, 2
    ) r ON r.account_id = h.account_id AND r.charged_request_id = h.request_id
    WHERE COALESCE(h.refunded_micro, 0) <> COALESCE(r.total, 0)`,
  I12_budget_counters_are_sums: `
    SELECT COALESCE(c.budget_id, s.budget_id)::text AS subject,
           'spent ' || COALESCE(c.spent_micro, 0) || ' <> ' || COALESCE(s.spent, 0)
           || ' or held ' || COALESCE(c.held_micro, 0) || ' <> ' || COALESCE(s.held, 0) AS detail
    FROM budget_counter c FULL JOIN (
      SELECT b.budget_id, b.period_start,
             sum(COALESCE(h.charged_micro, 0) - h.refunded_micro) AS spent,
             COALESCE(sum(h.amount_micro) FILTER (WHERE h.state = 'open'), 0) AS held
      FROM hold h CROSS JOIN LATERAL unnest(h.budget_ids, h.period_starts)
        AS b(budget_id, period_start)
      GROUP BY 1, 2
    ) s ON s.budget_id = c.budget_id AND s.period_start = c.period_start
    WHERE COALESCE(c.spent_micro, 0) <> COALESCE(s.spent, 0)
       OR COALESCE(c.held_micro, 0) <> COALESCE(s.held, 0)`,
  I12_budget_caps_are_kept: `
    SELECT budget_id::text AS subject,
           spent_micro + held_micro || ' of ' || cap_micro || ' and overruns ' || overrun_micro
             AS detail
    FROM budget_counter WHERE spent_micro + held_micro > cap_micro + overrun_micro`,
  I16_refunds_within_charges: `
    SELECT r.charged_request_id::text AS subject,
           r.total || ' refunded of ' || COALESCE(c.amount_micro, 0) || ', at the rates '
             || array_to_string(r.rates, ', ') || ' of '
             || COALESCE(c.vat_rate_basis_points::text, 'none') AS detail
    FROM (
      SELECT account_id, charged_request_id, sum(amount_micro) AS total,
             array_agg(DISTINCT vat_rate_basis_points) AS rates FROM ledger_entry
      WHERE type = 'refund' AND charged_request_id IS NOT NULL GROUP BY 1, 2
    ) r LEFT JOIN ledger_entry c ON c.account_id = r.account_id
      AND c.request_id = r.charged_request_id AND c.type = 'finalize'
    WHERE r.total > COALESCE(c.amount_micro, 0) OR r.rates <> ARRAY[c.vat_rate_basis_points]`,
};

/** Only when nothing is under way: then no account may hold anything. */
const QUIET = `
  SELECT id::text AS subject, held_micro || ' held' AS detail FROM account WHERE held_micro <> 0
  UNION ALL
  SELECT request_id::text, state FROM hold WHERE state IN ('open', 'finalized')`;

/** For each query: they read whole tables. */
const CHECK_MS_MAX = 60_000;

/**
 * Every violation of the invariants, read in one snapshot so that work under way does not show as
 * one. It reads the books whole: for tests and for the full check.
 * @param quiet asks also that nothing is held or undelivered
 * @param timeoutMs for each of its statements
 */
export async function checkInvariants(
  pool: Pool,
  quiet = false,
  timeoutMs = CHECK_MS_MAX,
): Promise<Violation[]> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const violations = await readViolations(client, quiet, timeoutMs);
    await client.query('COMMIT');
    client.release();
    return violations;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** The same inside the caller's transaction, whose snapshot decides what is seen. */
export async function readViolations(
  client: ClientBase,
  quiet = false,
  timeoutMs = CHECK_MS_MAX,
): Promise<Violation[]> {
  const queries = { ...QUERIES, ...(quiet ? { I11_quiet_holds_nothing: QUIET } : {}) };
  const violations: Violation[] = [];
  for (const [invariant, text] of Object.entries(queries) as [InvariantName, string][]) {
    const query = { text, query_timeout: timeoutMs } as QueryConfig;
    const { rows } = await client.query<Omit<Violation, 'invariant'>>(query);
    violations.push(...rows.map(({ subject, detail }) => ({ invariant, subject, detail })));
  }
  return violations;
}
