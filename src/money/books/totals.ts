import type { Pool, PoolClient } from 'pg';
import { LEDGER_MARK, USAGE_MARK } from '../integrity/prove.js';
import { WITNESS_MARK } from '../integrity/witness.js';
import { BOOKS_MARK, budgetMoves, type Finding, run } from './increment.js';

function markOf(name: string): string {
  const column = (what: string) =>
    `COALESCE((SELECT ${what} FROM reader_mark WHERE name = '${name}'), 0)`;
  return `(${column('txid')}, ${column('seq')})`;
}

/** Lines that were not verified yet: those of transactions that have just ended. */
const BEHIND = `(txid, seq) > ${markOf(BOOKS_MARK)}`;

/**
 * The balance of every account, which is one row an organization, against its kept totals and the
 * lines behind the mark; what it holds against its open holds, which have each their line. One
 * statement, thus one snapshot.
 */
const ACCOUNTS = `
  WITH late AS (
    SELECT account_id, count(*) AS lines, sum(posted_delta) AS posted, sum(held_delta) AS held
    FROM ledger_entry WHERE ${BEHIND} GROUP BY account_id
  ), open AS (
    SELECT account_id, sum(amount_micro) AS held FROM hold WHERE state = 'open'
    GROUP BY account_id
  ), told AS (
    SELECT a.tenant_id, a.id::text AS subject, a.posted_micro, a.held_micro, a.version,
           a.credit_limit_micro, COALESCE(k.lines, 0) + COALESCE(l.lines, 0) AS lines,
           COALESCE(k.posted_micro, 0) + COALESCE(l.posted, 0) AS posted,
           COALESCE(k.held_micro, 0) + COALESCE(l.held, 0) AS held, COALESCE(o.held, 0) AS open
    FROM account a
    LEFT JOIN books_account k ON k.account_id = a.id
    LEFT JOIN late l ON l.account_id = a.id
    LEFT JOIN open o ON o.account_id = a.id
  )
  SELECT tenant_id AS "tenantId", 'I1_posted_is_sum' AS invariant, subject,
         posted_micro || ' <> ' || posted AS detail FROM told WHERE posted_micro <> posted
  UNION ALL
  SELECT tenant_id, 'I2_held_is_sum_and_open_holds', subject,
         held_micro || ' <> entries ' || held || ' or open holds ' || open
  FROM told WHERE held_micro <> held OR held_micro <> open
  UNION ALL
  SELECT tenant_id, 'I3_no_overdraft', subject, (posted_micro - held_micro)::text
  FROM told WHERE held_micro < 0 OR posted_micro - held_micro < -credit_limit_micro
  UNION ALL
  SELECT tenant_id, 'I4_versions_without_gap', subject, version || ' with ' || lines
  FROM told WHERE version <> lines
  UNION ALL
  SELECT tenant_id, 'I10_entries_and_holds_agree', request_id::text, state || ', lines none'
  FROM hold h WHERE state IN ('open', 'finalized') AND NOT EXISTS (
    SELECT FROM ledger_entry e
    WHERE e.account_id = h.account_id AND e.request_id = h.request_id AND e.type = 'hold')`;

/** Counters of those budgets whose totals have moved since they were last found right. */
const BUDGETS = `
  WITH late AS (${budgetMoves(BEHIND)}), told AS (
    SELECT k.tenant_id, k.budget_id, k.period_start, COALESCE(c.spent_micro, 0) AS spent_micro,
           COALESCE(c.held_micro, 0) AS held_micro, COALESCE(c.cap_micro, 0) AS cap_micro,
           COALESCE(c.overrun_micro, 0) AS overrun_micro,
           k.spent_micro + COALESCE(l.spent, 0) AS spent,
           k.held_micro + COALESCE(l.held, 0) AS held
    FROM books_budget k
    LEFT JOIN late l ON l.budget_id = k.budget_id AND l.period_start = k.period_start
    LEFT JOIN budget_counter c ON c.budget_id = k.budget_id AND c.period_start = k.period_start
    WHERE k.due
  ), right_now AS (
    UPDATE books_budget k SET due = false FROM told t
    WHERE t.budget_id = k.budget_id AND t.period_start = k.period_start
      AND t.spent_micro = t.spent AND t.held_micro = t.held
      AND t.spent_micro + t.held_micro <= t.cap_micro + t.overrun_micro
      AND NOT EXISTS (
        SELECT FROM late l WHERE l.budget_id = k.budget_id AND l.period_start = k.period_start)
  )
  SELECT tenant_id AS "tenantId", 'I12_budget_counters_are_sums' AS invariant,
         budget_id || ' ' || period_start AS subject,
         'spent ' || spent_micro || ' <> ' || spent || ' or held ' || held_micro || ' <> ' || held
           AS detail
  FROM told WHERE spent_micro <> spent OR held_micro <> held
  UNION ALL
  SELECT tenant_id, 'I12_budget_caps_are_kept', budget_id || ' ' || period_start,
         spent_micro + held_micro || ' of ' || cap_micro || ' and overruns ' || overrun_micro
  FROM told WHERE spent_micro + held_micro > cap_micro + overrun_micro`;

/** What totals of an earlier look have shown stands no longer, where these do not show it. */
const REPLACE = `
  WITH found AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
      AS f (tenant_id, invariant, subject, detail)
  ), gone AS (
    DELETE FROM books_finding b WHERE b.of_totals AND NOT EXISTS (
      SELECT FROM found f WHERE (f.tenant_id, f.invariant, f.subject)
        = (b.tenant_id, b.invariant, b.subject))
  )
  INSERT INTO books_finding AS b (tenant_id, invariant, subject, detail, of_totals)
  SELECT tenant_id, invariant, subject, detail, true FROM found
  ON CONFLICT (tenant_id, invariant, subject)
    DO UPDATE SET detail = EXCLUDED.detail WHERE b.detail <> EXCLUDED.detail`;

/** A finding with the organization that it is of. */
export type FindingOfTenant = Finding & { readonly tenantId: string };

/** What totals show, in the transaction of the caller. */
export async function differingTotals(client: PoolClient): Promise<readonly FindingOfTenant[]> {
  await client.query('SET LOCAL enable_seqscan = off');
  const accounts = await run<FindingOfTenant & object>(client, ACCOUNTS);
  const budgets = await run<FindingOfTenant & object>(client, BUDGETS);
  return [...accounts.rows, ...budgets.rows];
}

/**
 * Holds what the database keeps as balances and counters against the totals of all lines.
 * @returns where they differ; kept as findings for as long as they do
 */
export async function compareTotals(pool: Pool): Promise<readonly FindingOfTenant[]> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const found = await differingTotals(client);
    await run(client, REPLACE, [
      found.map(({ tenantId }) => tenantId),
      found.map(({ invariant }) => invariant),
      found.map(({ subject }) => subject),
      found.map(({ detail }) => detail),
    ]);
    await client.query('COMMIT');
    client.release();
    return found;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** The tables that are followed, by the mark of their reader. */
const FOLLOWED: Readonly<Record<string, string>> = {
  [BOOKS_MARK]: 'ledger_entry',
  [LEDGER_MARK]: 'ledger_entry',
  [USAGE_MARK]: 'usage_event',
  [WITNESS_MARK]: 'usage_event',
};

/** Since when the first row behind each mark waits; no row where nothing waits. */
const WAITING = Object.entries(FOLLOWED)
  .map(
    ([name, table]) => `(SELECT '${name}' AS name,
      extract(epoch FROM clock_timestamp() - created_at)::float8 * 1000 AS "waitsMs"
    FROM ${table} WHERE (txid, seq) > ${markOf(name)} ORDER BY txid, seq LIMIT 1)`,
  )
  .join(' UNION ALL ');

/** The readers that are behind by more than so long, in milliseconds. */
export async function readersBehind(pool: Pool, waitsMsMax: number): Promise<readonly string[]> {
  const { rows } = await run<{ readonly name: string; readonly waitsMs: number }>(pool, WAITING);
  return rows.filter(({ waitsMs }) => waitsMs > waitsMsMax).map(({ name }) => name);
}
