import { Prisma, type ProviderMigration } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import { next } from '../../kernel/lifecycle.js';
import { LIVE_USAGE_SQL, SIMULATED_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { isMarked, markEffect } from '../../records/keyed-outcomes.js';
import { measuredFrom } from '../../records/measured.js';
import { scanOf } from './columns.js';
import {
  costDeltaPercent,
  decideComparison,
  latencyOf,
  monthAhead,
  monthlyDelta,
} from './compare.rules.js';
import {
  COMPARE_INPUT,
  type Comparison,
  type ComparisonInput,
  type Latency,
} from './comparison-tables.js';
import { type Evaluation, runEvaluation } from './evaluate.js';
import { evidenceOf, type UseCaseCounts } from './evidence.rules.js';
import { compareFaults } from './input.rules.js';
import { MIGRATION_LIFECYCLE } from './lifecycle.js';
import { getProject, modelFaults } from './projects.js';
import { NOT_MEASURED, qualityOf } from './quality.rules.js';
import { COMPARISONS } from './receipts.js';
import { type PricedRoute, priceRoute } from './route.js';
import { takeStep } from './step.js';
import { countUseCases, requireUseCases } from './use-cases.js';
import { COMPARISON, STATUSES } from './vocabulary.js';

/**
 * Compares the source with the route: price, quality by an evaluation set that is run through the
 * gateway, and latency. The result is sealed, and its decision moves the migration.
 * @throws invalid_request with every fault, not_found, lifecycle_refused after the cutover
 */
export async function compareProject(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<ProviderMigration> {
  const input = inputValues(COMPARE_INPUT.fields, given);
  const { model, evaluationSet } = input;
  const unknown = model === null ? [] : modelFaults(ctx, 'input.model', model);
  failOnFaults([...compareFaults(input), ...unknown]);
  const project = await getProject(ctx, id);
  requireUseCases(project, evaluationSet ?? []);
  if (await isMarked(ctx)) return project;
  // Where no comparison is possible any more, nothing is run and nothing is charged.
  next(MIGRATION_LIFECYCLE, STATUSES.parse(project.status), 'hold');
  const target = model ?? project.targetModel;
  const { migrationKey, projectId } = project;
  const evaluation =
    evaluationSet && (await runEvaluation(ctx, migrationKey, target, evaluationSet));
  const route = await priceRoute(ctx, {
    projectId,
    target,
    used: scanOf(project)?.usedCapabilities ?? ['chat'],
    inputShare: input.inputShare,
    evaluated: evaluation?.recorded.value.model,
  });
  const latency = await readLatency(ctx, { evaluation, route, input });
  const counts = await countUseCases(ctx, project);
  return record(ctx, id, { input, target, evaluation, route, latency, counts });
}

interface Measured {
  readonly input: ComparisonInput;
  readonly target: string;
  readonly evaluation: Evaluation | null;
  readonly route: PricedRoute;
  readonly latency: Latency;
  readonly counts: readonly UseCaseCounts[];
}

/** Of the evaluation, where it is large enough, else of what clients have asked the model for. */
async function readLatency(
  ctx: AuthorizedCtx,
  { evaluation, route, input }: Pick<Measured, 'evaluation' | 'route' | 'input'>,
): Promise<Latency> {
  const { model, simulated } = route;
  const ran = evaluation?.recorded;
  if (ran && (model === null || ran.value.latenciesMs.length >= COMPARISON.latencySamplesMin)) {
    const verdict = ran.value.simulated ? 'simulated' : 'measured_by_evaluation';
    return latencyOf({ ...ran, value: ran.value.latenciesMs }, verdict, input.sourceLatencyMs);
  }
  const verdict = simulated ? 'simulated' : 'measured_by_usage';
  const newest = newestOf(ctx, model, simulated);
  const recorded = await measuredFrom(ctx, newest, (rows) => rows.map((row) => row.latencyMs));
  return latencyOf(recorded, verdict, input.sourceLatencyMs);
}

/** The newest requests of clients to a model; those of a simulated one are labelled as such. */
function newestOf({ who }: AuthorizedCtx, model: string | null, simulated: boolean) {
  return (rows: Transaction) => rows.$queryRaw<{ readonly latencyMs: number }[]>`
    SELECT latency_ms AS "latencyMs" FROM usage_event
    WHERE tenant_id = ${who.tenantId}::uuid AND model = ${model}
      AND ${Prisma.raw(simulated ? SIMULATED_USAGE_SQL : LIVE_USAGE_SQL)}
      AND attempts > 0
      AND created_at > clock_timestamp() - make_interval(days => ${COMPARISON.latencyWindowDays})
    ORDER BY seq DESC LIMIT 1000`;
}

/** Decides on the migration as it is now: a scan that was made meanwhile counts. */
function record(ctx: AuthorizedCtx, id: string, measured: Measured): Promise<ProviderMigration> {
  return takeStep(ctx, 'providerMigrationCompare', id, async (tx, before) => {
    await markEffect(ctx, tx);
    const last = await COMPARISONS.byIds(ctx, [before.receiptId ?? ''].filter(Boolean), { tx });
    const number = (last.get(before.receiptId ?? '')?.content.number ?? 0) + 1;
    const content = contentOf(before, number, measured);
    const { cutoverDecision: cutover_decision } = content;
    const event = cutover_decision === 'hold' ? 'hold' : 'mark_ready';
    const status = next(MIGRATION_LIFECYCLE, STATUSES.parse(before.status), event);
    const { id: receiptId } = await COMPARISONS.seal(ctx, `${id}:${number}`, content, { tx });
    // A cutover that waits was asked for on another comparison.
    const data = { status, receiptId, approvalId: null };
    return { data, note: 'compared', body: { receipt_id: receiptId, cutover_decision } };
  });
}

function contentOf(project: ProviderMigration, number: number, measured: Measured): Comparison {
  const { input, target, evaluation, route, latency, counts } = measured;
  const scan = scanOf(project);
  const { sourceCostPer1mMicro, monthlyTokens, sourceQuality } = input;
  const { priceMicro } = route;
  const delta =
    priceMicro === undefined ? undefined : costDeltaPercent(priceMicro, sourceCostPer1mMicro);
  const quality = evaluation ? qualityOf({ ...evaluation, sourceQuality }) : NOT_MEASURED;
  const run = evaluation && {
    sha256: evaluation.sha256,
    simulated: evaluation.recorded.value.simulated,
    costMicro: evaluation.recorded.value.costMicro,
    results: evaluation.results,
  };
  const simulated = route.simulated || (run?.simulated ?? false);
  const evidence = evidenceOf(counts, evaluation?.results ?? []);
  const facts = { scan, costDeltaPercent: delta, simulated, quality, latency, evidence };
  const { outcome: cutoverDecision, guard: decidedBy, reasons } = decideComparison(facts);
  const isEvidence = evaluation !== null && quality.quality !== 'simulated';
  return {
    migrationId: project.id,
    migrationKey: project.migrationKey,
    number,
    targetModel: target,
    routeModel: route.model,
    routeChosenBy: route.chosenBy,
    simulated,
    priceDay: route.day,
    inputShare: route.inputShare,
    sourceCostPer1mMicro,
    routeCostPer1mMicro: priceMicro ?? null,
    costDeltaPercent: delta ?? null,
    monthlyTokens,
    ...monthOf(route, sourceCostPer1mMicro, monthlyTokens),
    ...quality,
    evaluation: run,
    latency,
    evidence,
    score: scan?.score ?? null,
    cutoverDecision,
    decidedBy,
    reasons,
    provenance: {
      sourceCost: 'declared',
      routeCost: 'declared',
      costDelta: 'estimated',
      quality: isEvidence ? evaluation.recorded.provenance : null,
      latency: latency.provenance,
    },
  };
}

const MONTH_MS = 30 * 86_400_000;

/** What a month from now on costs more, each day at its price row; nulls where that is unknown. */
function monthOf(
  { priceMicro, deployment, inputShare }: PricedRoute,
  sourceMicro: bigint,
  tokens: bigint | null,
): Pick<Comparison, 'monthlyDeltaMicro' | 'priceRows' | 'priceChangeMicro'> {
  if (priceMicro === undefined || tokens === null || !deployment) {
    return { monthlyDeltaMicro: null, priceRows: null, priceChangeMicro: null };
  }
  const from = sharedNow();
  const span = { from, until: new Date(from.getTime() + MONTH_MS) };
  const mixed = { deployment: deployment.key, rows: deployment.prices, inputShare };
  const { changeMicro, rows } = monthAhead(mixed, { priceMicro, tokens, span });
  const unchangedMicro = monthlyDelta(priceMicro, sourceMicro, tokens);
  const monthlyDeltaMicro = changeMicro === null ? null : unchangedMicro + changeMicro;
  return { monthlyDeltaMicro, priceRows: rows, priceChangeMicro: changeMicro };
}
