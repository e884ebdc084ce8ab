import type { AuthorizedCtx } from '../../graph/ctx.js';
import { divide } from '../../kernel/money.js';
import { READINESS_ITEMS, type ReadinessItem } from './vocabulary.js';

/** How ready an organization is for production. */
export interface Readiness {
  readonly percent: number;
  readonly items: readonly (ReadinessItem & { readonly done: boolean })[];
}

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
  const { rows } = await ctx.services.pool.query<Record<ReadinessItem['code'], boolean>>({
    ...FACTS_SQL,
    values: [ctx.who.tenantId],
  });
  const facts = rows[0];
  const items = READINESS_ITEMS.map((item) => ({ ...item, done: facts?.[item.code] ?? false }));
  const done = items.filter((item) => item.done).length;
  const percent = divide(BigInt(done) * 100n, BigInt(items.length), 'floor');
  return { percent: Number(percent), items };
}
