import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { timeOfId } from '../../kernel/ids.js';
import { LIVE_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { subjectsOf } from '../../records/journals.js';
import { measuredFrom } from '../../records/measured.js';
import { ROUTING_OUTCOMES } from '../adaptive/outcomes-journal.js';
import type { Evaluation } from './evaluations.js';
import type { MeasuredAnswers } from './scorecard.rules.js';
import type { ScorecardInput } from './tables.js';
import { MEASURED_ANSWERS_MAX, MEASURED_DAYS } from './vocabulary.js';

/** A recorded answer. */
interface AnswerRow {
  readonly id: string;
  readonly latencyMs: number;
  readonly costMicro: bigint;
}

/** An answer of which the row itself says whether it was good. */
interface EndedRow extends AnswerRow {
  /** It ended by itself, at the first attempt, and by its schema where it has one. */
  readonly endedWell: boolean;
}

/** What somebody reports who could not use an answer as it was. */
const UNUSED = ROUTING_OUTCOMES.values.filter((value) => value !== 'accepted');

/**
 * The recorded answers of a model to real requests of a use case in the last days. An answer is
 * good when it ended well and nobody has reported it as corrected or rejected. What came from the
 * cache was not answered anew.
 */
export async function liveAnswers(
  ctx: AuthorizedCtx,
  { useCase, model }: Pick<ScorecardInput, 'useCase' | 'model'>,
): Promise<MeasuredAnswers> {
  const { tenantId } = ctx.who;
  const read = (rows: Transaction) => rows.$queryRaw<EndedRow[]>`
    SELECT id::text, latency_ms AS "latencyMs", cost_micro AS "costMicro",
           (operation = 'embeddings' OR coalesce(finish_reason, '') IN ('stop', 'tool_calls'))
           AND metadata -> 'gw_prompt' ->> 'schema_valid' IS DISTINCT FROM 'false'
           AND attempts = 1 AS "endedWell"
    FROM usage_event
    WHERE tenant_id = ${tenantId}::uuid AND model = ${model}
      AND coalesce(feature, 'default') = ${useCase} AND metadata -> 'gw_cache' IS NULL
      AND created_at >= now() - make_interval(days => ${MEASURED_DAYS}::int)
      AND ${Prisma.raw(LIVE_USAGE_SQL)}
    ORDER BY seq DESC LIMIT ${MEASURED_ANSWERS_MAX}`;
  const { value: rows } = await measuredFrom(ctx, read, (found) => found);
  const well = rows.filter(({ endedWell }) => endedWell).map(({ id }) => id);
  const unused = await subjectsOf(ctx, ROUTING_OUTCOMES, UNUSED, well);
  const good = new Set(well.filter((id) => !unused.has(id)));
  return answersOf(rows, good);
}

/** The answers of a sealed evaluation that usage says this model, and no simulated one, gave. */
export async function evaluatedAnswers(
  ctx: AuthorizedCtx,
  { answers }: Evaluation,
  model: string,
): Promise<MeasuredAnswers> {
  const ids = answers.map(({ requestId }) => requestId);
  const passed = new Set(answers.filter((each) => each.passed).map(({ requestId }) => requestId));
  const read = (rows: Transaction) => rows.$queryRaw<AnswerRow[]>`
    SELECT id::text, latency_ms AS "latencyMs", cost_micro AS "costMicro" FROM usage_event
    WHERE tenant_id = ${ctx.who.tenantId}::uuid AND id = ANY(${ids}::uuid[])
      AND model = ${model} AND status = 'complete' AND NOT simulated
      AND metadata -> 'gw_cache' IS NULL`;
  const [usageSince] = ids.flatMap((id) => timeOfId(id) ?? []).toSorted((a, b) => +a - +b);
  const kept = usageSince && { usageSince };
  const { value } = await measuredFrom(ctx, read, (rows) => answersOf(rows, passed), kept);
  return value;
}

function answersOf(rows: readonly AnswerRow[], good: ReadonlySet<string>): MeasuredAnswers {
  return {
    answers: rows.length,
    good: rows.filter(({ id }) => good.has(id)).length,
    latencyMs: rows.reduce((sum, { latencyMs }) => sum + BigInt(latencyMs), 0n),
    costMicro: rows.reduce((sum, { costMicro }) => sum + costMicro, 0n),
  };
}
