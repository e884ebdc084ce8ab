import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { LIVE_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { measuredFrom } from '../../records/measured.js';
import { ROUTING_OUTCOMES } from '../adaptive/outcomes-journal.js';
import type { Evaluation } from './evaluations.js';
import type { MeasuredAnswers } from './scorecard.rules.js';
import type { ScorecardInput } from './tables.js';
import { MEASURED_ANSWERS_MAX, MEASURED_DAYS } from './vocabulary.js';

/** Which answers are counted. */
type Asked = Pick<ScorecardInput, 'useCase' | 'model'>;

/**
 * The recorded answers of a model to real requests of a use case in the last days. An answer is
 * good when it ended by itself, at the first attempt, by its schema where it has one, and nobody
 * has reported it as corrected or rejected. What came from the cache was not answered anew.
 */
export function liveAnswers(ctx: AuthorizedCtx, { useCase, model }: Asked) {
  const { tenantId } = ctx.who;
  const read = (rows: Transaction) => rows.$queryRaw<MeasuredAnswers[]>`
    SELECT count(*)::int AS answers, count(*) FILTER (WHERE is_good)::int AS good,
           coalesce(sum(latency_ms), 0)::bigint AS "latencyMs",
           coalesce(sum(cost_micro), 0)::bigint AS "costMicro"
    FROM (
      SELECT latency_ms, cost_micro,
             (operation = 'embeddings' OR finish_reason IN ('stop', 'tool_calls'))
             AND metadata -> 'gw_prompt' ->> 'schema_valid' IS DISTINCT FROM 'false'
             AND attempts = 1
             AND NOT EXISTS (SELECT 1 FROM journal_entry j
               WHERE j.tenant_id = usage_event.tenant_id AND j.kind = ${ROUTING_OUTCOMES.kind}
                 AND j.subject = usage_event.id::text AND j.value <> 'accepted') AS is_good
      FROM usage_event
      WHERE tenant_id = ${tenantId}::uuid AND model = ${model}
        AND coalesce(feature, 'default') = ${useCase} AND metadata -> 'gw_cache' IS NULL
        AND created_at >= now() - make_interval(days => ${MEASURED_DAYS}::int)
        AND ${Prisma.raw(LIVE_USAGE_SQL)}
      ORDER BY seq DESC LIMIT ${MEASURED_ANSWERS_MAX}) newest`;
  return measuredFrom(ctx, read, ([counted]) => counted ?? NONE);
}

const NONE: MeasuredAnswers = { answers: 0, good: 0, latencyMs: 0n, costMicro: 0n };

interface AnswerRow {
  readonly id: string;
  readonly latencyMs: number;
  readonly costMicro: bigint;
}

/** The answers of a sealed evaluation that usage says this model, and no simulated one, gave. */
export function evaluatedAnswers(ctx: AuthorizedCtx, { answers }: Evaluation, model: string) {
  const ids = answers.map(({ requestId }) => requestId);
  const passed = new Set(answers.filter((each) => each.passed).map(({ requestId }) => requestId));
  const read = (rows: Transaction) => rows.$queryRaw<AnswerRow[]>`
    SELECT id::text, latency_ms AS "latencyMs", cost_micro AS "costMicro" FROM usage_event
    WHERE tenant_id = ${ctx.who.tenantId}::uuid AND id = ANY(${ids}::uuid[])
      AND model = ${model} AND status = 'complete' AND NOT simulated`;
  return measuredFrom(ctx, read, (rows) => ({
    answers: rows.length,
    good: rows.filter(({ id }) => passed.has(id)).length,
    latencyMs: rows.reduce((sum, { latencyMs }) => sum + BigInt(latencyMs), 0n),
    costMicro: rows.reduce((sum, { costMicro }) => sum + costMicro, 0n),
  }));
}
