import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { inputFaults } from '../../kernel/fields/faults.js';
import { windowOf } from '../../kernel/window.rules.js';
import { measuredFrom } from '../../records/measured.js';
import { ROUTING_OUTCOMES } from './outcomes-journal.js';
import { type OutcomeSums, portfolioOf } from './portfolio.rules.js';
import { type AdaptivePortfolio, PORTFOLIO_QUESTION } from './tables.js';
import { PORTFOLIO_ROWS_MAX } from './vocabulary.js';

/** Which outcomes are asked for. */
interface PortfolioQuestion {
  readonly from?: Date | null;
  readonly to?: Date | null;
  readonly useCase?: string | null;
}

/** Totals and use cases come before the rows of single models, which are the most. */
const ROWS_MAX = 20 * PORTFOLIO_ROWS_MAX;

/**
 * How often answers were accepted, by the outcomes that were reported in a window.
 * @throws invalid_request for a window that is empty or too long
 */
export async function adaptivePortfolio(
  ctx: AuthorizedCtx,
  question: PortfolioQuestion,
): Promise<AdaptivePortfolio> {
  const { from, to, faults } = windowOf(question, new Date());
  failOnFaults([
    ...faults,
    ...inputFaults({ useCase: PORTFOLIO_QUESTION.useCase }, { ...question }, ''),
  ]);
  const { tenantId } = ctx.who;
  const useCase = question.useCase ?? null;
  const read = (rows: Transaction) => rows.$queryRaw<OutcomeSums[]>`
    WITH told AS (
      SELECT value, body ->> 'use_case' AS use_case, body ->> 'model' AS model,
             (body ->> 'explored')::boolean AS explored,
             (body ->> 'is_evidence')::boolean AS is_evidence,
             body ->> 'source' = 'usage' AS is_recorded,
             (body ->> 'cost_rub')::numeric * 1000000 AS cost,
             (body ->> 'latency_ms')::numeric AS latency
      FROM journal_entry
      WHERE tenant_id = ${tenantId}::uuid AND kind = ${ROUTING_OUTCOMES.kind}
        AND created_at >= ${from} AND created_at < ${to}
        AND (${useCase}::text IS NULL OR body ->> 'use_case' = ${useCase}))
    SELECT CASE GROUPING(explored, use_case, model)
             WHEN 7 THEN 'total' WHEN 3 THEN 'explored' WHEN 5 THEN 'use_case' ELSE 'model'
           END AS level,
           is_evidence AS "isEvidence", explored, use_case AS "useCase", model,
           count(*) FILTER (WHERE value = 'accepted')::int AS accepted,
           count(*) FILTER (WHERE value = 'corrected')::int AS corrected,
           count(*) FILTER (WHERE value = 'rejected')::int AS rejected,
           round(avg(cost) FILTER (WHERE is_recorded))::bigint AS "meanCostMicro",
           round(avg(latency) FILTER (WHERE is_recorded))::int AS "meanLatencyMs",
           round(avg(cost) FILTER (WHERE NOT is_recorded))::bigint AS "declaredMeanCostMicro",
           round(avg(latency) FILTER (WHERE NOT is_recorded))::int AS "declaredMeanLatencyMs"
    FROM told
    GROUP BY GROUPING SETS ((is_evidence), (is_evidence, explored), (is_evidence, use_case),
                            (is_evidence, use_case, model))
    ORDER BY GROUPING(model) DESC, GROUPING(use_case) DESC, count(*) DESC, use_case, model
    LIMIT ${ROWS_MAX}`;
  const { value, provenance } = await measuredFrom(ctx, read, portfolioOf);
  return { ...value, from, to, provenance };
}
