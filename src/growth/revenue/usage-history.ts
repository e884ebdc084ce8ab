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

/** What an account was charged on each day of its history, and what was refunded of that. */
interface History {
  readonly days: readonly DayOfUsage[];
  readonly refundedMicro: MicroRub;
}

/** What a month of an account costs by its own history; the value is null where it is too short. */
export async function measuredMonth(ctx: AuthorizedCtx, accountRef: string) {
  const now = sharedNow();
  const read = async (rows: Transaction): Promise<History[]> => {
    const question = questionOf(ctx.who.tenantId, accountRef, now);
    const wish = { ...question, groupBy: [], period: 'day', top: 1 } as const;
    const sums = await usageSums(ctx.services, wish);
    const days = sums.flatMap(({ period, sums: of }) => {
      if (period === null) return [];
      const chargedMicro = of.amount_micro + of.refunded_micro;
      return [{ begin: period, requests: Number(of.requests - of.failed), chargedMicro }];
    });
    return [{ days, refundedMicro: await refundedOf(ctx, rows, { accountRef, now }) }];
  };
  return measuredFrom(ctx, read, ([history]): MeasuredMonth | null => {
    const { days = [], refundedMicro = 0n } = history ?? {};
    const costMicro = monthlyCost(days, refundedMicro, now);
    return costMicro === null ? null : { costMicro, observedDays: observedDays(days, now) };
  });
}

/** Of which account a history is, and when it ends. */
interface Wish {
  readonly accountRef: string;
  readonly now: Date;
}

/**
 * What was refunded of the requests of the history: a refund of a request of before makes none of
 * these cheaper. Each refund looks its own request up.
 */
async function refundedOf(
  { who: { tenantId } }: AuthorizedCtx,
  rows: Transaction,
  { accountRef, now }: Wish,
): Promise<MicroRub> {
  const { from, to } = daysUntil(now, USAGE_DAYS);
  const [row] = await rows.$queryRaw<{ micro: bigint }[]>`
    SELECT coalesce(sum(r.amount_micro), 0)::bigint AS micro
    FROM usage_refund r CROSS JOIN LATERAL (
      SELECT FROM usage_event c
      WHERE c.tenant_id = r.tenant_id AND c.id = r.id AND c.created_at >= ${from} OFFSET 0
    ) charged
    WHERE r.tenant_id = ${tenantId}::uuid AND r.created_at >= ${from} AND r.created_at < ${to}
      AND r.metadata ->> ${ORIGIN_MEMBER} IS NULL AND NOT r.simulated
      AND (${accountRef === OWN_ACCOUNT} OR r.client_id = ${accountRef})`;
  return row?.micro ?? 0n;
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
