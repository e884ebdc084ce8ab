import type { Model } from '../../catalog/providers/model.js';
import type { Prompt, PromptVersion } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { databaseOf, type WriteOptions } from '../../records/scope.js';
import type { ModelVariant } from '../packages/vocabulary.js';
import type { Evidence, EvidenceTarget } from './evidence-tables.js';
import { hex, targetsOfRun } from './stored.js';
import type { Target } from './tables.js';

/** Completed evaluations of two versions over one case set that are looked through. */
const EVALUATIONS_MAX = 500;

const LETTERS: Readonly<Record<string, string>> = { passed: 'p', failed: 'f', unproved: 'u' };

/**
 * What is recorded of a version: of each model that it names, the latest completed evaluation of
 * exactly its content over the latest case set of the package, and the same of the version in
 * production.
 */
export async function evidenceOf(
  ctx: AuthorizedCtx,
  { id: promptId, tenantId }: Pick<Prompt, 'id' | 'tenantId'>,
  version: PromptVersion,
  options: WriteOptions = {},
): Promise<Evidence> {
  const rows = databaseOf(ctx, options);
  const set = await rows.promptCaseSet.findFirst({
    where: { promptId, tenantId },
    orderBy: { version: 'desc' },
    omit: { cases: true, casesSealed: true },
  });
  const stage = await rows.promptStage.findFirst({
    where: { promptId, tenantId, status: 'production', version: { not: version.version } },
  });
  const production = stage
    ? await rows.promptVersion.findFirst({ where: { promptId, version: stage.version } })
    : null;
  const versions = production ? [version, production] : [version];
  const recorded = set ? await recordedOf(rows, promptId, set.id, versions) : NOTHING;
  const targetsOf = (of: PromptVersion) => targetsOfVersion(ctx, of, recorded);
  return {
    hasSchema: version.outputSchema !== null,
    caseSetId: set?.id ?? null,
    caseSetVersion: set?.version ?? null,
    caseSetHash: set ? hex(set.contentHash) : null,
    caseCount: set?.caseCount ?? 0,
    passShareMin: set?.passShareMin ?? 1,
    significance: set?.significance ?? 0.05,
    targets: targetsOf(version),
    production: production && {
      version: production.version,
      contentHash: hex(production.contentHash),
      targets: targetsOf(production),
    },
  };
}

type Recorded = Awaited<ReturnType<typeof recordedOf>>;
const NOTHING: Recorded = { runs: [], results: [] };

/** The completed evaluations, latest first, and the results of those that may count. */
async function recordedOf(
  rows: Transaction,
  promptId: string,
  caseSetId: string,
  versions: readonly PromptVersion[],
) {
  const found = await rows.promptEvaluation.findMany({
    where: {
      promptId,
      caseSetId,
      status: 'completed',
      promptVersion: { in: versions.map(({ version }) => version) },
    },
    orderBy: { id: 'desc' },
    take: EVALUATIONS_MAX,
  });
  const runs = found
    .filter((run) =>
      versions.some(
        (of) => of.version === run.promptVersion && hex(of.contentHash) === hex(run.contentHash),
      ),
    )
    .map((run) => ({ ...run, targets: targetsOfRun(run) }));
  const latest = new Map<string, string>();
  for (const { id, promptVersion, targets } of runs) {
    for (const target of targets) {
      const key = `${promptVersion} ${target.name}`;
      if (!latest.has(key)) latest.set(key, id);
    }
  }
  const results = await rows.promptEvaluationResult.findMany({
    where: { evaluationId: { in: [...new Set(latest.values())] } },
    orderBy: { caseIndex: 'asc' },
    omit: { grades: true },
  });
  return { runs, results };
}

function targetsOfVersion(
  ctx: AuthorizedCtx,
  version: PromptVersion,
  { runs, results }: Recorded,
): EvidenceTarget[] {
  const own = runs.filter(({ promptVersion }) => promptVersion === version.version);
  const variants = version.modelVariants as unknown as readonly ModelVariant[];
  const named: readonly Pick<Target, 'name' | 'model'>[] =
    variants.length > 0 ? variants : ranTargets(own);
  return named.map(({ name, model }): EvidenceTarget => {
    const isOf = (target: Target) => target.name === name && target.model === model;
    const those = own.filter(({ targets }) => targets.some(isOf));
    const [run] = those;
    const cases = results.filter((each) => each.evaluationId === run?.id && each.target === name);
    const latencies = cases.filter(({ requestId }) => requestId !== null);
    return {
      name,
      model,
      // What an evaluation has named proves nothing of the model that a client will name.
      simulatedOnly: variants.length > 0 && isSimulatedOnly(ctx, model),
      evaluationId: run?.id ?? null,
      receiptId: run?.receiptId ?? null,
      runs: those.length,
      outcomes: run ? cases.map(({ outcome }) => LETTERS[outcome] ?? 'u').join('') : null,
      simulated: cases.some(({ simulated }) => simulated),
      schemaChecked: cases.filter(({ schemaValid }) => schemaValid !== null).length,
      schemaValid: cases.filter(({ schemaValid }) => schemaValid === true).length,
      costMicro: cases.reduce((sum, { costMicro }) => sum + costMicro, 0n),
      latencyMsMedian: median(latencies.map(({ latencyMs }) => latencyMs)),
    };
  });
}

/** What a version without variants was run with: whatever its evaluations named. */
function ranTargets(runs: Recorded['runs']): Target[] {
  const targets = new Map<string, Target>();
  for (const each of runs.flatMap(({ targets: those }) => those)) {
    if (!targets.has(each.name)) targets.set(each.name, each);
  }
  return [...targets.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether only the sandbox can answer for a model, or for all that an alias may choose. */
function isSimulatedOnly({ services: { registry } }: AuthorizedCtx, name: string): boolean {
  const model = registry.models.get(name);
  if (model) return model.simulated;
  if (!registry.aliases.has(name)) return false;
  return [...registry.models.values()].every((each: Model) => each.simulated);
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}
