import type { Transaction } from '../../graph/ctx.js';
import type { BudgetFacts } from './rules.js';
import { EXCEPTION_BOUNDS } from './vocabulary.js';

/** A budget in its current period, with what waits for it. */
export interface CurrentBudget extends BudgetFacts {
  readonly pendingCount: number;
  /** Until the period ends, by the database's clock. */
  readonly secondsLeft: number;
}

/**
 * A budget of the tenant as it stands. Nothing is locked, so that many who ask at once do not wait
 * for each other: what waits is counted but for those of the same moment.
 * @returns undefined when the tenant has no such active budget
 */
export async function currentBudget(
  tx: Transaction,
  tenantId: string,
  budgetId: string,
): Promise<CurrentBudget | undefined> {
  const rows = await tx.$queryRaw<CurrentBudget[]>`
    SELECT b.id AS "budgetId", p.id AS "policyId", p.name AS "policyName",
      b.scope_kind AS "scope", b.scope_ref AS "scopeRef", b.name, b.period,
      to_char(s.period_start, 'YYYY-MM-DD') AS "periodStart", t.cap_micro AS "capMicro",
      budget_granted(b.id, s.period_start) AS "grantedMicro",
      COALESCE(c.spent_micro, 0) AS "spentMicro", COALESCE(c.held_micro, 0) AS "heldMicro",
      (SELECT count(*)::int FROM budget_exception e
       WHERE e.budget_id = b.id AND e.period_start = s.period_start AND e.status = 'pending'
      ) AS "pendingCount",
      CASE b.period WHEN 'total' THEN ${EXCEPTION_BOUNDS.waitSecondsMax}::float8
        ELSE extract(epoch FROM (s.period_start + ('1 ' || b.period)::interval)::timestamp
          AT TIME ZONE b.time_zone - clock_timestamp())::float8 END AS "secondsLeft"
    FROM budget b
    JOIN budget t ON t.id = budget_of_terms(b.id, b.scope_kind, b.scope_ref)
    LEFT JOIN policy p ON p.id = b.policy_id
    CROSS JOIN LATERAL (
      SELECT budget_period_start(b.period, b.time_zone, clock_timestamp()) AS period_start
    ) s
    LEFT JOIN budget_counter c ON c.budget_id = b.id AND c.period_start = s.period_start
    WHERE b.id = ${budgetId}::uuid AND b.tenant_id = ${tenantId}::uuid AND t.active`;
  return rows[0];
}
