import type { PoolClient } from 'pg';
import { Prisma } from '../../generated/prisma/client.js';
import type { Services, Transaction } from '../../graph/ctx.js';
import { newId } from '../../kernel/ids.js';
import { formatRub } from '../../kernel/money.js';
import { isoTime } from '../../kernel/time.js';
import { named } from '../../platform/database/pool.js';
import { eventFeed, publish } from '../../records/feed.js';
import { inTransaction } from '../../records/scope.js';
import { LADDER, type LadderStep } from '../unit-economics/vocabulary.js';
import { stepsToTell } from './standing.rules.js';

/** The feed of anomalies, soft alerts and steps of ladders of a tenant. */
const ANOMALY_FEED = eventFeed('anomalies');

interface LadderRow {
  readonly budgetId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly scope: string;
  readonly scopeRef: string;
  readonly periodStart: Date;
  readonly spentMicro: bigint;
  readonly capMicro: bigint;
  readonly recorded: readonly string[];
}

/**
 * Records and tells the steps that the ladders of some budgets have reached: each once for a
 * budget, period and cap, in the caller's transaction. With its commit they hold on every node: the
 * row is a control, which the next hold of each node confirms.
 */
export async function climbLadders(tx: Transaction, budgetIds: readonly string[]): Promise<void> {
  if (budgetIds.length === 0) return;
  const rows = await tx.$queryRaw<LadderRow[]>`
    SELECT budget_id AS "budgetId", tenant_id AS "tenantId", name, scope_kind AS scope,
      scope_ref AS "scopeRef", period_start AS "periodStart", spent_micro AS "spentMicro",
      cap_micro AS "capMicro", recorded
    FROM budget_ladder
    WHERE budget_id IN (${Prisma.join(budgetIds.map((id) => Prisma.sql`${id}::uuid`))})
    ORDER BY budget_id`;
  for (const row of rows) {
    for (const step of stepsToTell(row)) await begin(tx, row, step);
  }
}

async function begin(tx: Transaction, row: LadderRow, step: LadderStep): Promise<void> {
  const { tenantId, budgetId, periodStart, spentMicro, capMicro } = row;
  const id = newId('BudgetStep');
  const made = await tx.budgetStep.createMany({
    data: [{ id, tenantId, budgetId, periodStart, step, spentMicro, capMicro }],
    skipDuplicates: true,
  });
  if (made.count === 0) return;
  const payload = {
    budget_id: budgetId,
    budget: row.name,
    scope: row.scope,
    scope_ref: row.scopeRef,
    period_start: isoTime(periodStart).slice(0, 10),
    step,
    from_basis_points: LADDER.find(step)?.fromBasisPoints ?? null,
    spent_rub: formatRub(spentMicro),
    cap_rub: formatRub(capMicro),
  };
  const event = { feed: ANOMALY_FEED.name, type: 'budget_step', subjectId: id, payload };
  await publish(tx, { tenantId, ...event });
}

/** The ladders of whoever has spent. */
const MOVED_SQL = `
  SELECT budget_id AS "budgetId", tenant_id AS "tenantId", spent_micro::text AS spent,
    cap_micro::text AS cap, recorded
  FROM budget_ladder WHERE tenant_id = ANY ($1::uuid[])`;

interface MovedRow extends Pick<LadderRow, 'budgetId' | 'tenantId' | 'recorded'> {
  readonly spent: string;
  readonly cap: string;
}

/**
 * Lets the ladders act of whoever has spent. Each step begins once by itself, so that a batch of
 * usage may be read again.
 * @param client sees the rows of all tenants
 */
export async function climbDueLadders(
  services: Pick<Services, 'prisma' | 'dataKeys'>,
  client: PoolClient,
  tenantIds: readonly string[],
): Promise<void> {
  const { rows } = await named<MovedRow>(client, 'budget_ladders_moved', MOVED_SQL, [tenantIds]);
  const due = new Map<string, string[]>();
  for (const { budgetId, tenantId, spent, cap, recorded } of rows) {
    const climbed = { spentMicro: BigInt(spent), capMicro: BigInt(cap), recorded };
    if (stepsToTell(climbed).length === 0) continue;
    due.set(tenantId, [...(due.get(tenantId) ?? []), budgetId]);
  }
  for (const [tenantId, budgetIds] of due) {
    const scope = { services, who: { tenantId } };
    await inTransaction(scope, {}, (tx) => climbLadders(tx, budgetIds));
  }
}
