import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { windowOf } from '../../kernel/window.rules.js';
import { LIVE_USAGE_SQL, SIMULATED_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { tenantReport } from '../../platform/database/tenant-query.js';
import { measuredFrom } from '../../records/measured.js';
import { type PortfolioRow, portfolioOf } from './portfolio.rules.js';
import { PORTFOLIO_QUESTION, type Portfolio } from './tables.js';
import { PORTFOLIO_USE_CASES_MAX } from './vocabulary.js';

/** The sums of the kinds are few, and come first. */
const KINDS = 3;

const KIND = `CASE WHEN ${LIVE_USAGE_SQL} THEN 'live'
                       WHEN ${SIMULATED_USAGE_SQL} THEN 'simulated' ELSE 'others' END AS kind,
                  metadata -> 'gw_routing' ->> 'use_case' AS use_case`;

const IS_ASKED = `tenant_id = $1 AND metadata ? 'gw_routing'
             AND created_at >= $2 AND created_at < $3
             AND ($4::text IS NULL OR metadata -> 'gw_routing' ->> 'use_case' = $4)`;

const SAVINGS_SQL = {
  name: 'routing_portfolio',
  text: `WITH decided AS (
           SELECT ${KIND}, 1 AS requests, amount_micro, cost_micro,
                  -- Without a baseline nothing was saved.
                  coalesce(round((metadata -> 'gw_routing' ->> 'baseline_cost_rub')::numeric
                    * 1000000), cost_micro)::bigint AS baseline_micro,
                  model <> metadata -> 'gw_routing' ->> 'baseline_model' AS avoided
           FROM usage_event WHERE ${IS_ASKED}
           UNION ALL
           SELECT ${KIND}, 0, -amount_micro, 0, 0, false FROM usage_refund WHERE ${IS_ASKED}
         ), sums AS (
           SELECT kind, use_case, grouping(use_case) AS is_total, sum(requests)::int AS requests,
                  sum(amount_micro)::bigint AS spent, sum(cost_micro)::bigint AS cost,
                  sum(baseline_micro)::bigint AS baseline,
                  count(*) FILTER (WHERE avoided)::int AS avoided
           FROM decided GROUP BY GROUPING SETS ((kind), (kind, use_case))
         )
         SELECT kind, use_case AS "useCase", requests, spent AS "spentMicro",
                cost AS "costMicro", baseline AS "baselineMicro", avoided
         FROM sums WHERE is_total = 1 OR kind = 'live'
         ORDER BY is_total DESC, spent DESC, use_case
         LIMIT ${PORTFOLIO_USE_CASES_MAX + KINDS}`,
};

/**
 * What the decisions of a window have saved: sums of the usage rows that name one. What is spent
 * is what the ledger has charged less the refunds posted in the window; savings are between list
 * prices for the tokens that were billed.
 * @throws invalid_request for a window that is empty or too long
 */
export async function routingPortfolio(ctx: AuthorizedCtx, given: GivenValues): Promise<Portfolio> {
  const asked = inputValues(PORTFOLIO_QUESTION, given);
  const { from, to, faults } = windowOf(asked, sharedNow());
  failOnFaults([...faults, ...inputFaults(PORTFOLIO_QUESTION, asked, '')]);
  const { tenantId } = ctx.who;
  const statement = { ...SAVINGS_SQL, values: [tenantId, from, to, asked.useCase] };
  const read = async () =>
    (await tenantReport<PortfolioRow & object>(ctx.services.pool, tenantId, statement)).rows;
  const { value, provenance } = await measuredFrom(
    ctx,
    read,
    (rows) => portfolioOf(rows, { from, to }),
    { usageSince: from },
  );
  return { ...value, provenance };
}
