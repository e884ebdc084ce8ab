import type { PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { BATCH_SETTINGS, type Batch, type Reader } from '../../records/brought-forward.js';
import { BY_OPERATION, withoutReceipt } from '../ledger/operation-receipts.js';

/** The mark of the monitor: lines up to it were verified, and stand in the kept totals. */
export const BOOKS_MARK = 'books_monitor';

/** For each statement of a step, in milliseconds. */
const STATEMENT_MS_MAX = 60_000;

const IN_BATCH = '(txid, seq) > ($1, $2) AND (txid, seq) <= ($3, $4)';
const OF_REQUESTS = `('hold', 'finalize', 'release')`;

/**
 * What is found wrong, as rows of (tenant, subject, detail): of the lines in `line`, and of the
 * requests in `told`.
 */
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
           COALESCE(t.charged_micro::text, 'none') || ' charged, '
           || COALESCE(t.amount_micro::text, 'none') || ' held'
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
  I15_operations_have_receipts: withoutReceipt('line'),
  I16_refunds_within_charges: `
    SELECT tenant_id, request_id::text, 
           line_refunded || ' refunded of ' || COALESCE(line_charged, 0)
    FROM told WHERE line_refunded > COALESCE(line_charged, 0)`,
};

/**
 * The lines of a batch, each with the one before it in its account: that is the one before it in
 * the batch but for the first of an account, whose own is looked up. OFFSET 0 and the condition
 * that no column of the table stands in let the others cost no look at the index.
 */
const SEEN = `
  SELECT e.account_id, account_version, tenant_id, type, request_id, charged_request_id,
         actor_id, amount_micro, posted_delta, held_delta, e.posted_after, e.held_after,
         CASE WHEN follows THEN last_posted ELSE b.posted_after END AS before_posted,
         CASE WHEN follows THEN last_held ELSE b.held_after END AS before_held
  FROM (
    SELECT *, lag(account_version) OVER own IS NOT DISTINCT FROM account_version - 1 AS follows,
           lag(posted_after) OVER own AS last_posted, lag(held_after) OVER own AS last_held
    FROM (
      SELECT account_id, account_version, tenant_id, type, request_id, charged_request_id,
             actor_id, amount_micro, posted_delta, held_delta, posted_after, held_after
      FROM ledger_entry WHERE ${IN_BATCH}
    ) e WINDOW own AS (PARTITION BY account_id ORDER BY account_version)
  ) e LEFT JOIN LATERAL (
    SELECT b.posted_after, b.held_after FROM ledger_entry b
    WHERE NOT e.follows AND b.account_id = e.account_id
      AND b.account_version = e.account_version - 1
    OFFSET 0
  ) b ON TRUE`;

/** What the lines of a batch add up to by account, with the least that any of them left free. */
const BY_ACCOUNT = `
  SELECT account_id, (array_agg(tenant_id))[1] AS tenant_id, count(*) AS lines,
         sum(posted_delta) AS posted, sum(held_delta) AS held,
         min(posted_after - held_after) AS least
  FROM seen GROUP BY account_id`;

/** Accounts of which a line of the batch has left less than their credit. */
const OVERDRAWN = `
  SELECT account_id FROM by_account k
  CROSS JOIN LATERAL (
    SELECT credit_limit_micro FROM account WHERE id = k.account_id OFFSET 0
  ) a WHERE least < -credit_limit_micro`;

/**
 * The lines that a check of lines may find: those of operations, whose receipts are looked up, and
 * all but those that follow from the line before them, leave enough, and have legs that add up to
 * nothing. The legs of `ledger_posting` are the deltas
 * and the amount on the other side, so that nothing is left where the one is the other's negative.
 */
const DOUBTFUL_LINES = `
  SELECT * FROM seen
  WHERE (before_posted IS NULL AND account_version > 1)
    OR posted_after <> COALESCE(before_posted, 0) + posted_delta
    OR held_after <> COALESCE(before_held, 0) + held_delta
    OR ${BY_OPERATION} OR held_after < 0 OR account_id IN (SELECT account_id FROM overdrawn)
    OR posted_delta IS DISTINCT FROM CASE
      WHEN type IN ('hold', 'release') THEN 0
      WHEN type IN ('finalize', 'balance_return')
        OR (type = 'adjustment' AND posted_delta < 0) THEN -amount_micro
      ELSE amount_micro END`;

/** The lines of a batch by the request that they are of, or whose charge they refund. */
const BY_REQUEST = `
  SELECT account_id, COALESCE(charged_request_id, request_id) AS request_id, tenant_id,
         count(*) AS lines, count(*) FILTER (WHERE type = 'hold') AS holds,
         count(*) FILTER (WHERE type IN ('finalize', 'release')) AS ends,
         bool_or(type = 'release') AS line_released,
         bool_or(type IN ${OF_REQUESTS} OR charged_request_id IS NOT NULL) AS is_touched,
         -sum(posted_delta) FILTER (WHERE type = 'finalize') AS line_charged,
         sum(posted_delta) AS posted, sum(held_delta) AS held
  FROM seen GROUP BY 1, 2, 3`;

/**
 * The same with their hold, and whether that tells of each what they tell. Sound is a request whose
 * hold and one end are all the lines that there are of it, in the batch and elsewhere: no end of
 * the other kind, no refund, no overrun. Of each kind of line a request has one at most.
 */
const HELD = `
  SELECT r.*, h.budget_ids, h.period_starts, COALESCE(h.is_sound, FALSE) AS is_sound
  FROM by_request r LEFT JOIN LATERAL (
    SELECT h.budget_ids, h.period_starts, CASE
      WHEN r.lines = 2 AND r.holds = 1 AND r.ends = 1 AND r.held = 0
        AND h.state IS DISTINCT FROM 'open' AND h.uncollected_micro = 0 AND h.refunded_micro = 0
        AND r.line_released = (h.state = 'released')
        AND r.line_charged IS NOT DISTINCT FROM h.charged_micro
        AND COALESCE(h.charged_micro <= h.amount_micro, TRUE)
      THEN NOT EXISTS (SELECT FROM ledger_overrun o
          WHERE o.account_id = r.account_id AND o.request_id = r.request_id)
        AND NOT EXISTS (SELECT FROM ledger_entry e
          WHERE e.account_id = r.account_id AND e.charged_request_id = r.request_id)
        AND NOT EXISTS (SELECT FROM ledger_entry e
          WHERE e.account_id = r.account_id AND e.request_id = r.request_id
            AND e.type = CASE WHEN r.line_released THEN 'finalize' ELSE 'release' END)
      END AS is_sound
    FROM hold h WHERE h.account_id = r.account_id AND h.request_id = r.request_id
    OFFSET 0
  ) h ON TRUE`;

/** The requests that the batch touches and that are not sound by their lines in it. */
const TOUCHED = `
  SELECT account_id, request_id, tenant_id FROM held WHERE is_touched AND NOT is_sound
  UNION
  SELECT account_id, request_id, tenant_id FROM seen
  WHERE charged_request_id IS NOT NULL AND type IN ${OF_REQUESTS}`;

/** Those requests by all that there is of them. */
const TOLD = `
  SELECT t.*, h.state, h.amount_micro, h.charged_micro, h.uncollected_micro, h.refunded_micro,
         l.*, r.line_refunded
  FROM touched t
  LEFT JOIN LATERAL (
    SELECT * FROM hold h WHERE h.account_id = t.account_id AND h.request_id = t.request_id OFFSET 0
  ) h ON TRUE
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
  ) r`;

const ADD_TO_ACCOUNTS = `
  INSERT INTO books_account AS k (account_id, tenant_id, lines, posted_micro, held_micro)
  SELECT account_id, tenant_id, lines, posted, held FROM by_account
  ON CONFLICT (account_id) DO UPDATE SET lines = k.lines + EXCLUDED.lines,
    posted_micro = k.posted_micro + EXCLUDED.posted_micro,
    held_micro = k.held_micro + EXCLUDED.held_micro`;

const ADD_TO_BUDGETS = `
  INSERT INTO books_budget AS k (budget_id, period_start, tenant_id, spent_micro, held_micro)
  SELECT b.budget_id, b.period_start, (array_agg(tenant_id))[1], -sum(posted), sum(held)
  FROM held CROSS JOIN LATERAL unnest(budget_ids, period_starts) AS b (budget_id, period_start)
  WHERE cardinality(budget_ids) > 0 GROUP BY 1, 2
  ON CONFLICT (budget_id, period_start) DO UPDATE SET due = true,
    spent_micro = k.spent_micro + EXCLUDED.spent_micro,
    held_micro = k.held_micro + EXCLUDED.held_micro`;

/**
 * Verifies a batch of lines and adds it to the kept totals, all from one pass over it. What must
 * hold is each line beside the one before it, and each request that the batch touches; the checks
 * are asked of those alone that are not seen to be sound, by all that there is of them. Places in
 * $1 to $4.
 */
const VERIFY = `
  WITH seen AS MATERIALIZED (${SEEN}),
  by_account AS MATERIALIZED (${BY_ACCOUNT}),
  overdrawn AS MATERIALIZED (${OVERDRAWN}),
  line AS MATERIALIZED (${DOUBTFUL_LINES}),
  by_request AS MATERIALIZED (${BY_REQUEST}),
  held AS MATERIALIZED (${HELD}),
  touched AS MATERIALIZED (${TOUCHED}),
  told AS MATERIALIZED (${TOLD}),
  accounts AS (${ADD_TO_ACCOUNTS}),
  budgets AS (${ADD_TO_BUDGETS}),
  found (tenant_id, subject, detail, invariant) AS (
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
  await run(client, BATCH_SETTINGS);
  const { rows } = await run<Finding & QueryResultRow>(client, VERIFY, places);
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
