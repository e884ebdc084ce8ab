import type { Pool } from 'pg';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent } from '../../kernel/fields/sealed.js';
import type { Listener } from '../../platform/database/listen.js';
import { TenantMemory } from '../../platform/tenant-memory.js';
import { CONTRACT_FIELDS, WORKLOAD_CONTRACTS } from './records.js';

/** A workload contract in force. */
export interface WorkloadInForce {
  readonly version: number;
  readonly terms: ValuesOf<typeof CONTRACT_FIELDS>;
}

/** The contracts of a tenant in force, by their keys. */
export type WorkloadsInForce = ReadonlyMap<string, WorkloadInForce>;

const LATEST_SQL = {
  name: 'workloads_of_tenant',
  text: `SELECT DISTINCT ON (contract_key) contract_key, version, body
         FROM contract_version WHERE tenant_id = $1 AND kind = $2
         ORDER BY contract_key, version DESC`,
};

interface LatestRow {
  readonly contract_key: string;
  readonly version: number;
  readonly body: SealedContent;
}

/** The workload contracts in force, in memory by tenant. */
export class WorkloadCache {
  private readonly memory = new TenantMemory<WorkloadsInForce>();

  constructor(private readonly pool: Pool) {}

  /** Keeps the memory true. */
  follow(listener: Listener): Promise<void> {
    return this.memory.follow(listener);
  }

  /** What is in force for a tenant now. */
  forTenant(tenantId: string): WorkloadsInForce | Promise<WorkloadsInForce> {
    return (
      this.memory.known(tenantId) ??
      this.memory.read(
        tenantId,
        () => this.load(tenantId),
        (value) => ({ tenantId, value }),
      )
    );
  }

  /** Drops what is known of a tenant. Whoever publishes a contract calls it, others are notified. */
  forget(tenantId: string): void {
    this.memory.forget(tenantId);
  }

  private async load(tenantId: string): Promise<WorkloadsInForce> {
    const values = [tenantId, WORKLOAD_CONTRACTS.kind];
    const { rows } = await this.pool.query<LatestRow>({ ...LATEST_SQL, values });
    return new Map(
      rows.map(({ contract_key: key, version, body }) => [
        key,
        { version, terms: openedContent(CONTRACT_FIELDS, body) },
      ]),
    );
  }
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly workloads: WorkloadCache;
  }
}
