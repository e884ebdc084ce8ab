import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { OUTCOME_DAYS, ROUTING_OUTCOMES } from '../adaptive/outcomes-journal.js';
import type { OutcomeCounts } from '../decision/estimate.rules.js';

const COUNTS_SQL = {
  name: 'routing_outcomes_of_tenant',
  text: `SELECT body ->> 'use_case' AS use_case, body ->> 'model' AS model,
                count(*) FILTER (WHERE value = 'accepted')::int AS accepted,
                count(*) FILTER (WHERE value <> 'accepted')::int AS rejected,
                round(avg((body ->> 'latency_ms')::numeric))::int AS latency_ms
         FROM journal_entry
         WHERE tenant_id = $1 AND kind = $2 AND created_at >= now() - make_interval(days => $3)
           AND (body ->> 'is_evidence')::boolean
         GROUP BY 1, 2`,
};

interface CountsRow {
  readonly use_case: string;
  readonly model: string;
  readonly accepted: number;
  readonly rejected: number;
  readonly latency_ms: number | null;
}

/** Reported outcomes of a tenant that are evidence, by use case and model. */
export type OutcomesOfTenant = ReadonlyMap<string, ReadonlyMap<string, OutcomeCounts>>;

/** Outcomes of other nodes are seen after so long at the latest, in milliseconds. */
const FRESH_MS = 30_000;
const TENANTS_MAX = 10_000;

interface Counted {
  readonly counts: OutcomesOfTenant;
  readonly countedMs: number;
}

/**
 * Reported outcomes, counted in memory. They may be half a minute old: what a decision rests on is
 * sealed with it, whenever it was counted. While they are counted again, the last counts serve.
 */
export class OutcomeMemory {
  private readonly known = new LRUCache<string, Counted>({ max: TENANTS_MAX });
  private readonly counting = new Map<string, Promise<OutcomesOfTenant>>();

  constructor(private readonly pool: Pool) {}

  /** The counts of a tenant. */
  forTenant(tenantId: string): OutcomesOfTenant | Promise<OutcomesOfTenant> {
    const known = this.known.get(tenantId);
    if (known === undefined) return this.count(tenantId);
    if (performance.now() - known.countedMs > FRESH_MS) this.count(tenantId).catch(() => undefined);
    return known.counts;
  }

  /** Drops the counts of a tenant: whoever reports an outcome calls it. */
  forget(tenantId: string): void {
    this.known.delete(tenantId);
    this.counting.delete(tenantId);
  }

  private count(tenantId: string): Promise<OutcomesOfTenant> {
    const running = this.counting.get(tenantId);
    if (running !== undefined) return running;
    const started = this.load(tenantId)
      .then((counts) => {
        const isCurrent = this.counting.get(tenantId) === started;
        if (isCurrent) this.known.set(tenantId, { counts, countedMs: performance.now() });
        return counts;
      })
      .finally(() => {
        if (this.counting.get(tenantId) === started) this.counting.delete(tenantId);
      });
    this.counting.set(tenantId, started);
    return started;
  }

  private async load(tenantId: string): Promise<OutcomesOfTenant> {
    const values = [tenantId, ROUTING_OUTCOMES.kind, OUTCOME_DAYS];
    const { rows } = await this.pool.query<CountsRow>({ ...COUNTS_SQL, values });
    const byUse = new Map<string, Map<string, OutcomeCounts>>();
    for (const { use_case: useCase, model, accepted, rejected, latency_ms: latencyMs } of rows) {
      const ofUse = byUse.get(useCase) ?? new Map<string, OutcomeCounts>();
      byUse.set(useCase, ofUse.set(model, { accepted, rejected, latencyMs }));
    }
    return byUse;
  }
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly routingOutcomes: OutcomeMemory;
  }
}
