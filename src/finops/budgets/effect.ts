import { DRY_RUN_DAYS } from '../../access/policies/vocabulary.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import type { GivenValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { measuredFrom } from '../../records/measured.js';
import { ofScope } from '../costs/scope-sql.js';
import { percentOf } from './budgets.rules.js';
import { type PastSpend, supposedEffect } from './effect.rules.js';
import { statedTerms } from './service.js';
import type { BUDGET_EFFECT } from './tables.js';
import { EACH_REF } from './vocabulary.js';

const DAY_MS = 86_400_000;
/** So many requests are replayed, the newest of the window. */
const REQUESTS_MAX = 200_000;

/** What was spent in the running period before the window, and the requests of the window. */
interface Past {
  readonly openingMicro: bigint;
  readonly requests: readonly PastSpend[];
}

/**
 * What a budget would have done to the requests of the last seven days: a dry run of setting it.
 * @throws invalid_request with every fault
 */
export async function budgetEffect(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof BUDGET_EFFECT.fields>> {
  const terms = await statedTerms(ctx, given);
  failOnFaults(
    fits('input.scopeRef', terms.scopeRef !== EACH_REF, 'must be one or *: each is not replayed'),
  );
  const to = sharedNow();
  const from = new Date(to.getTime() - DRY_RUN_DAYS * DAY_MS);
  const { value, provenance } = await measuredFrom(
    ctx,
    pastOf(ctx, terms, from),
    ([past]) => past,
    // A budget in total counts from the first request on.
    terms.period === 'total' ? { usageSince: new Date(0) } : {},
  );
  const { openingMicro = 0n, requests = [] } = value ?? {};
  const effect = supposedEffect(
    requests.slice(-REQUESTS_MAX),
    { ...terms, openingMicro },
    from.getTime(),
  );
  const { firstAtMs, alerts, ...figures } = effect;
  return {
    ...figures,
    from,
    to,
    complete: requests.length <= REQUESTS_MAX,
    openingMicro,
    firstAt: firstAtMs === null ? null : new Date(firstAtMs),
    alertsReached: alerts.map(percentOf),
    provenance,
  };
}

function pastOf(
  { who }: AuthorizedCtx,
  { scopeKind, scopeRef, period }: Awaited<ReturnType<typeof statedTerms>>,
  from: Date,
) {
  const isOf = Prisma.sql`u.tenant_id = ${who.tenantId}::uuid AND u.status <> 'failed'
    AND (${ofScope(Prisma.sql`${scopeKind}`, Prisma.sql`${scopeRef}`)})`;
  return async (rows: Transaction): Promise<Past[]> => {
    const [opening] = await rows.$queryRaw<{ openingMicro: bigint }[]>`
      SELECT COALESCE(sum(u.amount_micro), 0)::bigint AS "openingMicro" FROM usage_event u
      WHERE ${isOf} AND u.created_at < ${from} AND u.created_at >=
        budget_period_start(${period}, 'Europe/Moscow', ${from})::timestamp
          AT TIME ZONE 'Europe/Moscow'`;
    const requests = await rows.$queryRaw<PastSpend[]>`
      SELECT * FROM (
        SELECT extract(epoch FROM u.created_at)::float8 * 1000 AS "atMs",
          u.amount_micro AS "amountMicro"
        FROM usage_event u WHERE ${isOf} AND u.created_at >= ${from}
        ORDER BY u.created_at DESC LIMIT ${REQUESTS_MAX + 1}::int
      ) newest ORDER BY "atMs"`;
    return [{ openingMicro: opening?.openingMicro ?? 0n, requests }];
  };
}
