import type { PoolClient } from 'pg';
import type { Services } from '../../graph/ctx.js';
import { named } from '../../platform/database/pool.js';
import { inTransaction } from '../../records/scope.js';
import { tellAlerts } from './alerts.js';

const DUE_SQL = `
  SELECT b.tenant_id AS "tenantId", array_agg(DISTINCT b.id) AS "budgetIds"
  FROM budget b
  JOIN budget_counter c ON c.budget_id = b.id
    AND c.period_start = budget_period_start(b.period, b.time_zone, clock_timestamp())
  CROSS JOIN LATERAL unnest(b.soft_alerts) AS t(threshold)
  WHERE b.tenant_id = ANY ($1::uuid[])
    AND b.active AND b.scope_kind <> 'each' AND b.soft_alerts <> '{}'
    AND c.spent_micro::numeric * 10000
      >= (b.cap_micro + budget_granted(b.id, c.period_start))::numeric * t.threshold
    AND NOT EXISTS (
      SELECT FROM budget_alert a WHERE a.budget_id = b.id
        AND a.period_start = c.period_start AND a.threshold_basis_points = t.threshold)
  GROUP BY 1`;

interface Due {
  readonly tenantId: string;
  readonly budgetIds: readonly string[];
}

/**
 * Tells of the soft alerts that whoever has spent has reached. Telling is once for each by itself,
 * so that a batch of usage may be read again.
 * @param client sees the rows of all tenants
 */
export async function tellDueAlerts(
  services: Pick<Services, 'prisma' | 'dataKeys'>,
  client: PoolClient,
  tenantIds: readonly string[],
): Promise<void> {
  const { rows } = await named<Due>(client, 'budget_alerts_due', DUE_SQL, [tenantIds]);
  for (const { tenantId, budgetIds } of rows) {
    const scope = { services, who: { tenantId } };
    await inTransaction(scope, {}, (tx) => tellAlerts(tx, budgetIds));
  }
}
