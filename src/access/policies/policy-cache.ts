import type { Pool } from 'pg';
import type { Listener } from '../../platform/database/listen.js';
import { TenantMemory } from '../../platform/tenant-memory.js';
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

/** The policies in force, in memory by project. */
export class PolicyCache {
  private readonly memory = new TenantMemory<EffectivePolicy>();

  constructor(private readonly pool: Pool) {}

  /** Keeps the memory true. */
  follow(listener: Listener): Promise<void> {
    return this.memory.follow(listener);
  }

  /** What applies to a project now. */
  forProject(tenantId: string, projectId: string): EffectivePolicy | Promise<EffectivePolicy> {
    return (
      this.memory.known(projectId) ??
      this.memory.read(
        projectId,
        () => this.load(projectId),
        (value) => ({ tenantId, value }),
      )
    );
  }

  /** Drops what is known of a tenant. Whoever changes a policy calls it, others are notified. */
  forget(tenantId: string): void {
    this.memory.forget(tenantId);
  }

  private async load(projectId: string): Promise<EffectivePolicy> {
    const { rows } = await this.pool.query<PolicyRow>({ ...POLICIES_SQL, values: [projectId] });
    return mergePolicies(
      rows.map((row) => ({
        id: row.id,
        version: row.version,
        name: row.name,
        rules: readRules(row.rules),
        budgetIds: row.budget_ids,
      })),
    );
  }
}
