import { Prisma, type PromptEvaluationResult } from '../../generated/prisma/client.js';
import type { Services, Transaction } from '../../graph/ctx.js';
import { measuredLabels } from '../../inference/in-process.js';
import { sharedNow } from '../../kernel/clock.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import { named } from '../../platform/database/pool.js';
import { EVALUATION_RECEIPTS } from '../../prompts/evaluations/receipt.js';
import { shownEvaluation, shownResult } from '../../prompts/evaluations/stored.js';
import { type CaseResult, GRADE } from '../../prompts/evaluations/tables.js';
import type { EvaluationFailure } from '../../prompts/evaluations/vocabulary.js';
import { inTransaction, type TenantScope } from '../../records/scope.js';

/** A run is taken for dead when its process has been silent for so long, in milliseconds. */
export const SILENT_MS_MAX = 60_000;

/** The member of `metadata` by which usage names the run that a request belongs to. */
const RUN_KEY = 'prompt_evaluation';

/** The labels of a request of an evaluation. */
export function measuredAs(id: string) {
  return { ...measuredLabels(RUN_KEY), [RUN_KEY]: id };
}

/** Whether a run goes on: another node may have ended it, a caller may have asked it to end. */
export type Going = 'on' | 'cancelled' | 'ended';

/** Says that a run goes on, and asks whether it may. */
export async function keepEvaluation(scope: TenantScope, id: string): Promise<Going> {
  return inTransaction(scope, {}, (tx) => stillGoing(tx, scope, id));
}

async function stillGoing(tx: Transaction, { who }: TenantScope, id: string): Promise<Going> {
  const rows = await tx.$queryRaw<{ readonly cancelled: boolean }[]>`
    UPDATE prompt_evaluation
    SET alive_until = clock_timestamp() + make_interval(secs => ${SILENT_MS_MAX / 1_000})
    WHERE id = ${id}::uuid AND tenant_id = ${who.tenantId}::uuid AND status = 'running'
    RETURNING cancel_requested_at IS NOT NULL AS cancelled`;
  const [row] = rows;
  if (!row) return 'ended';
  return row.cancelled ? 'cancelled' : 'on';
}

/** Writes the result of a case, unless the run has ended meanwhile. */
export async function recordResult(
  scope: TenantScope,
  evaluationId: string,
  place: number,
  result: CaseResult,
): Promise<Going> {
  const { tenantId } = scope.who;
  return inTransaction(scope, {}, async (tx) => {
    const going = await stillGoing(tx, scope, evaluationId);
    if (going === 'ended') return going;
    const { outcome, costMicro, outputHash, grades } = result;
    await tx.promptEvaluationResult.create({
      data: {
        ...result,
        id: newId('PromptEvaluationResult'),
        ...{ tenantId, evaluationId, place },
        judgeRequestIds: [...result.judgeRequestIds],
        grades: grades.map((each) => sealedContent(GRADE.fields, each)) as Prisma.InputJsonArray,
        outputHash: outputHash === null ? null : new Uint8Array(Buffer.from(outputHash, 'hex')),
      },
    });
    await tx.promptEvaluation.update({
      where: { id: evaluationId, tenantId },
      data: {
        resultsEnded: { increment: 1 },
        resultsPassed: { increment: outcome === 'passed' ? 1 : 0 },
        resultsFailed: { increment: outcome === 'failed' ? 1 : 0 },
        resultsUnproved: { increment: outcome === 'unproved' ? 1 : 0 },
        costMicro: { increment: costMicro },
      },
    });
    return going;
  });
}

/** How a run ends. */
export type Ending =
  | { readonly status: 'completed' | 'cancelled' }
  | { readonly status: 'failed'; readonly failure: EvaluationFailure };

/**
 * Ends a run and seals it, in one transaction, unless it has ended: then nothing changes. What it
 * has cost is what usage says of all its requests, also of those that have no result.
 */
export function endEvaluation(scope: TenantScope, id: string, ending: Ending): Promise<void> {
  return inTransaction(scope, {}, (tx) => endIn(scope, tx, id, ending, Prisma.empty));
}

async function endIn(
  scope: TenantScope,
  tx: Transaction,
  id: string,
  ending: Ending,
  only: Prisma.Sql,
): Promise<void> {
  const { tenantId } = scope.who;
  const locked = await tx.$queryRaw<object[]>`
    SELECT 1 FROM prompt_evaluation WHERE id = ${id}::uuid AND tenant_id = ${tenantId}::uuid
    AND status = 'running' ${only} FOR UPDATE`;
  if (locked.length === 0) return;
  const where = { evaluationId: id, tenantId };
  const row = await tx.promptEvaluation.findFirstOrThrow({ where: { id, tenantId } });
  const results = await tx.promptEvaluationResult.findMany({ where, orderBy: { place: 'asc' } });
  const costMicro = await billed(tx, tenantId, row);
  const { status } = ending;
  const failure = ending.status === 'failed' ? ending.failure : null;
  const ended = { ...row, status, failure, costMicro };
  const content = {
    ...shownEvaluation(ended),
    evaluationId: id,
    results: results.map((each: PromptEvaluationResult) => shownResult(each)),
  };
  const receipt = await EVALUATION_RECEIPTS.seal(scope, id, content, { tx });
  await tx.promptEvaluation.update({
    where: { id, tenantId },
    data: { status, failure, costMicro, receiptId: receipt.id, endedAt: sharedNow() },
  });
}

const CLOCKS_APART_MS_MAX = 3_600_000;

async function billed(
  tx: Transaction,
  tenantId: string,
  { id, createdAt }: { readonly id: string; readonly createdAt: Date },
): Promise<bigint> {
  const since = new Date(createdAt.getTime() - CLOCKS_APART_MS_MAX);
  const rows = await tx.$queryRaw<{ readonly micro: bigint }[]>`
    SELECT coalesce(sum(amount_micro), 0)::bigint AS micro FROM usage_event
    WHERE tenant_id = ${tenantId}::uuid AND created_at >= ${since}
      AND metadata ->> 'gw_origin' = 'prompt_evaluation' AND metadata ->> ${RUN_KEY} = ${id}`;
  return rows[0]?.micro ?? 0n;
}

const SWEEP_ROWS = 20;

/** Runs whose process has died. */
export const LOST_EVALUATIONS =
  "FROM prompt_evaluation WHERE status = 'running' AND alive_until <= clock_timestamp()";
const LOST_SQL = `SELECT id, tenant_id AS "tenantId" ${LOST_EVALUATIONS}
  ORDER BY alive_until LIMIT ${SWEEP_ROWS}`;

/**
 * Ends runs whose process has died as failed by `node_lost`, at most 20 at once, with the results
 * that they had. What they held of the ledger is released by its own recovery. Any number of nodes
 * may sweep.
 */
export async function endLostEvaluations(services: Services): Promise<void> {
  const { platformPool, log } = services;
  type Lost = { readonly id: string; readonly tenantId: string };
  const { rows } = await named<Lost>(platformPool, 'prompt_evaluations_lost', LOST_SQL, []);
  for (const { id, tenantId } of rows) {
    const scope = { services, who: { tenantId } };
    const lost = { status: 'failed', failure: 'node_lost' } as const;
    // A process that was only slow has renewed its run.
    const only = Prisma.sql`AND alive_until <= clock_timestamp()`;
    try {
      await inTransaction(scope, {}, (tx) => endIn(scope, tx, id, lost, only));
    } catch (error) {
      log.error({ err: error, run: id }, 'a lost evaluation could not be ended');
    }
  }
}
