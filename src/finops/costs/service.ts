import type { Model } from '../../catalog/providers/model.js';
import { priceOn, usageCost } from '../../catalog/providers/price.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import type { ConnectionArgs } from '../../graph/keyset.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { newId } from '../../kernel/ids.js';
import type { Provenance } from '../../kernel/provenance.js';
import { moscowDay } from '../../kernel/time.js';
import { LIVE_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { measuredFrom } from '../../records/measured.js';
import { receiptOf } from '../../records/receipt.js';
import { receiptsOfKind } from '../../records/receipts.js';
import {
  forecast,
  type RecordedUnit,
  recordedUnit,
  recordedVariation,
  unitOfAny,
} from './forecast.rules.js';
import { itemized, type UsedTokens } from './receipt.rules.js';
import { COST_RECEIPTS, FORECASTS } from './records.js';
import { ofScope } from './scope-sql.js';
import { FORECAST_INPUT, RECEIPT_INPUT } from './tables.js';
import { RECORDED_DAYS, VARIATION_DEFAULT } from './vocabulary.js';

type Asked = ValuesOf<typeof FORECAST_INPUT.fields>;

/**
 * Forecasts a run and records it, once for a reference. The cost of a unit is stated, or recorded
 * of the scope, or follows from the
 * list price of a model, or of all of them.
 * @throws invalid_request with every fault
 */
export async function recordForecast(ctx: AuthorizedCtx, given: GivenValues) {
  const asked = inputValues(FORECAST_INPUT.fields, given);
  failOnFaults([
    ...inputFaults(FORECAST_INPUT.fields, asked, 'input'),
    ...modelFaults(ctx, asked.model),
  ]);
  const forecastRef = asked.forecastRef ?? newId('SealedReceipt');
  const known = await FORECASTS.byKey(ctx, forecastRef);
  if (known) return known;
  const unit = await unitCost(ctx, asked);
  const [budget] = await leftOf(ctx, asked);
  const { scope, scopeRef, units, retryShare, approvalAboveMicro, hours } = asked;
  const variation = asked.variation ?? unit.variation;
  const budgetLeftMicro = budget?.leftMicro ?? null;
  const content = {
    forecastRef,
    scope,
    scopeRef,
    units,
    costProvenance: unit.provenance,
    recordedRequests: unit.requests,
    model: unit.model,
    basis: unit.basis,
    variation,
    budgetLeftMicro,
    approvalAboveMicro,
    ...forecast({
      units,
      unitMicro: unit.micro + asked.toolCostMicro,
      retryShare,
      variation,
      requests: unit.requests,
      isOfAnyModel: unit.isOfAnyModel,
      budgetLeftMicro,
      budgetAsks: budget !== undefined,
      approvalAboveMicro,
    }),
  };
  return change(ctx, { action: 'costForecastRecord', subject: 'SealedReceipt' }, async (tx) => {
    const startsAt = await databaseNow(tx);
    const endsAt = new Date(startsAt.getTime() + hours * 3_600_000);
    const result = await FORECASTS.seal(ctx, forecastRef, { ...content, startsAt, endsAt }, { tx });
    return { result, id: result.alreadySealed ? undefined : result.row.id };
  });
}

function modelFaults({ services }: AuthorizedCtx, model: string | null) {
  if (model === null || services.registry.models.has(model)) return [];
  const near = services.registry.near(model);
  const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
  return [fault('input.model', 'unknown_value', `is no model that can be called${hint}`)];
}

/** What a unit costs, and where that comes from. */
interface UnitCost {
  readonly micro: bigint;
  readonly variation: number;
  readonly provenance: Provenance;
  readonly requests: number;
  readonly model: string | null;
  readonly isOfAnyModel: boolean;
  readonly basis: string;
}

async function unitCost(ctx: AuthorizedCtx, asked: Asked): Promise<UnitCost> {
  const none = { variation: VARIATION_DEFAULT, requests: 0, model: null, isOfAnyModel: false };
  const { costPerUnitMicro: stated, model } = asked;
  if (stated !== null) {
    return { ...none, micro: stated, provenance: 'declared', basis: 'The caller stated it.' };
  }
  if (model === null) {
    const { value, provenance } = await measuredFrom(ctx, recordedOf(ctx, asked), recordedUnit);
    if (value) {
      const { meanMicro, requests } = value;
      const micro = BigInt(Math.ceil(meanMicro));
      const recorded = `${requests} recorded requests of the scope`;
      const basis = `The mean of ${recorded} in ${RECORDED_DAYS} days.`;
      return { ...none, micro, variation: recordedVariation(value), provenance, requests, basis };
    }
  }
  return { ...none, ...listPriced(ctx, asked), provenance: 'estimated' };
}

/** The list price of the model that is named; of all that can be called where none is. */
function listPriced({ services }: AuthorizedCtx, asked: Asked) {
  const { model: named, inputTokens, outputTokens } = asked;
  const { models } = services.registry;
  const day = moscowDay(sharedNowMs());
  const usage = { input_uncached: inputTokens, input_cached: 0, cache_write: 0 };
  const used = { ...usage, output_text: outputTokens, output_reasoning: 0 };
  const costOf = (id: string) => {
    const price = priceOn(models.get(id)?.prices ?? [], day);
    return price && usageCost(used, price, 'ceil');
  };
  const tokens = `${inputTokens} tokens in and ${outputTokens} out`;
  if (named !== null) {
    const micro = costOf(named);
    if (micro === undefined) {
      return fail('cannot_forecast', { values: { model: named }, param: 'input.model' });
    }
    return { micro, model: named, basis: `The list price of ${named} for ${tokens}.` };
  }
  const ids = comparableModels(models);
  const unit = unitOfAny(ids.map(costOf).filter((cost) => cost !== undefined));
  if (!unit) return fail('cannot_forecast', { values: { model: 'any' }, param: 'input.model' });
  const basis =
    `No request of the scope was recorded in ${RECORDED_DAYS} days and no model is named: the ` +
    `mean list price of ${ids.length} models for ${tokens}, whose spread is in the interval.`;
  return { ...unit, isOfAnyModel: true, basis };
}

/** Chat models that can be called; simulated ones only where no other can. */
function comparableModels(models: ReadonlyMap<string, Model>): string[] {
  const chat = [...models.values()].filter(({ operation }) => operation === 'chat');
  const real = chat.filter(({ simulated }) => !simulated);
  return (real.length > 0 ? real : chat).map(({ id }) => id);
}

function recordedOf({ who }: AuthorizedCtx, { scope, scopeRef }: Asked) {
  return (rows: Transaction) => rows.$queryRaw<RecordedUnit[]>`
    SELECT count(*)::int AS requests, COALESCE(avg(u.amount_micro), 0)::float8 AS "meanMicro",
      COALESCE(stddev_samp(u.amount_micro), 0)::float8 AS "deviationMicro"
    FROM usage_event u
    WHERE u.tenant_id = ${who.tenantId}::uuid
      AND u.created_at >= now() - make_interval(days => ${RECORDED_DAYS}::int)
      AND ${Prisma.raw(LIVE_USAGE_SQL)}
      AND (${ofScope(Prisma.sql`${scope}`, Prisma.sql`${scopeRef}`)})`;
}

/** What the tightest budget of the scope has left that refuses or asks at its cap. */
function leftOf({ services, who }: AuthorizedCtx, { scope, scopeRef }: Asked) {
  return measuredFrom(
    { services, who },
    (rows) => rows.$queryRaw<{ leftMicro: bigint }[]>`
      SELECT GREATEST(0, b.cap_micro + budget_granted(b.id, s.period_start)
        - COALESCE(c.spent_micro + c.held_micro, 0))::bigint AS "leftMicro"
      FROM budget b
      CROSS JOIN LATERAL (
        SELECT budget_period_start(b.period, b.time_zone, clock_timestamp()) AS period_start
      ) s
      LEFT JOIN budget_counter c ON c.budget_id = b.id AND c.period_start = s.period_start
      WHERE b.tenant_id = ${who.tenantId}::uuid AND b.active AND b.scope_kind = ${scope}
        AND b.scope_ref IN ('*', ${scopeRef}) AND b.on_cap_reached <> 'allow'
      ORDER BY 1 LIMIT 1`,
    (found) => found,
  ).then(({ value }) => value);
}

/**
 * Itemizes a cost and seals it, once for a request or a reference.
 * @throws invalid_request with every fault, not_found for a request that is not the caller's
 */
export async function sealCostReceipt(ctx: AuthorizedCtx, given: GivenValues) {
  const stated = inputValues(RECEIPT_INPUT.fields, given);
  failOnFaults(inputFaults(RECEIPT_INPUT.fields, stated, 'input'));
  const ref = stated.requestId ?? stated.receiptRef ?? newId('SealedReceipt');
  const known = await COST_RECEIPTS.byKey(ctx, ref);
  if (known) return known;
  const used = stated.requestId === null ? undefined : await usedBy(ctx, stated.requestId);
  return change(ctx, { action: 'costReceiptSeal', subject: 'SealedReceipt' }, async (tx) => {
    const result = await COST_RECEIPTS.seal(ctx, ref, itemized(stated, used, ref), { tx });
    return { result, id: result.alreadySealed ? undefined : result.row.id };
  });
}

async function usedBy(ctx: AuthorizedCtx, id: string): Promise<UsedTokens> {
  const { tenantId } = ctx.who;
  const { value, provenance } = await measuredFrom(
    ctx,
    (rows) => rows.usageEvent.findMany({ where: { tenantId, id } }),
    ([row]) => row,
  );
  if (!value) {
    return fail('not_found', { values: { subject: 'request', id }, param: 'input.requestId' });
  }
  const prices = value.prices as Readonly<Record<string, string>>;
  const priced = (name: string) => BigInt(prices[name] ?? '0');
  const { feature, model, requestedModel, attempts, amountMicro, vatMicro } = value;
  const isAsked = requestedModel === model || ctx.services.registry.models.has(requestedModel);
  return {
    id,
    feature,
    model,
    requestedModel,
    attempts,
    amountMicro,
    vatMicro,
    provenance,
    fellBack: isAsked && requestedModel !== model,
    tokens: [
      ['input_tokens', value.inputUncached, priced('input_uncached')],
      ['cached_tokens', value.inputCached, priced('input_cached')],
      ['cached_tokens', value.cacheWrite, priced('cache_write')],
      ['output_tokens', value.outputText, priced('output_text')],
      ['output_tokens', value.outputReasoning, priced('output_reasoning')],
    ],
  };
}

/** A page of cost receipts, those of one use case alone where it is named. */
export async function costReceipts(
  ctx: AuthorizedCtx,
  { useCase, ...args }: ConnectionArgs & { readonly useCase?: string | null },
) {
  // The content is canonical text, in which a member stands in one way alone.
  const named = useCase == null ? {} : { contains: `"use_case":${JSON.stringify(useCase)}` };
  const condition = useCase == null ? {} : { content: named };
  const { edges, pageInfo } = await receiptsOfKind(ctx, COST_RECEIPTS.kind, args, condition);
  const shown = edges.map(({ node, cursor }) => ({ node: receiptOf(node), cursor }));
  return { edges: shown, pageInfo };
}
