import { hasEndpoint } from '../../actions/tools/registry.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { LIVE_USAGE_SQL, SIMULATED_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { tenantQuery } from '../../platform/database/tenant-query.js';
import { type Readiness, type ReadinessFacts, readinessOf } from './rules.js';
import type { ReadinessItem } from './vocabulary.js';

/** An item that stands for live use, and one that a row of settings closes. */
const used = (condition: string) => ({
  done: usageExists(condition, LIVE_USAGE_SQL),
  simulated: usageExists(condition, SIMULATED_USAGE_SQL),
});
const set = (condition: string) => ({ done: `EXISTS (${condition})`, simulated: 'false' });

function usageExists(condition: string, kind: string): string {
  return `EXISTS (SELECT 1 FROM usage_event WHERE tenant_id = $1 AND ${condition} AND ${kind})`;
}

/** What one statement tells; whether tools call an endpoint stands in their contracts. */
type InRows = Exclude<ReadinessItem['code'], 'webhook'>;

const FACTS: Readonly<Record<InRows, { done: string; simulated: string }>> = {
  first_request: used("operation = 'chat'"),
  streaming: used('streamed'),
  embeddings: used("operation = 'embeddings'"),
  budget_limit: set('SELECT 1 FROM budget WHERE tenant_id = $1 AND active'),
  policy: set('SELECT 1 FROM policy WHERE tenant_id = $1 AND enabled'),
  service_account: set(`SELECT 1 FROM api_key
    WHERE tenant_id = $1 AND key_type = 'service' AND revoked_at IS NULL
      AND expires_at IS NULL`),
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
  const { rows } = await tenantQuery<Pick<ReadinessFacts, InRows>>(
    ctx.services.pool,
    ctx.who.tenantId,
    {
      ...FACTS_SQL,
      values: [ctx.who.tenantId],
    },
  );
  const facts = rows[0];
  if (!facts) throw new Error('the statement of readiness returned no row');
  const webhook = { done: await hasEndpoint(ctx), simulated: false };
  return readinessOf({ ...facts, webhook });
}
