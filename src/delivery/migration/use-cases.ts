import { Prisma, type ProviderMigration } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { type Fault, failOnFaults } from '../../kernel/errors/fail.js';
import { oneOf } from '../../kernel/errors/faults.js';
import { LIVE_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { measuredFrom } from '../../records/measured.js';
import type { EvaluationItem } from './evaluation.rules.js';
import type { UseCaseCounts } from './evidence.rules.js';
import { COMPARISON, EVIDENCE_MINIMUMS } from './vocabulary.js';

/** The use cases that a migration names, each once. */
function useCasesOf({ useCases }: Pick<ProviderMigration, 'useCases'>): string[] {
  return [...new Set(useCases as string[])];
}

/** Requires that items name use cases of the migration alone. @throws invalid_request */
export function requireUseCases(
  project: Pick<ProviderMigration, 'useCases'>,
  items: readonly EvaluationItem[],
): void {
  const known = useCasesOf(project);
  const faults = items.flatMap(({ useCase }, index): Fault[] =>
    useCase == null ? [] : oneOf(`input.evaluationSet.${index}.useCase`, useCase, known),
  );
  failOnFaults(faults);
}

const MINIMUM = EVIDENCE_MINIMUMS.find('live_requests')?.minimum ?? 0;

/**
 * Live requests of each use case of a migration, in one statement and counted up to the minimum:
 * those of clients of its project that real models answered in full. Where no use case is named,
 * the whole project counts as one.
 */
export async function countUseCases(
  ctx: AuthorizedCtx,
  project: Pick<ProviderMigration, 'useCases' | 'projectId'>,
): Promise<UseCaseCounts[]> {
  const named = useCasesOf(project);
  const asked = named.length === 0 ? [null] : named;
  const { tenantId } = ctx.who;
  const read = (rows: Transaction) => rows.$queryRaw<UseCaseCounts[]>`
    SELECT asked.name AS "useCase", counted.found AS "liveRequests"
    FROM unnest(${asked}::text[]) WITH ORDINALITY AS asked (name, place)
    CROSS JOIN LATERAL (SELECT count(*)::int AS found FROM (
      SELECT 1 FROM usage_event u
      WHERE u.tenant_id = ${tenantId}::uuid AND u.project_id = ${project.projectId}::uuid
        AND (asked.name IS NULL OR u.feature = asked.name) AND ${Prisma.raw(LIVE_USAGE_SQL)}
        AND u.attempts > 0
        AND u.created_at > clock_timestamp()
          - make_interval(days => ${COMPARISON.latencyWindowDays})
      LIMIT ${MINIMUM}) AS live) AS counted
    ORDER BY asked.place`;
  return (await measuredFrom(ctx, read, (rows) => [...rows])).value;
}
