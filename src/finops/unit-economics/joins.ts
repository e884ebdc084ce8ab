import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { LIVE_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { requireUsageSince } from '../../records/kept-detail.js';
import { databaseOf, type WriteOptions } from '../../records/scope.js';
import type { Joined, JoinedRequest } from './attribution.rules.js';
import { monthOf, windowOfMonth } from './period.rules.js';
import type { Consumer } from './pools.rules.js';
import { CONSUMERS_MAX, type Driver } from './vocabulary.js';

/** What a caller states of whose cost something is. */
interface Stated {
  readonly requestId: string | null;
  readonly driver: Driver | null;
  readonly clientTag: string | null;
}

/** What a cost was joined with; units are those of its driver, none without one. */
export interface JoinedCost extends Joined {
  readonly consumers: readonly Consumer[];
}

/** Joins what is stated of a cost with the usage of the organization. */
export async function joinCost(
  ctx: AuthorizedCtx,
  { requestId, driver, clientTag }: Stated,
  at: Date,
  options: WriteOptions = {},
): Promise<JoinedCost> {
  const request = requestId === null ? null : await ownRequest(ctx, requestId, options);
  const consumers = driver === null ? [] : await unitsOf(ctx, driver, at, options);
  const hasPoolUnits = consumers.some(({ consumer, units }) => consumer !== null && units > 0n);
  return { request, hasPoolUnits, clientTag, consumers };
}

async function ownRequest(
  ctx: AuthorizedCtx,
  id: string,
  options: WriteOptions,
): Promise<JoinedRequest | null> {
  const { tenantId } = ctx.who;
  const row = await databaseOf(ctx, options).usageEvent.findFirst({ where: { tenantId, id } });
  if (!row) return null;
  const { clientId, feature, projectId, status } = row;
  return { clientId, feature, projectId, isDelivered: status === 'complete' };
}

/** How usage counts the units of the drivers that the gateway measures. */
const UNITS: Partial<Record<Driver, string>> = {
  requests: 'count(*)',
  tokens: 'sum(input_uncached + input_cached + cache_write + output_text + output_reasoning)',
  usage_cost: 'sum(amount_micro - vat_micro)',
  busy_ms: 'sum(latency_ms)',
};

/** What refunds, dated when they were posted, take back of the units of a driver. */
const REFUNDED_UNITS: Partial<Record<Driver, string>> = {
  usage_cost: 'amount_micro - vat_micro',
};

/**
 * Units of a driver by client, in the month of a time: those with most units by their names. All
 * other clients, and requests that name none, are one consumer without a name.
 */
async function unitsOf(
  ctx: AuthorizedCtx,
  driver: Driver,
  at: Date,
  options: WriteOptions,
): Promise<Consumer[]> {
  const units = UNITS[driver];
  if (!units) return [];
  const { from, to } = windowOfMonth(monthOf(at));
  const refunded = REFUNDED_UNITS[driver] ?? '0';
  const rows = await databaseOf(ctx, options).$queryRaw<(Consumer & { all: bigint })[]>`
    WITH parts AS (
      SELECT client_id AS consumer, (${Prisma.raw(units)})::bigint AS units FROM usage_event
      WHERE tenant_id = ${ctx.who.tenantId}::uuid
        AND created_at >= ${from} AND created_at < ${to} AND ${Prisma.raw(LIVE_USAGE_SQL)}
      GROUP BY client_id
      UNION ALL
      SELECT client_id, -sum(${Prisma.raw(refunded)})::bigint FROM usage_refund
      WHERE tenant_id = ${ctx.who.tenantId}::uuid
        AND created_at >= ${from} AND created_at < ${to} AND ${Prisma.raw(LIVE_USAGE_SQL)}
      GROUP BY client_id
    ), units AS (
      SELECT consumer, greatest(sum(units), 0)::bigint AS units FROM parts GROUP BY consumer)
    SELECT consumer, units, (sum(units) OVER ())::bigint AS all FROM units
    ORDER BY consumer IS NULL, units DESC, consumer LIMIT ${CONSUMERS_MAX}`;
  await requireUsageSince(databaseOf(ctx, options), from);
  const named = rows.filter(({ consumer }) => consumer !== null);
  const ofNamed = named.reduce((sum, each) => sum + each.units, 0n);
  const rest = (rows[0]?.all ?? 0n) - ofNamed;
  const consumers = named.map(({ consumer, units: own }) => ({ consumer, units: own }));
  return rest > 0n ? [...consumers, { consumer: null, units: rest }] : consumers;
}
