import { Prisma, type ProviderMigration } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { LIVE_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { databaseOf, type WriteOptions } from '../../records/scope.js';
import { aliasFacts } from '../../routing/aliases/batch.js';
import type { AliasScope } from '../../routing/aliases/service.js';
import { aliasEvidence, aliasesOf } from './aliases.js';
import { planOf, scanOf } from './columns.js';
import { type CutoverFacts, checklistOf } from './cutover.rules.js';
import { COMPARISONS, type ComparisonReceipt } from './receipts.js';
import type { ChecklistItem } from './tables.js';
import { LIVE_WINDOW_DAYS, STATUSES } from './vocabulary.js';

/** What the rows show about the project of a migration. */
interface FactsRow
  extends Pick<
    CutoverFacts,
    'keyCount' | 'hybrids' | 'budgetCount' | 'answeredCount' | 'availableMicro'
  > {
  readonly projectId: string;
}

/** Requests are counted to here: a sign of life needs no total. */
const COUNTED_MAX = 100;

const LIVE_USAGE = Prisma.raw(LIVE_USAGE_SQL);

/** What the rows of a tenant show about projects, in one statement. */
async function readRows(
  db: Transaction,
  tenantId: string,
  projectIds: readonly string[],
): Promise<Map<string, FactsRow>> {
  const since = Prisma.sql`clock_timestamp() - make_interval(days => ${LIVE_WINDOW_DAYS}::int)`;
  const rows = await db.$queryRaw<FactsRow[]>`
    SELECT p.id::text AS "projectId",
      (SELECT count(*)::int FROM api_key k
       WHERE k.tenant_id = p.tenant_id AND k.project_id = p.id AND k.revoked_at IS NULL
         AND k.expires_at IS NULL)
        AS "keyCount",
      ARRAY(SELECT DISTINCT o.rules ->> 'hybrid' FROM policy o
       WHERE o.project_id = p.id AND o.enabled AND o.rules ->> 'hybrid' IS NOT NULL ORDER BY 1)
        AS hybrids,
      (SELECT count(*)::int FROM budget b JOIN policy o ON o.id = b.policy_id
       WHERE o.project_id = p.id AND o.enabled AND b.active) AS "budgetCount",
      (SELECT count(*)::int FROM (SELECT 1 FROM usage_event u
       WHERE u.tenant_id = p.tenant_id AND u.project_id = p.id AND ${LIVE_USAGE}
         AND u.created_at > ${since} LIMIT ${COUNTED_MAX}) AS counted) AS "answeredCount",
      coalesce((SELECT a.posted_micro - a.held_micro FROM account a
       WHERE a.tenant_id = p.tenant_id), 0)::bigint AS "availableMicro"
    FROM project p
    WHERE p.tenant_id = ${tenantId}::uuid AND p.id = ANY(${[...projectIds]}::uuid[])`;
  return new Map(rows.map((row) => [row.projectId, row]));
}

/** What the rows show about a migration, with its last comparison. */
export interface MigrationFacts extends CutoverFacts {
  readonly id: string;
  readonly comparison: ComparisonReceipt | undefined;
}

/** What the rows show about migrations now, in their order. */
async function readFacts(
  scope: AliasScope,
  projects: readonly ProviderMigration[],
  options: WriteOptions = {},
): Promise<MigrationFacts[]> {
  const projectIds = [...new Set(projects.map(({ projectId }) => projectId))];
  const receiptIds = projects.flatMap(({ receiptId }) => receiptId ?? []);
  const rows = await readRows(databaseOf(scope, options), scope.who.tenantId, projectIds);
  const receipts = await COMPARISONS.byIds(scope, receiptIds, options);
  const aliases = await aliasFacts(scope, projects.flatMap(aliasesOf), options);
  return projects.map((project) => {
    const row = rows.get(project.projectId);
    if (!row) throw new Error(`project ${project.projectId} is gone`);
    const evidence = aliasEvidence(scope, project, aliases);
    return { ...factsOf(project, row, receipts.get(project.receiptId ?? '')), ...evidence };
  });
}

/** What the rows show about a locked migration. */
export async function readFactsOf(
  scope: AliasScope,
  tx: Transaction,
  project: ProviderMigration,
): Promise<MigrationFacts> {
  const [facts] = await readFacts(scope, [project], { tx });
  return facts as MigrationFacts;
}

/** The checklists of migrations of the caller's tenant, in their order. */
export async function readChecklists(
  ctx: AuthorizedCtx,
  projects: readonly ProviderMigration[],
): Promise<ChecklistItem[][]> {
  const facts = await readFacts(ctx, projects);
  return facts.map((each) => checklistOf(each.id, each));
}

function factsOf(
  project: ProviderMigration,
  row: FactsRow,
  receipt: ComparisonReceipt | undefined,
): Omit<MigrationFacts, 'aliasCount' | 'aliasConflicts'> {
  const comparison = receipt?.content;
  const reasons = comparison?.reasons ?? [];
  return {
    ...row,
    id: project.id,
    status: STATUSES.parse(project.status),
    score: scanOf(project)?.score,
    comparison: receipt,
    decision: comparison?.cutoverDecision,
    decisionReason: reasons[0]?.reason ?? '',
    simulated: comparison?.simulated ?? false,
    conditions: reasons.filter(({ outcome }) => outcome === 'conditional').map(({ rule }) => rule),
    rollbackPlan: planOf(project),
  };
}
