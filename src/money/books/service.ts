import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { run } from './increment.js';
import { type BOOKS_STATUS, FINDINGS_SHOWN_MAX } from './tables.js';

type Status = ValuesOf<typeof BOOKS_STATUS.fields>;

/**
 * What the monitor has found, the requests that ledger and usage do not tell alike, and the periods
 * whose latest receipt says that something is wrong.
 */
const FOUND = `
  SELECT tenant_id AS "tenantId", invariant, subject, detail, found_at AS "foundAt"
  FROM books_finding
  UNION ALL
  SELECT tenant_id, 'ledger_and_usage', request_id::text, array_to_string(faults, ', '), NULL
  FROM integrity_finding WHERE cardinality(faults) > 0
  UNION ALL
  SELECT tenant_id, 'sealed_receipt', receipt_id::text,
    'the rows from ' || from_at || ' to ' || to_at || ' are sealed as VIOLATION', read_at
  FROM integrity_seal WHERE verdict = 'VIOLATION'`;

const STATUS = `
  SELECT succeeded_at AS "checkedAt", fully_succeeded_at AS "fullyCheckedAt",
    (SELECT count(*)::int FROM (${FOUND}) found) AS violations
  FROM books_check`;

const FINDINGS = `${FOUND}
  ORDER BY "foundAt" DESC NULLS LAST, invariant, subject LIMIT ${FINDINGS_SHOWN_MAX}`;

/**
 * How the books of all organizations stand.
 * @throws platform_admin_required
 */
export async function booksStatus({ services, who }: AuthorizedCtx): Promise<Status> {
  if (!who.platformAdmin) fail('platform_admin_required');
  const { platformPool, booksMonitor } = services;
  const { rows } = await run<Omit<Status, 'state' | 'findings'>>(platformPool, STATUS);
  const findings = await run<Status['findings'][number]>(platformPool, FINDINGS);
  const [found] = rows;
  return {
    state: booksMonitor.standing().state,
    checkedAt: found?.checkedAt ?? null,
    fullyCheckedAt: found?.fullyCheckedAt ?? null,
    violations: found?.violations ?? 0,
    findings: findings.rows,
  };
}
