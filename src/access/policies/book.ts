import type { Pool } from 'pg';
import type { Listener } from '../../platform/database/listen.js';
import { type EffectivePolicy, mergePolicies, readRules } from './rules.js';

const POLICIES_SQL = {
  name: 'policies_of_project',
  text: `SELECT p.id, p.tenant_id, p.version, p.name, p.rules,
                ARRAY(SELECT b.id FROM budget b WHERE b.policy_id = p.id AND b.active
                      ORDER BY b.id) AS budget_ids
         FROM policy p
         WHERE p.project_id = $1 AND p.enabled
         ORDER BY p.id`,
};

interface PolicyRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly version: number;
  readonly name: string;
  readonly rules: unknown;
  readonly budget_ids: readonly string[];
}

/**
 * The policies in force, in memory by project. A change of a tenant drops its projects on every
 * node at once; while notifications may be lost nothing is kept.
 */
export class PolicyBook {
  private readonly byProject = new Map<string, EffectivePolicy>();
  private readonly projectsByTenant = new Map<string, Set<string>>();
  private caching = true;
  /** Raised by each change, so that a read that was under way is not kept. */
  private changes = 0;

  constructor(private readonly pool: Pool) {}

  /** Keeps the memory true. */
  async follow(listener: Listener): Promise<void> {
    await listener.listen('gw_access', (tenantId) => this.forget(tenantId));
    listener.onDisconnected(() => {
      this.caching = false;
      this.forgetAll();
    });
    listener.onConnected(() => {
      this.forgetAll();
      this.caching = true;
    });
  }

  /** What applies to a project now. */
  forProject(tenantId: string, projectId: string): EffectivePolicy | Promise<EffectivePolicy> {
    return this.byProject.get(projectId) ?? this.load(tenantId, projectId);
  }

  private async load(tenantId: string, projectId: string): Promise<EffectivePolicy> {
    const before = this.changes;
    const { rows } = await this.pool.query<PolicyRow>({ ...POLICIES_SQL, values: [projectId] });
    const policy = mergePolicies(
      rows.map((row) => ({
        id: row.id,
        version: row.version,
        name: row.name,
        rules: readRules(row.rules),
        budgetIds: row.budget_ids,
      })),
    );
    if (this.caching && before === this.changes) {
      this.byProject.set(projectId, policy);
      const known = this.projectsByTenant.get(tenantId) ?? new Set();
      this.projectsByTenant.set(tenantId, known.add(projectId));
    }
    return policy;
  }

  /** Drops what is known of a tenant. Whoever changes a policy calls it, others are notified. */
  forget(tenantId: string): void {
    this.changes += 1;
    for (const project of this.projectsByTenant.get(tenantId) ?? []) this.byProject.delete(project);
    this.projectsByTenant.delete(tenantId);
  }

  private forgetAll(): void {
    this.changes += 1;
    this.byProject.clear();
    this.projectsByTenant.clear();
  }
}
