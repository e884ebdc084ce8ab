import type { Model } from '../../catalog/providers/model.js';
import { NO_USAGE, priceOn, usageCost } from '../../catalog/providers/price.js';
import {
  BY_DEPLOYMENT_SQL,
  type DeploymentUsage,
  recordedParts,
  type Scale,
  worthOf,
} from '../../catalog/providers/price-ahead.js';
import type { PricedPart } from '../../catalog/providers/price-ahead.rules.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import type { Provenance } from '../../kernel/provenance.js';
import { moscowDay } from '../../kernel/time.js';
import { LIVE_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { measuredFrom } from '../../records/measured.js';
import { type RecordedUnit, recordedUnit, recordedVariation, unitOfAny } from './forecast.rules.js';
import { ofScope } from './scope-sql.js';
import type { FORECAST_INPUT } from './tables.js';
import { RECORDED_DAYS, VARIATION_DEFAULT } from './vocabulary.js';

/** A run as it is asked for. */
export type ForecastAsked = ValuesOf<typeof FORECAST_INPUT.fields>;

/** What a unit costs at the price rows of today, and where that comes from. */
interface UnitCost {
  readonly micro: bigint;
  /** Whose price rows the cost follows, for all units of the run. */
  readonly parts: readonly PricedPart[];
  readonly variation: number;
  readonly provenance: Provenance;
  readonly requests: number;
  readonly model: string | null;
  readonly isOfAnyModel: boolean;
  readonly basis: string;
}

/**
 * The cost of a unit: as stated, else recorded of the scope, else by list prices.
 * @throws cannot_forecast
 */
export async function unitCost(ctx: AuthorizedCtx, asked: ForecastAsked): Promise<UnitCost> {
  const none = { variation: VARIATION_DEFAULT, requests: 0, model: null, isOfAnyModel: false };
  const { costPerUnitMicro: micro, model } = asked;
  if (micro !== null) {
    return { ...none, micro, parts: [], provenance: 'declared', basis: 'The caller stated it.' };
  }
  const recorded = model === null ? await recordedUnitCost(ctx, asked) : undefined;
  if (recorded) return { ...none, ...recorded };
  return { ...none, ...listPriced(ctx, asked), provenance: 'estimated' };
}

/** By the recorded requests of the scope; undefined where there are none. */
async function recordedUnitCost(ctx: AuthorizedCtx, asked: ForecastAsked) {
  const { value, provenance } = await measuredFrom(ctx, recordedOf(ctx, asked), recordedUnit);
  if (!value) return undefined;
  const { meanMicro, requests } = value;
  const recorded = `${requests} recorded requests of the scope`;
  const { value: used } = await measuredFrom(ctx, usedOf(ctx, asked), (rows) => rows);
  const { services } = ctx;
  const scale = scaleOf(asked, BigInt(requests));
  return {
    micro: BigInt(Math.ceil(meanMicro)),
    parts: recordedParts(used, services.registry.deploymentsByKey, scale),
    variation: recordedVariation(value),
    provenance,
    requests,
    basis: `The mean of ${recorded} in ${RECORDED_DAYS} days.`,
  };
}

/** All units of the run with their retries, by what the usage is of. */
function scaleOf({ units, retryShare }: ForecastAsked, requests: bigint): Scale {
  const retries = BigInt(Math.round((1 + retryShare) * 1_000_000));
  return { times: BigInt(units) * retries, by: requests * 1_000_000n };
}

/** The list price of the model that is named; of all that can be called where none is. */
function listPriced({ services }: AuthorizedCtx, asked: ForecastAsked) {
  const { model: named, inputTokens, outputTokens } = asked;
  const { models } = services.registry;
  const day = moscowDay(sharedNowMs());
  const used = { ...NO_USAGE, input_uncached: inputTokens, output_text: outputTokens };
  const tokens = `${inputTokens} tokens in and ${outputTokens} out`;
  const ids = named === null ? comparableModels(models) : [named];
  const priced = ids.flatMap((id) => {
    const rows = models.get(id)?.prices ?? [];
    const price = priceOn(rows, day);
    const micro = price && usageCost(used, price, 'ceil');
    return micro === undefined ? [] : [{ id, rows, micro }];
  });
  const [first] = priced;
  const unit = unitOfAny(priced.map(({ micro }) => micro));
  if (!first || !unit) {
    return fail('cannot_forecast', { values: { model: named ?? 'any' }, param: 'input.model' });
  }
  const scale = scaleOf(asked, BigInt(priced.length));
  const parts = priced.map(({ id, rows, micro: weight }) => {
    const deployment = models.get(id)?.deployments[0]?.key ?? id;
    return { deployment, rows, weight, ...worthOf(used, scale) };
  });
  if (named !== null) {
    const basis = `The list price of ${named} for ${tokens}.`;
    return { micro: first.micro, parts, model: named, basis };
  }
  const basis =
    `No request of the scope was recorded in ${RECORDED_DAYS} days and no model is named: the ` +
    `mean list price of ${ids.length} models for ${tokens}, whose spread is in the interval.`;
  return { ...unit, parts, isOfAnyModel: true, basis };
}

/** Chat models that can be called; simulated ones only where no other can. */
function comparableModels(models: ReadonlyMap<string, Model>): string[] {
  const chat = [...models.values()].filter(({ operation }) => operation === 'chat');
  const real = chat.filter(({ simulated }) => !simulated);
  return (real.length > 0 ? real : chat).map(({ id }) => id);
}

function recordedOf({ who }: AuthorizedCtx, asked: ForecastAsked) {
  return (rows: Transaction) => rows.$queryRaw<RecordedUnit[]>`
    SELECT count(*)::int AS requests, COALESCE(avg(u.amount_micro), 0)::float8 AS "meanMicro",
      COALESCE(stddev_samp(u.amount_micro), 0)::float8 AS "deviationMicro"
    FROM usage_event u WHERE ${isRecorded(who.tenantId, asked)}`;
}

/** What the same requests have used of each deployment. */
function usedOf({ who }: AuthorizedCtx, asked: ForecastAsked) {
  return (rows: Transaction) => rows.$queryRaw<DeploymentUsage[]>`
    SELECT ${Prisma.raw(BY_DEPLOYMENT_SQL)}, sum(u.amount_micro)::bigint AS "amountMicro"
    FROM usage_event u WHERE ${isRecorded(who.tenantId, asked)} GROUP BY 1 ORDER BY 1`;
}

function isRecorded(tenantId: string, { scope, scopeRef }: ForecastAsked): Prisma.Sql {
  return Prisma.sql`u.tenant_id = ${tenantId}::uuid
    AND u.created_at >= now() - make_interval(days => ${RECORDED_DAYS}::int)
    AND ${Prisma.raw(LIVE_USAGE_SQL)}
    AND (${ofScope(Prisma.sql`${scope}`, Prisma.sql`${scopeRef}`)})`;
}
