import type { AuthorizedCtx } from '../../graph/ctx.js';
import { LIVE_USAGE_SQL, SIMULATED_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { tenantQuery } from '../../platform/database/tenant-query.js';
import { type Readiness, type ReadinessFacts, type ReadinessItem, readinessOf } from './rules.js';

/** An item that stands for live use, and one that a row of settings closes. */
const used = (condition: string) => ({
  done: usageExists(condition, LIVE_USAGE_SQL),
  simulated: usageExists(condition, SIMULATED_USAGE_SQL),
});
const set = (condition: string) => ({ done: `EXISTS (${condition})`, simulated: 'false' });

function usageExists(condition: string, kind: string): string {
  return `EXISTS (SELECT 1 FROM usage_event WHERE tenant_id = $1 AND ${condition} AND ${kind})`;
}

const FACTS: Readonly<Record<ReadinessItem, { done: string; simulated: string }>> = {
  first_request: used("operation = 'chat'"),
  streaming: used('streamed'),
  embeddings: used("operation = 'embeddings'"),
  budget_limit: set('SELECT 1 FROM budget WHERE tenant_id = $1 AND active'),
  policy: set('SELECT 1 FROM policy WHERE tenant_id = $1 AND enabled'),
  service_account: set(`SELECT 1 FROM api_key
    WHERE tenant_id = $1 AND key_type = 'service' AND revoked_at IS NULL`),
  webhook: set(`SELECT 1 FROM contract_version
    WHERE tenant_id = $1 AND kind = 'tool' AND body ->> 'endpoint_url' IS NOT NULL
      AND body ->> 'connector' IS DISTINCT FROM 'simulated'`),
};

const FACTS_SQL = {
  name: 'readiness_facts',
  text: `SELECT ${Object.entries(FACTS)
    .map(
      ([code, { done, simulated }]) =>
        `jsonb_build_object('done', ${done}, 'simulated', ${simulated}) AS ${code}`,
    )
    .join(', ')}`,
};

/** Reads every item from the tenant's rows. */
export async function readReadiness(ctx: AuthorizedCtx): Promise<Readiness> {
  const { rows } = await tenantQuery<ReadinessFacts>(ctx.services.pool, ctx.who.tenantId, {
    ...FACTS_SQL,
    values: [ctx.who.tenantId],
  });
  const facts = rows[0];
  if (!facts) throw new Error('the statement of readiness returned no row');
  return readinessOf(facts);
}
