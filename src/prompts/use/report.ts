import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { windowOf } from '../../kernel/window.rules.js';
import { tenantReport } from '../../platform/database/tenant-query.js';
import { measuredFrom } from '../../records/measured.js';
import { requireOwn } from '../../records/own.js';
import { trafficOf, type VersionTotals, versionUsage } from './report.rules.js';
import type { PromptUsage } from './tables.js';

const TOTALS_SQL = {
  name: 'prompt_usage',
  text: `WITH used AS MATERIALIZED (
           SELECT (metadata -> 'gw_prompt' ->> 'version')::int AS version,
                  (metadata -> 'gw_prompt' ->> 'schema_valid')::boolean AS schema_valid,
                  simulated, status, error_code, finish_reason, amount_micro, latency_ms,
                  input_uncached + input_cached + cache_write AS input_tokens,
                  output_text + output_reasoning AS output_tokens
           FROM usage_event
           WHERE tenant_id = $1 AND metadata ? 'gw_prompt'
             AND metadata -> 'gw_prompt' ->> 'prompt_id' = $2::uuid::text
             AND created_at >= $3 AND created_at < $4
         ), refunded AS (
           SELECT (metadata -> 'gw_prompt' ->> 'version')::int AS version,
                  sum(amount_micro) AS refunded
           FROM usage_refund
           WHERE tenant_id = $1 AND metadata -> 'gw_prompt' ->> 'prompt_id' = $2::uuid::text
             AND created_at >= $3 AND created_at < $4
           GROUP BY 1
         ), errors AS (
           SELECT version, jsonb_object_agg(error_code, requests) AS by_code
           FROM (SELECT version, error_code, count(*) AS requests FROM used
                 WHERE error_code IS NOT NULL GROUP BY version, error_code) each
           GROUP BY version
         ), totals AS (
           SELECT version, count(*)::int AS requests,
                  count(*) FILTER (WHERE simulated)::int AS simulated,
                  count(*) FILTER (WHERE status = 'complete')::int AS complete,
                  count(*) FILTER (WHERE status = 'partial')::int AS partial,
                  count(*) FILTER (WHERE status = 'failed')::int AS failed,
                  count(*) FILTER (WHERE finish_reason = 'content_filter')::int AS refused,
                  sum(amount_micro)::bigint AS cost,
                  sum(input_tokens)::bigint AS input_tokens,
                  sum(output_tokens)::bigint AS output_tokens,
                  percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY latency_ms)
                    FILTER (WHERE status <> 'failed') AS latencies,
                  count(schema_valid) FILTER (WHERE NOT simulated)::int AS schema_checked,
                  count(*) FILTER (WHERE schema_valid AND NOT simulated)::int AS schema_valid,
                  count(schema_valid) FILTER (WHERE simulated)::int AS schema_checked_simulated,
                  count(*) FILTER (WHERE schema_valid AND simulated)::int
                    AS schema_valid_simulated
           FROM used GROUP BY version
         )
         SELECT version, s.status, coalesce(t.requests, 0) AS requests,
                coalesce(t.simulated, 0) AS simulated,
                coalesce(t.complete, 0) AS complete, coalesce(t.partial, 0) AS partial,
                coalesce(t.failed, 0) AS failed, coalesce(t.refused, 0) AS refused,
                coalesce(e.by_code, '{}') AS errors,
                (coalesce(t.cost, 0) - coalesce(r.refunded, 0))::bigint AS "costMicro",
                coalesce(t.input_tokens, 0) AS "inputTokens",
                coalesce(t.output_tokens, 0) AS "outputTokens",
                t.latencies[1] AS "latencyMsP50", t.latencies[2] AS "latencyMsP95",
                coalesce(t.schema_checked, 0) AS "schemaChecked",
                coalesce(t.schema_valid, 0) AS "schemaValid",
                coalesce(t.schema_checked_simulated, 0) AS "schemaCheckedSimulated",
                coalesce(t.schema_valid_simulated, 0) AS "schemaValidSimulated"
         FROM prompt_stage s
         LEFT JOIN totals t USING (version)
         LEFT JOIN refunded r USING (version)
         LEFT JOIN errors e USING (version)
         WHERE s.tenant_id = $1 AND s.prompt_id = $2
         ORDER BY version DESC`,
};

/**
 * What the requests of a window cost and how they ended, for each version of a prompt: sums of the
 * usage rows, which are those of the ledger, less the refunds posted in it. A version without
 * requests says so.
 * @throws invalid_request for a window that is empty or too long, not_found
 */
export async function promptUsage(
  ctx: AuthorizedCtx,
  input: { readonly promptId: string; readonly from?: Date | null; readonly to?: Date | null },
): Promise<PromptUsage> {
  const { from, to, faults } = windowOf(input, sharedNow());
  failOnFaults(faults);
  const { promptId } = input;
  const { promptKey } = await requireOwn(ctx, 'Prompt', promptId, { param: 'promptId' });
  const totals = { ...TOTALS_SQL, values: [ctx.who.tenantId, promptId, from, to] };
  const { pool } = ctx.services;
  const read = async () => (await tenantReport<VersionTotals>(pool, ctx.who.tenantId, totals)).rows;
  const sumsOf = (rows: readonly VersionTotals[]) => {
    const requests = rows.reduce((sum, each) => sum + each.requests, 0);
    const simulatedRequests = rows.reduce((sum, { simulated }) => sum + simulated, 0);
    const costMicro = rows.reduce((sum, each) => sum + each.costMicro, 0n);
    return { requests, simulatedRequests, costMicro, versions: rows.map(versionUsage) };
  };
  const { value, provenance } = await measuredFrom(ctx, read, sumsOf, { usageSince: from });
  const isSimulated = trafficOf(value.requests, value.simulatedRequests) === 'simulated';
  const label = isSimulated ? 'simulated' : provenance;
  return { promptId, promptKey, from, to, ...value, provenance: label };
}
