import type { Pool } from 'pg';
import type { Listener } from '../../platform/database/listen.js';
import { TenantMemory } from '../../platform/tenant-memory.js';
import { latestTwoVersions } from '../../records/in-memory.js';
import {
  type IncumbentRow,
  incumbentKey,
  type RoutingState,
  STATE_KINDS,
  stateOf,
} from './state.js';

const INCUMBENTS_SQL = {
  name: 'routing_incumbents_of_tenant',
  text: `SELECT DISTINCT ON (contract_key, use_case) contract_key, use_case, model
         FROM routing_incumbent WHERE tenant_id = $1
         ORDER BY contract_key, use_case, seq DESC`,
};

const KEEP_INCUMBENT_SQL = {
  name: 'keep_routing_incumbent',
  text: `INSERT INTO routing_incumbent (tenant_id, contract_key, use_case, model, request_id)
         VALUES ($1, $2, $3, $4, $5)`,
};

/** A model that is to stay, and the request that chose it. */
export interface NewIncumbent {
  readonly contractKey: string;
  readonly useCase: string;
  readonly model: string;
  readonly requestId: string;
}

/**
 * What tenants have laid down about routing, in the memory of this node: every version, switch and
 * incumbent drops it on all nodes, so that it holds for the next decision.
 */
export class RoutingMemory {
  private readonly memory = new TenantMemory<RoutingState>();

  constructor(private readonly pool: Pool) {}

  /** Keeps the memory true. */
  follow(listener: Listener): Promise<void> {
    return this.memory.follow(listener);
  }

  /** What holds for a tenant now. */
  forTenant(tenantId: string): RoutingState | Promise<RoutingState> {
    return (
      this.memory.known(tenantId) ??
      this.memory.read(
        tenantId,
        () => this.load(tenantId),
        (value) => ({ tenantId, value }),
      )
    );
  }

  /** The same as the database says at this moment, for those who must not miss a last change. */
  current(tenantId: string): Promise<RoutingState> {
    return this.load(tenantId);
  }

  /** Drops what is known of a tenant. Whoever publishes calls it, others are notified. */
  forget(tenantId: string): void {
    this.memory.forget(tenantId);
  }

  /** Records that a use case stays with another model from now on. */
  async keepIncumbent(tenantId: string, one: NewIncumbent): Promise<void> {
    const { contractKey, useCase, model, requestId } = one;
    const state = await this.forTenant(tenantId);
    if (state.incumbents.get(incumbentKey(contractKey, useCase)) === model) return;
    const values = [tenantId, contractKey, useCase, model, requestId];
    await this.pool.query({ ...KEEP_INCUMBENT_SQL, values });
    this.forget(tenantId);
  }

  private async load(tenantId: string): Promise<RoutingState> {
    const [versions, incumbents] = await Promise.all([
      latestTwoVersions(this.pool, tenantId, STATE_KINDS),
      this.pool.query<IncumbentRow>({ ...INCUMBENTS_SQL, values: [tenantId] }),
    ]);
    return stateOf(versions, incumbents.rows);
  }
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly routing: RoutingMemory;
  }
}
