import { Prisma } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import { isoTime } from '../../kernel/time.js';
import { ANOMALY_FEED } from '../../records/anomaly-feed.js';
import { publish } from '../../records/feed.js';
import { ALERT_PAYLOAD, type AlertTold } from './alert-feed.js';
import { percentOf } from './budgets.rules.js';

interface CrossedRow {
  readonly tenantId: string;
  readonly budgetId: string;
  readonly name: string;
  readonly scope: AlertTold['scope'];
  readonly scopeRef: string;
  readonly periodStart: Date;
  readonly threshold: number;
  readonly spentMicro: bigint;
  readonly capMicro: bigint;
}

/**
 * Tells of the soft alerts that the current period of some budgets has reached and that nobody has
 * told of: each once for a budget, period and threshold, in the caller's transaction.
 * @returns how many were told
 */
export async function tellAlerts(tx: Transaction, budgetIds: readonly string[]): Promise<number> {
  if (budgetIds.length === 0) return 0;
  const crossed = await tx.$queryRaw<CrossedRow[]>`
    SELECT b.tenant_id AS "tenantId", b.id AS "budgetId", b.name, b.scope_kind AS scope,
      b.scope_ref AS "scopeRef", c.period_start AS "periodStart", t.threshold,
      c.spent_micro AS "spentMicro", g.cap AS "capMicro"
    FROM budget b
    JOIN budget_counter c ON c.budget_id = b.id
      AND c.period_start = budget_period_start(b.period, b.time_zone, clock_timestamp())
    CROSS JOIN LATERAL (SELECT b.cap_micro + budget_granted(b.id, c.period_start) AS cap) g
    CROSS JOIN LATERAL unnest(b.soft_alerts) AS t(threshold)
    WHERE b.id IN (${Prisma.join(budgetIds.map((id) => Prisma.sql`${id}::uuid`))}) AND b.active
      AND c.spent_micro::numeric * 10000 >= g.cap::numeric * t.threshold
      AND NOT EXISTS (
        SELECT 1 FROM budget_alert a WHERE a.budget_id = b.id
          AND a.period_start = c.period_start AND a.threshold_basis_points = t.threshold)
    ORDER BY b.id, t.threshold`;
  for (const row of crossed) await tell(tx, row);
  return crossed.length;
}

async function tell(tx: Transaction, row: CrossedRow): Promise<void> {
  const { tenantId, budgetId, periodStart, threshold, spentMicro, capMicro } = row;
  const id = newId('BudgetAlert');
  const made = await tx.budgetAlert.createMany({
    data: [
      {
        id,
        tenantId,
        budgetId,
        periodStart,
        thresholdBasisPoints: threshold,
        spentMicro,
        capMicro,
      },
    ],
    skipDuplicates: true,
  });
  if (made.count === 0) return;
  const payload = sealedContent(ALERT_PAYLOAD.fields, {
    budgetId,
    budget: row.name,
    scope: row.scope,
    scopeRef: row.scopeRef,
    periodStart: isoTime(periodStart).slice(0, 10),
    thresholdPercent: percentOf(threshold),
    spentMicro,
    capMicro,
  });
  const event = { feed: ANOMALY_FEED.name, type: 'budget_alert', subjectId: id, payload };
  await publish(tx, { tenantId, ...event });
}
