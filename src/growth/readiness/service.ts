import { hasEndpoint } from '../../actions/tools/registry.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { tenantQuery } from '../../platform/database/tenant-query.js';
import { EVIDENCE, existsSql, simulatedSql } from './evidence.js';
import { type Readiness, type ReadinessFacts, readinessOf } from './rules.js';

const FACTS_SQL = {
  name: 'readiness_facts',
  text: `SELECT ${Object.entries(EVIDENCE)
    .map(
      ([code, evidence]) =>
        `jsonb_build_object('done', ${existsSql(evidence)}, 'simulated', ${simulatedSql(evidence)})
          AS ${code}`,
    )
    .join(', ')}`,
};

/** Reads every item from the tenant's rows. */
export async function readReadiness(ctx: AuthorizedCtx): Promise<Readiness> {
  const { rows } = await tenantQuery<Pick<ReadinessFacts, keyof typeof EVIDENCE>>(
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
