import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { countedEntries } from '../../records/in-memory.js';
import { OUTCOME_DAYS, ROUTING_OUTCOMES } from '../adaptive/outcomes-journal.js';
import type { OutcomeCounts } from '../decision/estimate.rules.js';

/** What of the outcomes is counted: those that are evidence, by use case and model. */
const COUNTED = {
  journal: ROUTING_OUTCOMES,
  by: ['use_case', 'model'],
  figure: 'latency_ms',
  where: 'is_evidence',
  days: OUTCOME_DAYS,
} as const;

/** Reported outcomes of a tenant that are evidence, by use case and model. */
export type OutcomesOfTenant = ReadonlyMap<string, ReadonlyMap<string, OutcomeCounts>>;

/**
 * Outcomes move estimates after so long at the latest, in milliseconds. Each time they do, a new
 * situation is stored, so that a stream of reports must not count them each time.
 */
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

  /** Drops the counts of a tenant: they are counted anew for the next decision. */
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
    const byUse = new Map<string, Map<string, Sums>>();
    for (const found of await countedEntries(this.pool, tenantId, COUNTED)) {
      const [useCase, model] = found.members;
      const ofUse = byUse.get(useCase) ?? new Map<string, Sums>();
      const sums = ofUse.get(model) ?? { accepted: 0, rejected: 0, latencyMs: 0, latencies: 0 };
      if (found.value === 'accepted') sums.accepted += found.entries;
      else sums.rejected += found.entries;
      sums.latencyMs += found.sum;
      sums.latencies += found.figures;
      byUse.set(useCase, ofUse.set(model, sums));
    }
    return new Map([...byUse].map(([useCase, ofUse]) => [useCase, countsOf(ofUse)]));
  }
}

/** Sums over the values of the journal. */
interface Sums {
  accepted: number;
  rejected: number;
  latencyMs: number;
  latencies: number;
}

/** The mean latency is rounded half up. */
function countsOf(ofUse: ReadonlyMap<string, Sums>): ReadonlyMap<string, OutcomeCounts> {
  return new Map(
    [...ofUse].map(([model, { accepted, rejected, latencyMs, latencies }]) => {
      const mean = latencies === 0 ? null : Math.max(1, Math.round(latencyMs / latencies));
      return [model, { accepted, rejected, latencyMs: mean }];
    }),
  );
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly routingOutcomes: OutcomeMemory;
  }
}
