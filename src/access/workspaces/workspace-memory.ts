import type { Pool } from 'pg';
import type { DataClass } from '../../kernel/firewall/vocabulary.js';
import { newId } from '../../kernel/ids.js';
import type { Listener } from '../../platform/database/listen.js';
import { TenantMemory } from '../../platform/tenant-memory.js';
import { WORKSPACE_BOUNDS } from './vocabulary.js';
import type { WorkspacePolicy } from './workspace.rules.js';

/** A workspace as requests are made under it. */
export interface WorkspaceInForce extends WorkspacePolicy {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly version: number;
  readonly hasUserBudgets: boolean;
  /** The least class that the data of its requests has; null where it states none. */
  readonly dataClassMin: DataClass | null;
}

/** The budget of one user of a workspace. */
export interface UserBudget {
  readonly id: string;
  readonly name: string;
}

/** A request that the policy of a workspace has stopped. */
export interface Blocked {
  readonly workspace: WorkspaceInForce;
  readonly user: string | undefined;
  readonly department: string | undefined;
  /** The code of the refusal. */
  readonly reason: string;
}

const WORKSPACE_SQL = {
  name: 'workspace_in_force',
  text: `SELECT id, tenant_id AS "tenantId", name, version, departments,
           approved_routes AS "approvedRoutes", data_classes AS "dataClasses", actions,
           data_class_min AS "dataClassMin", user_budget_micro IS NOT NULL AS "hasUserBudgets"
         FROM workspace WHERE id = $2 AND tenant_id = $1`,
};
const BUDGET_SQL = {
  name: 'workspace_user_budget',
  text: `SELECT b.id, b.name FROM budget b
         JOIN workspace w ON w.id = $2 AND w.tenant_id = b.tenant_id
         WHERE b.tenant_id = $1 AND b.scope_kind = 'workspace_user' AND b.scope_ref = $3
           AND b.period = w.user_budget_period`,
};
// The row of the workspace is held, so that no change of the cap comes in between.
const MAKE_BUDGET_SQL = {
  name: 'workspace_user_budget_make',
  text: `WITH w AS (
           SELECT * FROM workspace WHERE id = $2 AND tenant_id = $1 FOR SHARE
         )
         INSERT INTO budget (id, tenant_id, scope_kind, scope_ref, name, period, cap_micro)
         SELECT $4, $1, 'workspace_user', $3, $5, w.user_budget_period, w.user_budget_micro
         FROM w WHERE w.user_budget_micro IS NOT NULL AND (
           SELECT count(*) FROM budget b WHERE b.tenant_id = $1
             AND b.scope_kind = 'workspace_user' AND starts_with(b.scope_ref, $2::text)) < $6
         ON CONFLICT (tenant_id, scope_kind, scope_ref, period) WHERE scope_kind <> 'policy'
           DO NOTHING`,
};
const BLOCK_SQL = {
  name: 'workspace_block_record',
  text: `INSERT INTO adoption_event (id, tenant_id, workspace_id, event_type, source, user_ref,
           department, reason, occurred_at)
         VALUES ($1, $2, $3, 'policy_block', 'gateway', $4, $5, $6, clock_timestamp())`,
};

/** The workspaces in force and the budgets of their users, in memory. */
export class WorkspaceMemory {
  private readonly workspaces = new TenantMemory<WorkspaceInForce>();
  private readonly budgets = new TenantMemory<UserBudget>();

  constructor(private readonly pool: Pool) {}

  /** Keeps the memory true. */
  async follow(listener: Listener): Promise<void> {
    await Promise.all([this.workspaces.follow(listener), this.budgets.follow(listener)]);
  }

  /** A workspace of the tenant; another tenant's is found as little as an unknown one. */
  find(tenantId: string, id: string): Promise<WorkspaceInForce | undefined> | WorkspaceInForce {
    const key = `${tenantId}/${id}`;
    return (
      this.workspaces.known(key) ??
      this.workspaces.read(
        key,
        async () => {
          const values = [tenantId, id];
          const { rows } = await this.pool.query<WorkspaceInForce>({ ...WORKSPACE_SQL, values });
          return rows[0];
        },
        (value) => value && { tenantId, value },
      )
    );
  }

  /**
   * The budget of a user, which is made at the user's first request.
   * @returns undefined where the workspace has no room for another user
   */
  budgetOf(
    { id, tenantId, name }: WorkspaceInForce,
    user: string,
  ): Promise<UserBudget | undefined> | UserBudget {
    const ref = `${id}/${user}`;
    return (
      this.budgets.known(ref) ??
      this.budgets.read(
        ref,
        async () =>
          (await this.readBudget(tenantId, id, ref)) ??
          this.makeBudget(tenantId, id, ref, `workspace ${name}, user ${user}`),
        (value) => value && { tenantId, value },
      )
    );
  }

  /** Records that the policy of a workspace has stopped a request. */
  async recordBlock({ workspace, user, department, reason }: Blocked): Promise<void> {
    const { id, tenantId } = workspace;
    const values = [newId('AdoptionEvent'), tenantId, id, user, department, reason];
    await this.pool.query({ ...BLOCK_SQL, values });
  }

  /** Drops what is known of a tenant. Whoever changes a workspace calls it, others are notified. */
  forget(tenantId: string): void {
    this.workspaces.forget(tenantId);
    this.budgets.forget(tenantId);
  }

  private async readBudget(tenantId: string, id: string, ref: string) {
    const values = [tenantId, id, ref];
    const { rows } = await this.pool.query<UserBudget>({ ...BUDGET_SQL, values });
    return rows[0];
  }

  /** Of many nodes at once one makes it, and all find it. */
  private async makeBudget(tenantId: string, id: string, ref: string, name: string) {
    const values = [tenantId, id, ref, newId('Budget'), name, WORKSPACE_BOUNDS.usersMax];
    await this.pool.query({ ...MAKE_BUDGET_SQL, values });
    return this.readBudget(tenantId, id, ref);
  }
}
