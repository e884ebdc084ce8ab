import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { sharedNowMs } from '../../kernel/clock.js';
import type { Listener } from '../../platform/database/listen.js';
import { TenantMemory } from '../../platform/tenant-memory.js';
import type { LadderStep } from '../unit-economics/vocabulary.js';
import { type ByScope, type ScopeBudget, scopeKey } from './budgets.rules.js';
import { stepsInForce } from './standing.rules.js';
import type { OnCapReached } from './vocabulary.js';

declare module '../../graph/ctx.js' {
  interface Services {
    readonly spendControls: SpendControlMemory;
  }
}

/** What acts on the spending of an organization's scopes. */
export interface SpendControls {
  readonly budgets: ByScope<ScopeBudget>;
  readonly pauses: ByScope<ScopePause>;
  /** Budgets that stand on a step of their ladder. */
  readonly ladders: ByScope<LadderBudget>;
  /** When the first period ends that a ladder is of, in milliseconds since 1970. */
  readonly untilMs: number;
}

/** A budget that stands on a step of its ladder. */
export interface LadderBudget {
  readonly id: string;
  readonly name: string;
  /** What the budget is of, by which it concerns a request. */
  readonly scope: string;
  readonly ref: string;
  /** The highest step that holds; all before it hold too. */
  readonly step: LadderStep;
}

/** A scope whose requests are refused. */
export interface ScopePause {
  readonly id: string;
  readonly scope: string;
  readonly ref: string;
  readonly reason: string;
  readonly approvalId: string | null;
}

const PAUSES_SQL = {
  name: 'scope_pauses_of_tenant',
  text: `SELECT id, scope_kind AS scope, scope_ref AS ref, reason, approval_id AS "approvalId"
         FROM spend_pause WHERE tenant_id = $1 AND status = 'paused'`,
};

const BUDGETS_SQL = {
  name: 'scope_budgets_of_tenant',
  text: `SELECT id, scope_kind, scope_ref, name, on_cap_reached, degrade_to FROM budget
         WHERE tenant_id = $1 AND active
           AND scope_kind <> 'each'
           AND scope_kind NOT IN ('policy', 'ephemeral_token', 'workspace_user')
           AND (scope_kind <> 'key' OR scope_ref = 'each')`,
};

const LADDERS_SQL = {
  name: 'budget_ladders_of_tenant',
  text: `SELECT budget_id AS id, name, scope_kind AS scope, scope_ref AS ref,
           spent_micro::text AS spent, cap_micro::text AS cap, recorded,
           (extract(epoch FROM period_end) * 1000)::float8 AS "untilMs"
         FROM budget_ladder WHERE tenant_id = $1`,
};

interface LadderRow extends Omit<LadderBudget, 'step'> {
  readonly spent: string;
  readonly cap: string;
  readonly recorded: readonly string[];
  /** Null for a budget in total. */
  readonly untilMs: number | null;
}

interface BudgetRow {
  readonly id: string;
  readonly scope_kind: string;
  readonly scope_ref: string;
  readonly name: string;
  readonly on_cap_reached: OnCapReached;
  readonly degrade_to: string | null;
}

/** How long an approval that was asked for is looked at before another one is. Milliseconds. */
const ASKED_MS = 2_000;

/** How an approval is asked for, and whether one that was asked for still waits. */
export interface Asking {
  readonly ask: () => Promise<string | undefined>;
  readonly stands: (approvalId: string) => Promise<boolean>;
}

/**
 * Budgets by scope and pauses in memory by tenant: requests are judged without a query. Triggers
 * notify `gw_access`, so that a change holds on every node from the next request on.
 */
export class SpendControlMemory {
  private readonly memory = new TenantMemory<SpendControls>();
  private readonly asked = new LRUCache<string, Promise<string | undefined>>({
    max: 1_000,
    ttl: ASKED_MS,
  });

  constructor(private readonly pool: Pool) {}

  /** Keeps the memory true. */
  follow(listener: Listener): Promise<void> {
    return this.memory.follow(listener);
  }

  /** What acts on a tenant's requests now. */
  forTenant(tenantId: string): SpendControls | Promise<SpendControls> {
    const known = this.memory.known(tenantId);
    if (known && known.untilMs > sharedNowMs()) return known;
    if (known) this.memory.forget(tenantId);
    return this.memory.read(
      tenantId,
      () => this.load(tenantId),
      (value) => ({ tenantId, value }),
    );
  }

  /** Drops what is known of a tenant. Whoever changes a control calls it, others are notified. */
  forget(tenantId: string): void {
    this.memory.forget(tenantId);
  }

  /**
   * Asks for an approval once for the many requests that a budget refuses at the same time. One
   * that was decided meanwhile is named by no refusal: another is asked for.
   */
  async approvalFor(budgetId: string, { ask, stands }: Asking): Promise<string | undefined> {
    const standing = this.asked.get(budgetId);
    if (!standing) return this.askFor(budgetId, ask);
    const known = await standing;
    if (known !== undefined && (await stands(known))) return known;
    const newer = this.asked.get(budgetId);
    return newer && newer !== standing ? newer : this.askFor(budgetId, ask);
  }

  private askFor(budgetId: string, ask: Asking['ask']): Promise<string | undefined> {
    const asking = ask();
    this.asked.set(budgetId, asking);
    asking.catch(() => this.asked.delete(budgetId));
    return asking;
  }

  private async load(tenantId: string): Promise<SpendControls> {
    const { rows } = await this.pool.query<BudgetRow>({ ...BUDGETS_SQL, values: [tenantId] });
    const budgets = new Map<string, ScopeBudget[]>();
    for (const row of rows) {
      const key = scopeKey(row.scope_kind, row.scope_ref);
      const budget = {
        id: row.id,
        name: row.name,
        onCapReached: row.on_cap_reached,
        degradeTo: row.degrade_to ?? undefined,
      };
      budgets.set(key, [...(budgets.get(key) ?? []), budget]);
    }
    const paused = await this.pool.query<ScopePause>({ ...PAUSES_SQL, values: [tenantId] });
    const pauses = new Map(
      paused.rows.map((pause) => [scopeKey(pause.scope, pause.ref), [pause]] as const),
    );
    return { budgets, pauses, ...(await this.laddersOf(tenantId)) };
  }

  private async laddersOf(tenantId: string): Promise<Pick<SpendControls, 'ladders' | 'untilMs'>> {
    const { rows } = await this.pool.query<LadderRow>({ ...LADDERS_SQL, values: [tenantId] });
    const ladders = new Map<string, LadderBudget[]>();
    for (const { id, name, scope, ref, spent, cap, recorded } of rows) {
      const climbed = { spentMicro: BigInt(spent), capMicro: BigInt(cap), recorded };
      const step = stepsInForce(climbed).at(-1);
      if (!step) continue;
      const key = scopeKey(scope, ref);
      ladders.set(key, [...(ladders.get(key) ?? []), { id, name, scope, ref, step }]);
    }
    const ends = rows.map(({ untilMs }) => untilMs ?? Number.POSITIVE_INFINITY);
    return { ladders, untilMs: Math.min(...ends) };
  }
}
