import type { PoolClient, QueryConfig, QueryResultRow } from 'pg';
import type { Batch, Reader } from '../../records/brought-forward.js';

/** The mark of the monitor: lines up to it were verified, and stand in the kept totals. */
export const BOOKS_MARK = 'books_monitor';

/** For each statement of a step, in milliseconds. */
const STATEMENT_MS_MAX = 60_000;

const IN_BATCH = '(txid, seq) > ($1, $2) AND (txid, seq) <= ($3, $4)';
const OF_REQUESTS = `('hold', 'finalize', 'release')`;

/** What is found wrong, as rows of (tenant, subject, detail). */
const CHECKS: Readonly<Record<string, string>> = {
  I3_no_overdraft: `
    SELECT l.tenant_id, request_id::text, (posted_after - held_after)::text
    FROM line l JOIN account a ON a.id = l.account_id
    WHERE held_after < 0 OR posted_after - held_after < -credit_limit_micro`,
  I4_versions_without_gap: `
    SELECT tenant_id, account_id::text, 'no line before ' || account_version
    FROM line WHERE before_posted IS NULL AND account_version > 1`,
  I5_entries_chain: `
    SELECT tenant_id, request_id::text, 'line ' || account_version FROM line
    WHERE (before_posted IS NOT NULL OR account_version = 1)
      AND (posted_after <> COALESCE(before_posted, 0) + posted_delta
        OR held_after <> COALESCE(before_held, 0) + held_delta)`,
  I6_each_operation_once: `
    SELECT tenant_id, request_id::text, types FROM told WHERE holds <> 1 OR ends > 1`,
  I7_trial_balance_zero: `
    SELECT l.tenant_id, l.request_id::text, l.type || ' off by ' || sum(p.amount_micro)
    FROM line l JOIN ledger_posting p USING (account_id, account_version)
    GROUP BY l.account_id, l.account_version, l.tenant_id, l.request_id, l.type
    HAVING sum(p.amount_micro) <> 0`,
  I9_charge_within_hold: `
    SELECT t.tenant_id, t.request_id::text,
           t.charged_micro || ' charged, ' || t.amount_micro || ' held'
    FROM told t LEFT JOIN ledger_overrun o USING (account_id, request_id)
    WHERE t.charged_micro > t.amount_micro
       OR (o.request_id IS NULL AND t.uncollected_micro > 0)
       OR (o.request_id IS NOT NULL AND
           ((o.charged_micro, o.held_micro) IS DISTINCT FROM (t.charged_micro, t.amount_micro)
            OR o.cost_micro < t.charged_micro + t.uncollected_micro))`,
  I10_entries_and_holds_agree: `
    SELECT tenant_id, request_id::text,
           COALESCE(state, 'no hold') || ', lines ' || COALESCE(types, 'none')
    FROM told
    WHERE state IS NULL OR types IS NULL
       OR line_held <> CASE state WHEN 'open' THEN amount_micro ELSE 0 END
       OR line_charged IS DISTINCT FROM charged_micro
       OR line_released IS DISTINCT FROM (state = 'released')
       OR refunded_micro <> line_refunded`,
};

/**
 * Everything that must hold of a batch of lines: of each line beside the one before it, and of each
 * request that the batch touches by all that there is of it. Places in $1 to $4.
 */
const VIOLATIONS = `
  WITH line AS MATERIALIZED (
    SELECT e.*, b.posted_after AS before_posted, b.held_after AS before_held
    FROM (SELECT * FROM ledger_entry WHERE ${IN_BATCH}) e
    LEFT JOIN ledger_entry b
      ON b.account_id = e.account_id AND b.account_version = e.account_version - 1
  ), touched AS MATERIALIZED (
    SELECT account_id, request_id, tenant_id FROM line WHERE type IN ${OF_REQUESTS}
    UNION
    SELECT account_id, charged_request_id, tenant_id FROM line
    WHERE charged_request_id IS NOT NULL
  ), told AS MATERIALIZED (
    SELECT t.*, h.state, h.amount_micro, h.charged_micro, h.uncollected_micro, h.refunded_micro,
           l.*, r.line_refunded
    FROM touched t
    LEFT JOIN hold h ON h.account_id = t.account_id AND h.request_id = t.request_id
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE type = 'hold') AS holds,
             count(*) FILTER (WHERE type <> 'hold') AS ends,
             bool_or(type = 'release') AS line_released, sum(held_delta) AS line_held,
             -sum(posted_delta) FILTER (WHERE type = 'finalize') AS line_charged,
             string_agg(type, ', ' ORDER BY account_version) AS types
      FROM ledger_entry
      WHERE account_id = t.account_id AND request_id = t.request_id AND type IN ${OF_REQUESTS}
    ) l
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(amount_micro), 0) AS line_refunded FROM ledger_entry
      WHERE account_id = t.account_id AND charged_request_id = t.request_id
    ) r
  ), found (tenant_id, subject, detail, invariant) AS (
    ${Object.entries(CHECKS)
      .map(([name, sql]) => `SELECT v.*, '${name}' FROM (${sql}) v`)
      .join(' UNION ALL ')}
  )
  INSERT INTO books_finding AS f (tenant_id, invariant, subject, detail, of_totals)
  SELECT DISTINCT ON (tenant_id, invariant, subject) tenant_id, invariant, subject, detail, false
  FROM found ORDER BY tenant_id, invariant, subject, detail
  ON CONFLICT (tenant_id, invariant, subject)
    DO UPDATE SET detail = EXCLUDED.detail, of_totals = false
  RETURNING invariant, subject, detail`;

const ADD_TO_ACCOUNTS = `
  INSERT INTO books_account AS k (account_id, tenant_id, lines, posted_micro, held_micro)
  SELECT account_id, (array_agg(tenant_id))[1], count(*), sum(posted_delta), sum(held_delta)
  FROM ledger_entry WHERE ${IN_BATCH} GROUP BY account_id
  ON CONFLICT (account_id) DO UPDATE SET lines = k.lines + EXCLUDED.lines,
    posted_micro = k.posted_micro + EXCLUDED.posted_micro,
    held_micro = k.held_micro + EXCLUDED.held_micro`;

/**
 * What lines do to the counters of budgets: those of the hold that they belong to, or whose charge
 * they refund.
 */
export function budgetMoves(condition: string): string {
  return `SELECT b.budget_id, b.period_start, (array_agg(e.tenant_id))[1] AS tenant_id,
      -sum(e.posted_delta) AS spent, sum(e.held_delta) AS held
    FROM (SELECT * FROM ledger_entry WHERE ${condition}) e
    JOIN hold h ON h.account_id = e.account_id
      AND h.request_id = COALESCE(e.charged_request_id, e.request_id)
    CROSS JOIN LATERAL unnest(h.budget_ids, h.period_starts) AS b (budget_id, period_start)
    GROUP BY 1, 2`;
}

const ADD_TO_BUDGETS = `
  INSERT INTO books_budget AS k (budget_id, period_start, tenant_id, spent_micro, held_micro)
  SELECT budget_id, period_start, tenant_id, spent, held FROM (${budgetMoves(IN_BATCH)}) moved
  ON CONFLICT (budget_id, period_start) DO UPDATE SET due = true,
    spent_micro = k.spent_micro + EXCLUDED.spent_micro,
    held_micro = k.held_micro + EXCLUDED.held_micro`;

/** A place where the books are wrong, as it is kept. */
export interface Finding {
  readonly invariant: string;
  readonly subject: string;
  readonly detail: string;
}

/** A statement of the monitor, which may take longer than one of a request. */
export function run<R extends QueryResultRow>(
  client: Pick<PoolClient, 'query'>,
  text: string,
  values: readonly unknown[] = [],
) {
  const config = { text, values: [...values], query_timeout: STATEMENT_MS_MAX };
  return client.query<R>(config as QueryConfig);
}

/**
 * Verifies a batch and adds it to the kept totals, with its findings in the same transaction.
 * @returns what it has found
 */
export async function verifyBatch(
  client: PoolClient,
  { after, until }: Omit<Batch, 'limit'>,
): Promise<readonly Finding[]> {
  const places = [after.txid, after.seq, until.txid, until.seq];
  await run(client, 'SET LOCAL enable_seqscan = off');
  const { rows } = await run<Finding & QueryResultRow>(client, VIOLATIONS, places);
  await run(client, ADD_TO_ACCOUNTS, places);
  await run(client, ADD_TO_BUDGETS, places);
  return rows;
}

/** Totals are of lines, which are read anew; what was found stays until a full check. */
async function forget(client: PoolClient): Promise<void> {
  await run(client, 'DELETE FROM books_account');
  await run(client, 'DELETE FROM books_budget');
}

/**
 * The reader that verifies lines of the ledger as they come.
 * @param tell gets what is found in a batch
 */
export function booksReader(tell: (found: readonly Finding[]) => void): Reader {
  return {
    name: BOOKS_MARK,
    table: 'ledger_entry',
    work: async (client, batch) => tell(await verifyBatch(client, batch)),
    forget,
  };
}
