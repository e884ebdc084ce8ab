import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { ConnectionArgs } from '../../graph/keyset.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { measuredFrom } from '../../records/measured.js';
import { receiptOf } from '../../records/receipt.js';
import { receiptsOfKind } from '../../records/receipts.js';
import { keptRef } from '../budgets/each-budgets.js';
import { EACH_REF } from '../budgets/vocabulary.js';
import { forecast } from './forecast.rules.js';
import { isOf, itemized, receiptFaults, receiptKeys, type UsedTokens } from './receipt.rules.js';
import { COST_RECEIPTS, FORECASTS } from './records.js';
import { FORECAST_INPUT, RECEIPT_INPUT } from './tables.js';
import { type ForecastAsked, unitCost } from './unit-cost.js';

/**
 * Forecasts a run and records it, once for a reference. The cost of a unit is stated, or recorded
 * of the scope, or follows from the list price of a model, or of all of them; days of the run are
 * priced by the rows in force on them.
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
  const facts = {
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
  };
  const run = {
    units,
    unitMicro: unit.micro,
    toolMicro: asked.toolCostMicro,
    parts: unit.parts,
    retryShare,
    variation,
    requests: unit.requests,
    isOfAnyModel: unit.isOfAnyModel,
    budgetLeftMicro,
    budgetAsks: budget !== undefined,
    approvalAboveMicro,
  };
  return change(ctx, { action: 'costForecastRecord', subject: 'SealedReceipt' }, async (tx) => {
    const startsAt = await databaseNow(tx);
    const endsAt = new Date(startsAt.getTime() + hours * 3_600_000);
    const scenarios = forecast({ ...run, span: { from: startsAt, until: endsAt } });
    const content = { ...facts, ...scenarios, startsAt, endsAt };
    const result = await FORECASTS.seal(ctx, forecastRef, content, { tx });
    return { result, id: result.alreadySealed ? undefined : result.row.id };
  });
}

function modelFaults({ services }: AuthorizedCtx, model: string | null) {
  if (model === null || services.registry.models.has(model)) return [];
  const near = services.registry.near(model);
  const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
  return [fault('input.model', 'unknown_value', `is no model that can be called${hint}`)];
}

/**
 * What the tightest budget of the scope has left that refuses or asks at its cap. A budget for each
 * has for the one in question what its own cap has left, and all of it before its first request.
 */
function leftOf({ services, who }: AuthorizedCtx, { scope, scopeRef }: ForecastAsked) {
  return measuredFrom(
    { services, who },
    (rows) => rows.$queryRaw<{ leftMicro: bigint }[]>`
      SELECT GREATEST(0, b.cap_micro + COALESCE(budget_granted(one.id, s.period_start), 0)
        - COALESCE(c.spent_micro + c.held_micro, 0))::bigint AS "leftMicro"
      FROM budget b
      LEFT JOIN budget own ON b.scope_ref = ${EACH_REF} AND own.tenant_id = b.tenant_id
        AND own.scope_kind = 'each'
        AND own.scope_ref = concat(b.id, '/', ${keptRef(scopeRef)}::text)
      CROSS JOIN LATERAL (
        SELECT CASE WHEN b.scope_ref = ${EACH_REF} THEN own.id ELSE b.id END AS id
      ) one
      CROSS JOIN LATERAL (
        SELECT budget_period_start(b.period, b.time_zone, clock_timestamp()) AS period_start
      ) s
      LEFT JOIN budget_counter c ON c.budget_id = one.id AND c.period_start = s.period_start
      WHERE b.tenant_id = ${who.tenantId}::uuid AND b.active AND b.scope_kind = ${scope}
        AND (b.scope_ref IN ('*', ${scopeRef})
          OR b.scope_ref = ${EACH_REF} AND ${scopeRef} <> '*') AND b.on_cap_reached <> 'allow'
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
  failOnFaults([...inputFaults(RECEIPT_INPUT.fields, stated, 'input'), ...receiptFaults(stated)]);
  const requestId = stated.requestId?.toLowerCase() ?? null;
  const ref = requestId ?? stated.receiptRef ?? newId('SealedReceipt');
  const keys = receiptKeys(ref, requestId);
  const found = await COST_RECEIPTS.byKeys(ctx, keys);
  const known = [...found.values()].find(({ content }) => isOf(content, ref, requestId));
  if (known) return known;
  const used = requestId === null ? undefined : await usedBy(ctx, requestId);
  const key = keys.find((each) => !found.has(each));
  if (key === undefined) throw new Error('a key of a cost is taken by another one');
  return change(ctx, { action: 'costReceiptSeal', subject: 'SealedReceipt' }, async (tx) => {
    const result = await COST_RECEIPTS.seal(ctx, key, itemized(stated, used, ref), { tx });
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
