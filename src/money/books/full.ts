import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import { RECEIPT_TEXTS } from '../../records/receipt-texts.js';
import { checkInvariants } from '../ledger/invariants.js';
import { OPERATION_RECEIPT, withoutReceipt } from '../ledger/operation-receipts.js';
import { findUnexplained } from '../ledger/replay.js';
import { BOOKS_MARK } from './increment.js';
import type { FindingOfTenant } from './totals.js';

/** How long a statement of the full check may take, for which somebody waits. Milliseconds. */
const STATEMENT_MS_MAX = 3_600_000;

/**
 * The kept totals against the very lines that they were made of: one that was changed, added or
 * removed since differs, also where the lines agree with each other.
 */
const KEPT_TOTALS = `
  SELECT COALESCE(k.tenant_id, e.tenant_id) AS "tenantId", 'kept_totals' AS invariant,
         COALESCE(k.account_id, e.account_id)::text AS subject,
         'kept ' || COALESCE(k.lines, 0) || ' lines, ' || COALESCE(k.posted_micro, 0) || ' and '
         || COALESCE(k.held_micro, 0) || ' held; found ' || COALESCE(e.lines, 0) || ', '
         || COALESCE(e.posted, 0) || ' and ' || COALESCE(e.held, 0) AS detail
  FROM books_account k FULL JOIN (
    SELECT account_id, (array_agg(tenant_id))[1] AS tenant_id, count(*) AS lines,
           sum(posted_delta) AS posted, sum(held_delta) AS held
    FROM ledger_entry
    WHERE (txid, seq) <= (SELECT txid, seq FROM reader_mark WHERE name = '${BOOKS_MARK}')
    GROUP BY account_id
  ) e ON e.account_id = k.account_id
  WHERE (k.lines, k.posted_micro, k.held_micro) IS DISTINCT FROM (e.lines, e.posted, e.held)`;

/** Operations of people by their receipts, over all lines that there are. */
const OPERATIONS = `
  SELECT tenant_id AS "tenantId", 'I15_operations_have_receipts' AS invariant, subject, detail
  FROM (${withoutReceipt('ledger_entry')}) v (tenant_id, subject, detail)
  UNION ALL
  SELECT tenant_id, 'I15_operations_have_receipts', seal_key, 'a receipt without its line'
  FROM ${RECEIPT_TEXTS} r
  WHERE kind = '${OPERATION_RECEIPT}' AND NOT EXISTS (
    SELECT FROM ledger_entry e JOIN account a ON a.id = e.account_id
    WHERE a.tenant_id = r.tenant_id AND e.request_id = r.seal_key::uuid)`;

/** Whose account, request or budget a subject of an invariant is. */
const TENANTS = `
  SELECT id::text AS subject, tenant_id AS "tenantId" FROM account WHERE id::text = ANY ($1)
  UNION SELECT request_id::text, tenant_id FROM ledger_entry WHERE request_id = ANY ($1::uuid[])
  UNION SELECT charged_request_id::text, tenant_id FROM ledger_entry
    WHERE charged_request_id = ANY ($1::uuid[])
  UNION SELECT request_id::text, tenant_id FROM hold WHERE request_id = ANY ($1::uuid[])
  UNION SELECT id::text, tenant_id FROM usage_event WHERE id = ANY ($1::uuid[])
  UNION SELECT id::text, id FROM tenant WHERE id = ANY ($1::uuid[])
  UNION SELECT budget_id::text, tenant_id FROM budget_counter WHERE budget_id = ANY ($1::uuid[])`;

/** Of what belongs to nobody any more. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** A finding of rows that were altered past every rule: any part of it may be missing. */
type RawFinding = { readonly [K in keyof FindingOfTenant]: FindingOfTenant[K] | null };

/** The same with a word for what is missing, so that one odd row does not lose the others. */
function whole({ tenantId, invariant, subject, detail }: RawFinding): FindingOfTenant {
  return {
    tenantId: tenantId ?? NOBODY,
    invariant: invariant ?? 'unknown',
    subject: subject ?? 'unknown',
    detail: detail ?? 'unknown',
  };
}

/**
 * What is found replaces all that was found before the check: what was put right stands no longer.
 * What was found beside it stays, since its lines may have come when they were read already.
 */
const FORGET = 'DELETE FROM books_finding WHERE found_at < $1';
const KEEP = `
  INSERT INTO books_finding AS b (tenant_id, invariant, subject, detail, of_totals)
  SELECT DISTINCT ON (tenant_id, invariant, subject) *, false
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
    AS f (tenant_id, invariant, subject, detail)
  ON CONFLICT (tenant_id, invariant, subject)
    DO UPDATE SET detail = EXCLUDED.detail, of_totals = false`;

/**
 * Reads the books whole: every invariant in one snapshot, every charge computed again, and the
 * kept totals against their lines. The findings take the place of those before the check.
 * @param others what else is found, by checks of contexts above
 */
export async function checkFully(
  pool: Pool,
  others: () => Promise<readonly FindingOfTenant[]> = async () => [],
): Promise<readonly FindingOfTenant[]> {
  const [begun] = await readAll<{ since: string }>(pool, 'SELECT clock_timestamp()::text AS since');
  const own = [
    ...(await invariantFindings(pool)),
    ...(await changedTotals(pool)),
    ...(await readAll<FindingOfTenant & QueryResultRow>(pool, OPERATIONS)),
  ];
  const found = [...own, ...(await others())].map(whole);
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(FORGET, [begun?.since]);
    await client.query(KEEP, [
      found.map(({ tenantId }) => tenantId),
      found.map(({ invariant }) => invariant),
      found.map(({ subject }) => subject),
      found.map(({ detail }) => detail),
    ]);
    await client.query('UPDATE books_check SET fully_succeeded_at = clock_timestamp()');
    await client.query('COMMIT');
    client.release();
    return found;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function readAll<R extends QueryResultRow>(pool: Pool, text: string, values: unknown[] = []) {
  const statement = { text, values, query_timeout: STATEMENT_MS_MAX };
  return (await pool.query<R>(statement as QueryConfig)).rows;
}

function changedTotals(pool: Pool): Promise<readonly FindingOfTenant[]> {
  return readAll<FindingOfTenant & QueryResultRow>(pool, KEPT_TOTALS);
}

async function invariantFindings(pool: Pool): Promise<readonly FindingOfTenant[]> {
  const violations = await checkInvariants(pool, false, STATEMENT_MS_MAX);
  const unexplained = await findUnexplained(pool, STATEMENT_MS_MAX);
  const found = [
    ...violations,
    ...unexplained.map(({ requestId, amountMicro, replayedMicro }) => ({
      invariant: 'charge_follows_from_usage',
      subject: requestId,
      detail: `${amountMicro} charged, ${replayedMicro ?? 'nothing'} by its prices`,
    })),
  ];
  if (found.length === 0) return [];
  const subjects = [...new Set(found.map(({ subject }) => subject))];
  const owners = await readAll<{ subject: string; tenantId: string }>(pool, TENANTS, [subjects]);
  const tenants = new Map(owners.map(({ subject, tenantId }) => [subject, tenantId]));
  return found.map((each) => ({ ...each, tenantId: tenants.get(each.subject) ?? NOBODY }));
}
