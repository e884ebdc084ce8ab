import type { Pool } from 'pg';
import { USAGE_EVIDENCE, type UsageCounts } from '../decision/estimate.rules.js';
import { TenantCounts } from './tenant-counts.js';

/** What live requests of a tenant show of models, by their ids. */
export type UsageOfTenant = ReadonlyMap<string, UsageCounts>;

interface Row {
  readonly model: string;
  readonly answered: number;
  readonly failed: number;
  readonly latencyMs: number;
}

/** Sums by hour, which are kept beside the chat path: no row of usage is read. */
const USAGE_SQL = {
  name: 'routing_usage_of_tenant',
  text: `SELECT model, sum(answered)::float8 AS answered, sum(erred)::float8 AS failed,
           sum(answered_latency_ms)::float8 AS "latencyMs"
         FROM usage_rollup
         WHERE tenant_id = $1 AND cube = 'route' AND grain = 'hour' AND NOT simulated
           AND origin IS NULL AND model IS NOT NULL
           AND starts_at >= date_trunc('hour', now()) - make_interval(hours => $2)
         GROUP BY model`,
};

/** So old may what usage shows be, in milliseconds: what a node pays for it is one read. */
const FRESH_MS = 300_000;

/** Latency and failures of live requests, by the sums that are kept of usage. */
export class UsageMemory extends TenantCounts<UsageOfTenant> {
  constructor(pool: Pool) {
    super((tenantId) => usageOf(pool, tenantId), FRESH_MS);
  }
}

async function usageOf(pool: Pool, tenantId: string): Promise<UsageOfTenant> {
  const values = [tenantId, USAGE_EVIDENCE.hours];
  const { rows } = await pool.query<Row>({ ...USAGE_SQL, values });
  return new Map(rows.map(({ model, ...counts }) => [model, counts]));
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly routingUsage: UsageMemory;
  }
}
