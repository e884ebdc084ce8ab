import type { MigrationProject } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { next } from '../../kernel/lifecycle.js';
import { formatRub, type MicroRub } from '../../kernel/money.js';
import { LIVE_USAGE_SQL, SIMULATED_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { endApproval } from '../../records/approvals/queue.js';
import { isMarked, markEffect } from '../../records/keyed-outcomes.js';
import { seal } from '../../records/receipts.js';
import { inTransaction } from '../../records/scope.js';
import {
  costDeltaPercent,
  decideComparison,
  type Latency,
  latencyOf,
  monthlyDelta,
} from './compare.rules.js';
import { compareFaults } from './compare-input.rules.js';
import { type Evaluation, runEvaluation } from './evaluate.js';
import type { EvaluationItem } from './evaluation.rules.js';
import { MIGRATION_LIFECYCLE } from './lifecycle.js';
import { getProject, modelFaults, stored } from './projects.js';
import { NOT_MEASURED, type Quality, qualityOf } from './quality.rules.js';
import type { ComparisonContent, StoredComparison } from './receipt.js';
import { type PricedRoute, priceRoute } from './route.js';
import type { Scan } from './scan.rules.js';
import { auditStep, lockProject, writeStep } from './step.js';
import { COMPARISON, type Status } from './vocabulary.js';

/** What a comparison is made from; only the price of the source must be stated. */
export interface ComparisonInput {
  /** What a million tokens cost at the source, in micro-rubles. */
  readonly sourceCostMicro: MicroRub;
  /** Another model than that of the migration. */
  readonly model?: string | null;
  readonly evaluationSet?: readonly EvaluationItem[] | null;
  readonly sourceQuality?: number | null;
  readonly sourceLatencyMs?: number | null;
  readonly monthlyTokens?: bigint | null;
  readonly inputShare?: number | null;
}

/**
 * Compares the source with the route: price, quality by an evaluation set that is run through the
 * gateway, and latency. The result is sealed, and its decision moves the migration.
 * @throws invalid_request with every fault, not_found, lifecycle_refused after the cutover
 */
export async function compareProject(
  ctx: AuthorizedCtx,
  id: string,
  input: ComparisonInput,
): Promise<MigrationProject> {
  failOnFaults([
    ...compareFaults(input),
    ...(input.model == null ? [] : modelFaults(ctx, 'model', input.model)),
  ]);
  const project = await getProject(ctx, id);
  if (await isMarked(ctx)) return project;
  // Where no comparison is possible any more, nothing is run and nothing is charged.
  next(MIGRATION_LIFECYCLE, project.status as Status, 'hold');
  const target = input.model ?? project.targetModel;
  const evaluation = input.evaluationSet
    ? await runEvaluation(ctx, {
        migrationKey: project.migrationKey,
        model: target,
        items: input.evaluationSet,
      })
    : undefined;
  const route = await priceRoute(ctx, {
    projectId: project.projectId,
    target,
    used: (project.scan as Scan | null)?.used_capabilities ?? ['chat'],
    inputShare: input.inputShare ?? undefined,
    evaluated: evaluation?.model,
  });
  const latency = await readLatency(ctx, { evaluation, route, input });
  return record(ctx, id, { input, target, evaluation, route, latency });
}

interface Measured {
  readonly input: ComparisonInput;
  readonly target: string;
  readonly evaluation: Evaluation | undefined;
  readonly route: PricedRoute;
  readonly latency: Latency;
}

/** The newest requests of clients to a model; those of a simulated one are labelled as such. */
const latenciesSql = (simulated: boolean) => ({
  name: `migration_latencies_${simulated ? 'simulated' : 'live'}`,
  text: `SELECT latency_ms FROM usage_event
    WHERE tenant_id = $1 AND model = $2 AND ${simulated ? SIMULATED_USAGE_SQL : LIVE_USAGE_SQL}
      AND created_at > clock_timestamp() - make_interval(days => $3)
    ORDER BY seq DESC LIMIT 1000`,
});

async function readLatency(
  ctx: AuthorizedCtx,
  { evaluation, route, input }: Pick<Measured, 'evaluation' | 'route' | 'input'>,
): Promise<Latency> {
  const sourceMs = input.sourceLatencyMs ?? undefined;
  const ran = evaluation?.latenciesMs ?? [];
  if (ran.length >= COMPARISON.latencySamplesMin || route.model === null) {
    const verdict = evaluation?.simulated ? 'simulated' : 'measured_by_evaluation';
    return latencyOf(ran, verdict, sourceMs);
  }
  const { rows } = await ctx.services.pool.query<{ latency_ms: number }>({
    ...latenciesSql(route.simulated),
    values: [ctx.who.tenantId, route.model, COMPARISON.latencyWindowDays],
  });
  const samples = rows.map(({ latency_ms }) => latency_ms);
  return latencyOf(samples, route.simulated ? 'simulated' : 'measured_by_usage', sourceMs);
}

/** Decides on the migration as it is now: a scan that was made meanwhile counts. */
async function record(
  ctx: AuthorizedCtx,
  id: string,
  measured: Measured,
): Promise<MigrationProject> {
  const { tenantId } = ctx.who;
  const { before, project } = await inTransaction(ctx, {}, async (tx) => {
    await markEffect(ctx, tx);
    const before = await lockProject(tx, tenantId, id);
    const content = contentOf(before, measured);
    const event = content.cutover_decision === 'hold' ? 'hold' : 'mark_ready';
    const status = next(MIGRATION_LIFECYCLE, before.status as Status, event);
    const { receipt } = await seal(
      ctx,
      'migration_comparison',
      `${id}:${content.number}`,
      { ...content },
      { tx },
    );
    const comparison: StoredComparison = {
      content,
      sha256: Buffer.from(receipt.sha256).toString('hex'),
      sealed_at: receipt.createdAt.toISOString(),
    };
    const project = await writeStep(tx, {
      before,
      data: {
        status,
        comparison: stored(comparison),
        receiptId: receipt.id,
        // A cutover that waits was asked for on another comparison.
        approvalId: null,
      },
      note: 'compared',
      body: { receipt_id: receipt.id, cutover_decision: content.cutover_decision },
    });
    await auditStep(ctx, tx, 'migrationProjectCompare', before, project);
    return { before, project };
  });
  if (before.approvalId) await endApproval(ctx, before.approvalId);
  return project;
}

function contentOf(project: MigrationProject, measured: Measured): ComparisonContent {
  const { input, target, evaluation, route, latency } = measured;
  const scan = (project.scan as Scan | null) ?? undefined;
  const last = project.comparison as StoredComparison | null;
  const { sourceCostMicro: source, monthlyTokens } = input;
  const price = route.priceMicro;
  const delta = price === undefined ? undefined : costDeltaPercent(price, source);
  const quality: Quality = evaluation
    ? qualityOf({ ...evaluation, sourceQuality: input.sourceQuality ?? undefined })
    : NOT_MEASURED;
  const simulated = route.simulated || (evaluation?.simulated ?? false);
  const decided = decideComparison({
    scan,
    costDeltaPercent: delta,
    simulated,
    quality,
    latency,
  });
  const monthly =
    price === undefined || monthlyTokens == null
      ? null
      : formatRub(monthlyDelta(price, source, monthlyTokens));
  return {
    migration_id: project.id,
    migration_key: project.migrationKey,
    number: (last?.content.number ?? 0) + 1,
    target_model: target,
    route_model: route.model,
    route_chosen_by: route.chosenBy,
    simulated,
    price_day: route.day,
    input_share: route.inputShare,
    source_cost_per_1m_rub: formatRub(source),
    route_cost_per_1m_rub: price === undefined ? null : formatRub(price),
    cost_delta_percent: delta ?? null,
    monthly_tokens: monthlyTokens?.toString() ?? null,
    monthly_delta_rub: monthly,
    quality,
    evaluation: evaluation
      ? {
          sha256: evaluation.sha256,
          simulated: evaluation.simulated,
          cost_rub: formatRub(evaluation.costMicro),
          results: evaluation.results.map((result) => ({ ...result })),
        }
      : null,
    latency,
    score: scan?.score ?? null,
    cutover_decision: decided.outcome,
    decided_by: decided.guard,
    reasons: decided.reasons,
    provenance: {
      source_cost: 'declared',
      route_cost: 'declared',
      cost_delta: 'estimated',
      quality: evaluation && quality.verdict !== 'simulated' ? 'live_measured' : null,
      latency: latency.provenance,
    },
  };
}
