import type { Pool } from 'pg';
import type { Fields, ValuesOf } from '../kernel/fields/field.js';
import { openedContent, type SealedContent } from '../kernel/fields/sealed.js';
import type { Listener } from '../platform/database/listen.js';
import { TenantMemory } from '../platform/tenant-memory.js';

/** The latest version of a contract. */
export interface InForce<C> {
  readonly version: number;
  readonly terms: C;
}

const LATEST_SQL = {
  name: 'latest_contracts_of_tenant',
  text: `SELECT DISTINCT ON (contract_key) contract_key, version, body
         FROM contract_version WHERE tenant_id = $1 AND kind = $2
         ORDER BY contract_key, version DESC`,
};

interface LatestRow {
  readonly contract_key: string;
  readonly version: number;
  readonly body: SealedContent;
}

/**
 * The contracts of one kind in force, in memory by tenant: for what asks them on every request. A
 * trigger of the kind notifies `gw_access`, so that a new version holds from the next request on.
 */
export class ContractMemory<F extends Fields> {
  private readonly memory = new TenantMemory<ReadonlyMap<string, InForce<ValuesOf<F>>>>();

  constructor(
    private readonly pool: Pool,
    private readonly kind: string,
    private readonly fields: F,
  ) {}

  /** Keeps the memory true. */
  follow(listener: Listener): Promise<void> {
    return this.memory.follow(listener);
  }

  /** What is in force for a tenant now, by the keys of the contracts. */
  forTenant(tenantId: string) {
    return (
      this.memory.known(tenantId) ??
      this.memory.read(
        tenantId,
        () => this.load(tenantId),
        (value) => ({ tenantId, value }),
      )
    );
  }

  /** Drops what is known of a tenant. Whoever publishes calls it, others are notified. */
  forget(tenantId: string): void {
    this.memory.forget(tenantId);
  }

  private async load(tenantId: string): Promise<ReadonlyMap<string, InForce<ValuesOf<F>>>> {
    const values = [tenantId, this.kind];
    const { rows } = await this.pool.query<LatestRow>({ ...LATEST_SQL, values });
    return new Map(
      rows.map(({ contract_key: key, version, body }) => [
        key,
        { version, terms: openedContent(this.fields, body) },
      ]),
    );
  }
}
