import { type MigrationProject, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { LIVE_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { type ChecklistItem, type CutoverFacts, checklistOf } from './cutover.rules.js';
import type { StoredComparison } from './receipt.js';
import type { RollbackPlan } from './rollback.rules.js';
import type { Scan } from './scan.rules.js';
import { LIVE_WINDOW_DAYS, type Status } from './vocabulary.js';

interface FactsRow {
  readonly project_id: string;
  readonly key_count: number;
  readonly hybrids: readonly string[];
  readonly budget_count: number;
  readonly answered_count: number;
  readonly available_micro: bigint;
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
    SELECT p.id::text AS project_id,
      (SELECT count(*)::int FROM api_key k
       WHERE k.tenant_id = p.tenant_id AND k.project_id = p.id AND k.revoked_at IS NULL)
        AS key_count,
      ARRAY(SELECT DISTINCT o.rules ->> 'hybrid' FROM policy o
       WHERE o.project_id = p.id AND o.enabled AND o.rules ->> 'hybrid' IS NOT NULL ORDER BY 1)
        AS hybrids,
      (SELECT count(*)::int FROM budget b JOIN policy o ON o.id = b.policy_id
       WHERE o.project_id = p.id AND o.enabled AND b.active) AS budget_count,
      (SELECT count(*)::int FROM (SELECT 1 FROM usage_event u
       WHERE u.tenant_id = p.tenant_id AND u.project_id = p.id AND ${LIVE_USAGE}
         AND u.created_at > ${since} LIMIT ${COUNTED_MAX}) AS counted) AS answered_count,
      coalesce((SELECT a.posted_micro - a.held_micro FROM account a
       WHERE a.tenant_id = p.tenant_id), 0)::bigint AS available_micro
    FROM project p
    WHERE p.tenant_id = ${tenantId}::uuid AND p.id = ANY(${[...projectIds]}::uuid[])`;
  return new Map(rows.map((row) => [row.project_id, row]));
}

/** What the rows show about a migration now. */
export async function readFacts(db: Transaction, project: MigrationProject): Promise<CutoverFacts> {
  const rows = await readRows(db, project.tenantId, [project.projectId]);
  return factsOf(project, rows);
}

/** The checklists of migrations of the caller's tenant, in their order, by one statement. */
export async function readChecklists(
  ctx: AuthorizedCtx,
  projects: readonly MigrationProject[],
): Promise<ChecklistItem[][]> {
  const ids = [...new Set(projects.map(({ projectId }) => projectId))];
  const rows = await readRows(database(ctx), ctx.who.tenantId, ids);
  return projects.map((project) => checklistOf(project.id, factsOf(project, rows)));
}

function factsOf(project: MigrationProject, rows: ReadonlyMap<string, FactsRow>): CutoverFacts {
  const row = rows.get(project.projectId);
  if (!row) throw new Error(`project ${project.projectId} is gone`);
  const comparison = (project.comparison as StoredComparison | null)?.content;
  return {
    status: project.status as Status,
    score: (project.scan as Scan | null)?.score,
    decision: comparison?.cutover_decision,
    decisionReason: comparison?.reasons[0]?.reason ?? '',
    simulated: comparison?.simulated ?? false,
    conditions: conditionsOf(comparison?.reasons ?? []),
    rollbackPlan: project.rollbackPlan as unknown as RollbackPlan,
    keyCount: row.key_count,
    hybrids: row.hybrids,
    budgetCount: row.budget_count,
    answeredCount: row.answered_count,
    availableMicro: row.available_micro,
  };
}

/** What a `conditional` comparison leaves to a member, by the codes of its rules. */
function conditionsOf(reasons: StoredComparison['content']['reasons']): string[] {
  return reasons.filter(({ outcome }) => outcome === 'conditional').map(({ rule }) => rule);
}
