import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent } from '../../kernel/fields/sealed.js';
import { currentContracts } from '../../records/contracts.js';
import { measuredFrom } from '../../records/measured.js';
import { countReceipts } from '../../records/receipts.js';
import { forecastError } from '../costs/forecast-error.js';
import { COST_RECEIPTS, FORECASTS } from '../costs/records.js';
import { ANOMALY_RULES } from './records.js';
import { STANDING_RULES } from './standing-rules.js';
import { type DASHBOARD, RULE_FIELDS } from './tables.js';

type Dashboard = ValuesOf<typeof DASHBOARD.fields>;
type Counted = Omit<
  Dashboard,
  | 'days'
  | 'budgets'
  | 'standingRules'
  | 'forecastsEnded'
  | 'forecastErrorBasisPoints'
  | 'provenance'
>;

/** The days that figures of the past are taken from. */
const DAYS = 30;

/** Budgets, receipts, cost, forecasts, rules and pauses of an organization, from its rows. */
export async function readDashboard(ctx: AuthorizedCtx): Promise<Dashboard> {
  const until = sharedNow();
  const from = new Date(until.getTime() - DAYS * 86_400_000);
  const error = await forecastError(ctx, { from, until });
  const nearest = await measuredFrom(ctx, nearestOf(ctx), (rows) => rows);
  const counted = await measuredFrom(ctx, countsOf(ctx), ([row]) => {
    if (!row) throw new Error('the dashboard has no row');
    return row;
  });
  return {
    ...counted.value,
    days: DAYS,
    receiptCount: await countReceipts(ctx, COST_RECEIPTS.kind),
    forecastCount: await countReceipts(ctx, FORECASTS.kind),
    activeRules: await activeRules(ctx),
    budgets: nearest.value.map((row) => ({ ...row })),
    forecastsEnded: error.value.forecasts,
    forecastErrorBasisPoints: error.value.errorBasisPoints,
    standingRules: STANDING_RULES.length,
    provenance: counted.provenance,
  };
}

/** The rules in force that are switched on. */
async function activeRules(ctx: AuthorizedCtx): Promise<number> {
  const rules = await currentContracts(ctx, ANOMALY_RULES.kind);
  const open = rules.map(({ body }) => openedContent(RULE_FIELDS, body as SealedContent));
  return open.filter(({ active }) => active).length;
}

function nearestOf({ who }: AuthorizedCtx) {
  return (rows: Transaction) => rows.$queryRaw<Dashboard['budgets'][number][]>`
    SELECT b.id, b.name, b.scope_kind AS scope, b.scope_ref AS "scopeRef",
      COALESCE(c.spent_micro, 0) AS "spentMicro", b.cap_micro AS "hardCapMicro",
      g.granted AS "grantedMicro",
      CASE WHEN b.cap_micro + g.granted = 0 THEN 100
        ELSE round(COALESCE(c.spent_micro, 0)::numeric * 100 / (b.cap_micro + g.granted), 2)::float8
      END AS "usedPercent"
    FROM budget b
    CROSS JOIN LATERAL (
      SELECT budget_period_start(b.period, b.time_zone, clock_timestamp()) AS period_start
    ) s
    CROSS JOIN LATERAL (SELECT budget_granted(b.id, s.period_start) AS granted) g
    LEFT JOIN budget_counter c ON c.budget_id = b.id AND c.period_start = s.period_start
    WHERE b.tenant_id = ${who.tenantId}::uuid AND b.active AND b.scope_kind <> 'each'
    ORDER BY "usedPercent" DESC, b.id LIMIT 10`;
}

function countsOf({ who }: AuthorizedCtx) {
  const { tenantId } = who;
  return (rows: Transaction) => rows.$queryRaw<Counted[]>`
    SELECT u.requests, u.cost AS "costMicro",
      (SELECT count(*)::int FROM budget
        WHERE tenant_id = ${tenantId}::uuid AND active AND scope_kind <> 'each')
        AS "budgetCount",
      (SELECT count(*)::int FROM anomaly WHERE tenant_id = ${tenantId}::uuid
         AND created_at >= now() - make_interval(days => ${DAYS}::int)) AS anomalies,
      (SELECT count(*)::int FROM spend_pause
       WHERE tenant_id = ${tenantId}::uuid AND status = 'paused') AS "scopesPaused"
    FROM (
      SELECT count(*)::int AS requests, (
          COALESCE(sum(amount_micro), 0) - (
            SELECT COALESCE(sum(r.amount_micro), 0) FROM usage_refund r
            WHERE r.tenant_id = ${tenantId}::uuid
              AND r.created_at >= now() - make_interval(days => ${DAYS}::int)
          ))::bigint AS cost
      FROM usage_event WHERE tenant_id = ${tenantId}::uuid
        AND created_at >= now() - make_interval(days => ${DAYS}::int)
    ) u`;
}
