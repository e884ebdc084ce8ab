import type { Pool } from 'pg';
import { countedEntries } from '../../records/in-memory.js';
import { OUTCOME_DAYS, ROUTING_OUTCOMES } from '../adaptive/outcomes-journal.js';
import type { OutcomeCounts } from '../decision/estimate.rules.js';
import { TenantCounts } from './tenant-counts.js';

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
/**
 * Reported outcomes, counted in memory. They may be half a minute old: what a decision rests on is
 * sealed with it, whenever it was counted.
 */
export class OutcomeMemory extends TenantCounts<OutcomesOfTenant> {
  constructor(pool: Pool) {
    super((tenantId) => outcomesOf(pool, tenantId), FRESH_MS);
  }
}

async function outcomesOf(pool: Pool, tenantId: string): Promise<OutcomesOfTenant> {
  const byUse = new Map<string, Map<string, Sums>>();
  for (const found of await countedEntries(pool, tenantId, COUNTED)) {
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
