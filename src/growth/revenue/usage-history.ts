import {
  BY_DEPLOYMENT_SQL,
  type DeploymentUsage,
  recordedParts,
} from '../../catalog/providers/price-ahead.js';
import { type PriceAhead, priceAhead } from '../../catalog/providers/price-ahead.rules.js';
import { usageSums } from '../../finops/reports/read.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import type { MicroRub } from '../../kernel/money.js';
import { ORIGIN_MEMBER } from '../../kernel/origin.js';
import { TIME_ZONE_DEFAULT } from '../../kernel/time.js';
import { measuredFrom } from '../../records/measured.js';
import { daysUntil } from './facts.js';
import { type DayOfUsage, monthlyCost, observedDays } from './quote.rules.js';
import { OWN_ACCOUNT, USAGE_DAYS } from './vocabulary.js';

/** The usage of an account in the days of its history, as the sums know it. */
function questionOf(tenantId: string, accountRef: string, now: Date) {
  const client = { dimension: 'client', values: [accountRef] } as const;
  return {
    tenantId,
    windows: [daysUntil(now, USAGE_DAYS)],
    timeZone: TIME_ZONE_DEFAULT,
    narrowings: [
      { dimension: 'origin', values: [null] },
      { dimension: 'simulated', values: ['false'] },
      ...(accountRef === OWN_ACCOUNT ? [] : [client]),
    ],
    sketches: [],
    orderBy: 'amount_micro',
  } as const;
}

/** A month of an account by its history. */
interface MeasuredMonth {
  readonly costMicro: MicroRub;
  /** For how many days its usage has been observed. */
  readonly observedDays: number;
}

/** What a month of an account costs by its own history; the value is null where it is too short. */
export async function measuredMonth(ctx: AuthorizedCtx, accountRef: string) {
  const now = sharedNow();
  const read = async (): Promise<DayOfUsage[]> => {
    const question = questionOf(ctx.who.tenantId, accountRef, now);
    const wish = { ...question, groupBy: [], period: 'day', top: 1 } as const;
    const rows = await usageSums(ctx.services, wish);
    return rows.flatMap(({ period, sums }) => {
      if (period === null) return [];
      return [
        {
          begin: period,
          requests: Number(sums.requests - sums.failed),
          costMicro: sums.amount_micro,
        },
      ];
    });
  };
  return measuredFrom(ctx, read, (days): MeasuredMonth | null => {
    const costMicro = monthlyCost(days, now);
    return costMicro === null ? null : { costMicro, observedDays: observedDays(days, now) };
  });
}

/** What the price rows of the month to come change of its cost by the history. */
export async function monthAhead(
  ctx: AuthorizedCtx,
  accountRef: string,
  { costMicro, observedDays: observed }: MeasuredMonth,
): Promise<PriceAhead> {
  const now = sharedNow();
  const { value: used } = await measuredFrom(ctx, usedOf(ctx, accountRef, now), (rows) => rows);
  const scale = { times: BigInt(USAGE_DAYS), by: BigInt(observed) };
  const parts = recordedParts(used, ctx.services.registry.deploymentsByKey, scale);
  return priceAhead(costMicro, parts, { from: now, until: new Date(now.getTime() + MONTH_MS) });
}

/** What the requests of the history have used of each deployment. */
function usedOf({ who: { tenantId } }: AuthorizedCtx, accountRef: string, now: Date) {
  const { from, to } = daysUntil(now, USAGE_DAYS);
  return (rows: Transaction) => rows.$queryRaw<DeploymentUsage[]>`
    SELECT ${Prisma.raw(BY_DEPLOYMENT_SQL)}, sum(amount_micro)::bigint AS "amountMicro"
    FROM usage_event
    WHERE tenant_id = ${tenantId}::uuid AND created_at >= ${from} AND created_at < ${to}
      AND metadata ->> ${ORIGIN_MEMBER} IS NULL AND NOT simulated
      AND (${accountRef === OWN_ACCOUNT} OR client_id = ${accountRef})
    GROUP BY 1 ORDER BY 1`;
}

const MONTH_MS = USAGE_DAYS * 86_400_000;
