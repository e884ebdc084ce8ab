import {
  BY_DEPLOYMENT_SQL,
  type DeploymentUsage,
  recordedParts,
} from '../../catalog/providers/price-ahead.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { present } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { moscowDay, vatRateOn } from '../../kernel/time.js';
import { LIVE_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { change } from '../../records/change.js';
import type { Version } from '../../records/contract-kinds.js';
import { measuredFrom } from '../../records/measured.js';
import type { WriteOptions } from '../../records/scope.js';
import { quoteGate } from './gates.rules.js';
import { planFaults, planFrom } from './plan.rules.js';
import { canonicalPlan, PLAN_FIELDS, type Plan } from './plans.js';
import { demandFaults, project } from './quote.rules.js';
import {
  costAhead,
  type DayOfCost,
  type RecordedCost,
  recordedCost,
} from './recorded-cost.rules.js';
import { PRICE_PLANS, PRICE_RECEIPTS } from './records.js';
import { PLAN_INPUT, RECEIPT_INPUT } from './tables.js';
import { RECORDED_DAYS } from './vocabulary.js';

/**
 * Publishes the next version of a plan. What is left out is as in its last version, else as in the
 * canonical plan of that code.
 * @throws invalid_request with every fault
 */
export async function publishPlan(ctx: AuthorizedCtx, given: GivenValues): Promise<Version<Plan>> {
  const stated = inputValues(PLAN_INPUT.fields, given);
  failOnFaults(inputFaults(PLAN_INPUT.fields, stated, 'input'));
  return change(ctx, { action: 'pricePlanPublish', subject: 'PricePlan' }, async (tx) => {
    await PRICE_PLANS.lock(ctx, tx, stated.plan);
    const before = (await recordedPlan(ctx, stated.plan, null, { tx }))?.terms;
    failOnFaults(planFaults(stated, before));
    const result = await PRICE_PLANS.publish(ctx, planFrom(stated, before), { tx });
    return { result, id: result.id, after: sealedContent(PLAN_FIELDS, result.body) };
  });
}

/**
 * Seals a quote: the projection by the recorded plan, then its floor gate, then the receipt, once
 * for a quote reference.
 * @throws invalid_request with every fault, not_found for a plan that nobody has recorded
 */
export async function sealQuote(ctx: AuthorizedCtx, given: GivenValues) {
  const asked = inputValues(RECEIPT_INPUT.fields, given);
  failOnFaults(inputFaults(RECEIPT_INPUT.fields, asked, 'input'));
  const known = await PRICE_RECEIPTS.byKey(ctx, asked.quoteRef);
  if (known) return known;
  const found = await recordedPlan(ctx, asked.plan, asked.priceBookVersion);
  if (!found) {
    return fail('not_found', { values: { subject: 'price plan', id: asked.plan }, param: 'plan' });
  }
  const cost = await costOf(ctx, asked);
  const { terms, planVersion } = found;
  failOnFaults(demandFaults({ ...asked, ...cost }));
  const projection = project(terms, { ...asked, ...cost }, moscowDay(sharedNowMs()));
  const { netMicro, usageCostMicro } = projection.expected;
  const feeMicro = asked.platformFeeMicro ?? terms.platformFeeMicro;
  const { quoteRef, plan, monthlyRequests } = asked;
  const facts = { quoteRef, plan, planVersion, terms, monthlyRequests };
  return change(ctx, { action: 'priceBookReceiptSeal', subject: 'SealedReceipt' }, async (tx) => {
    const floor = quoteGate(terms, { netMicro, usageCostMicro, feeMicro, gives: asked.gives });
    const content = { ...facts, ...cost, ...projection, ...floor };
    const result = await PRICE_RECEIPTS.seal(ctx, quoteRef, content, { tx });
    return { result, id: result.alreadySealed ? undefined : result.row.id };
  });
}

/** The organization's own latest plan of a code and edition, else the canonical one. */
async function recordedPlan(
  ctx: AuthorizedCtx,
  code: string,
  edition: string | null,
  options: WriteOptions = {},
) {
  const isWanted = (plan: Plan) => edition === null || plan.priceBookVersion === edition;
  const own = await PRICE_PLANS.latest(ctx, code, isWanted, options);
  if (own) return { terms: own.body, planVersion: own.version };
  const canonical = canonicalPlan(code);
  return canonical && isWanted(canonical) ? { terms: canonical, planVersion: null } : undefined;
}

interface Asked {
  readonly costPerRequestMicro: bigint | null;
  readonly monthlyRequests: number;
  readonly variation: number;
}

/**
 * What a request costs. Where the gateway has recorded enough, a stated cost below the recorded one
 * does not lower the quote or its floor. The recorded one is that of the month to come: each of its
 * days is priced by the rows in force on it.
 */
async function costOf(
  ctx: AuthorizedCtx,
  { costPerRequestMicro: stated, variation, monthlyRequests }: Asked,
) {
  const { value: recorded, provenance } = await measuredFrom(ctx, daysOfCost(ctx), recordedCost);
  const ahead = recorded && (await monthAhead(ctx, recorded));
  if (recorded && ahead && (stated === null || ahead.costPerRequestMicro >= stated)) {
    const { isPriced, ...priced } = ahead;
    const each = priced.costPerRequestMicro - recorded.costPerRequestMicro;
    return {
      ...priced,
      priceChangeMicro: isPriced ? each * BigInt(monthlyRequests) : null,
      variation: recorded.variation ?? variation,
      costProvenance: provenance,
      recordedRequests: recorded.requests,
    };
  }
  const why = 'is needed while fewer than 100 live requests were recorded in 30 days';
  failOnFaults(present('input.costPerRequestRub', stated, why));
  return {
    costPerRequestMicro: stated ?? 0n,
    priceRows: [],
    priceChangeMicro: 0n,
    variation,
    costProvenance: 'declared' as const,
    recordedRequests: recorded?.requests ?? 0,
  };
}

/** What a recorded request costs in the 30 days that begin now. */
async function monthAhead(ctx: AuthorizedCtx, recorded: RecordedCost) {
  const { value: used } = await measuredFrom(ctx, usedOf(ctx), (rows) => rows);
  const from = sharedNow();
  const span = { from, until: new Date(from.getTime() + RECORDED_DAYS * DAY_MS) };
  const { deploymentsByKey } = ctx.services.registry;
  const rate = vatRateOn(moscowDay(from.getTime()));
  const parts = recordedParts(used, deploymentsByKey, { times: 1n, by: 1n }, rate);
  return costAhead(recorded, parts, span);
}

const DAY_MS = 86_400_000;

/** What live requests have used of each deployment, and paid for it net of VAT. */
function usedOf({ who }: AuthorizedCtx) {
  return (rows: Transaction) => rows.$queryRaw<DeploymentUsage[]>`
    SELECT ${Prisma.raw(BY_DEPLOYMENT_SQL)},
      sum(amount_micro - vat_micro)::bigint AS "amountMicro"
    FROM usage_event WHERE ${IS_RECENT(who)} GROUP BY 1 ORDER BY 1`;
}

/** The condition on live rows, and on refunds of such, that are recorded lately. */
const IS_RECENT = ({ tenantId }: AuthorizedCtx['who']) => Prisma.sql`
  tenant_id = ${tenantId}::uuid
    AND created_at >= now() - make_interval(days => ${RECORDED_DAYS}::int)
    AND ${Prisma.raw(LIVE_USAGE_SQL)}`;

/**
 * Live requests of each day and their cost, less what was refunded of them since. A refund of a
 * request of before is none of these requests. Each refund looks its own request up.
 */
function daysOfCost({ who }: AuthorizedCtx) {
  return (rows: Transaction) => rows.$queryRaw<DayOfCost[]>`
    SELECT sum(requests)::int AS requests, sum(net)::bigint AS "costMicro" FROM (
      SELECT created_at, 1 AS requests, amount_micro - vat_micro AS net
      FROM usage_event WHERE ${IS_RECENT(who)}
      UNION ALL
      SELECT charged.created_at, 0, refunded.net FROM (
        SELECT id, vat_micro - amount_micro AS net FROM usage_refund WHERE ${IS_RECENT(who)}
      ) refunded CROSS JOIN LATERAL (
        SELECT created_at FROM usage_event WHERE ${IS_RECENT(who)} AND id = refunded.id OFFSET 0
      ) charged
    ) costs
    GROUP BY (created_at AT TIME ZONE 'Europe/Moscow')::date`;
}
