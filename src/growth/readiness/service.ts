import type { AuthorizedCtx } from '../../graph/ctx.js';
import { type Readiness, type ReadinessFacts, readinessOf } from './rules.js';

const FACTS_SQL = {
  name: 'readiness_facts',
  text: `SELECT
    EXISTS (SELECT 1 FROM usage_event
            WHERE tenant_id = $1 AND operation = 'chat' AND status = 'complete') AS first_request,
    EXISTS (SELECT 1 FROM usage_event
            WHERE tenant_id = $1 AND streamed AND status = 'complete') AS streaming,
    EXISTS (SELECT 1 FROM usage_event
            WHERE tenant_id = $1 AND operation = 'embeddings' AND status = 'complete')
      AS embeddings,
    EXISTS (SELECT 1 FROM budget WHERE tenant_id = $1 AND active) AS budget_limit,
    EXISTS (SELECT 1 FROM policy WHERE tenant_id = $1 AND enabled) AS policy,
    EXISTS (SELECT 1 FROM api_key
            WHERE tenant_id = $1 AND key_type = 'service' AND revoked_at IS NULL)
      AS service_account,
    EXISTS (SELECT 1 FROM contract_version
            WHERE tenant_id = $1 AND kind = 'tool' AND body ->> 'endpoint_url' IS NOT NULL)
      AS webhook`,
};

/** Reads every item from the tenant's rows. */
export async function readReadiness(ctx: AuthorizedCtx): Promise<Readiness> {
  const { rows } = await ctx.services.pool.query<ReadinessFacts>({
    ...FACTS_SQL,
    values: [ctx.who.tenantId],
  });
  const facts = rows[0];
  if (!facts) throw new Error('the statement of readiness returned no row');
  return readinessOf(facts);
}
