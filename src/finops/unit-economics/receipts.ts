import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { change } from '../../records/change.js';
import { measuredFrom } from '../../records/measured.js';
import { beforeBegin, organizationBegin } from '../../records/organization-begin.js';
import { databaseOf } from '../../records/scope.js';
import { forecastError } from '../costs/forecast-error.js';
import { type FinopsContent, RECEIPT_INPUT } from './cost-tables.js';
import { sumOf } from './coverage.rules.js';
import {
  coverageMetric,
  forecastMetric,
  invoiceMetric,
  leakageMetric,
  recordedForecasts,
  runRateForecast,
  type SupplierCosts,
} from './metrics.rules.js';
import { monthFaults, monthOf, type Period, periodOf, sealKeyOf } from './period.rules.js';
import { costsOf, supplierCosts } from './recorded-costs.js';
import { FINOPS_RECEIPTS } from './records.js';

/**
 * Seals the metrics of a month: once when it is over, and once a day while it goes on.
 * @throws invalid_request for what is no month, one to come, or one before any cost could be
 */
export async function sealFinopsReceipt(ctx: AuthorizedCtx, given: GivenValues) {
  const asked = inputValues(RECEIPT_INPUT.fields, given);
  const now = sharedNow();
  failOnFaults([
    ...inputFaults(RECEIPT_INPUT.fields, asked, 'input'),
    ...monthFaults('input.period', asked.period, now),
  ]);
  const period = periodOf(asked.period ?? monthOf(now), now);
  const key = sealKeyOf(period);
  const known = await FINOPS_RECEIPTS.byKey(ctx, key);
  if (known) return known;
  failOnFaults(beforeBegin('input.period', period, await firstCost(ctx)));
  const content = await metricsOf(ctx, period);
  return change(ctx, { action: 'finopsReceiptSeal', subject: 'SealedReceipt' }, async (tx) => {
    const result = await FINOPS_RECEIPTS.seal(ctx, key, content, { tx });
    return { result, id: result.alreadySealed ? undefined : result.row.id };
  });
}

/** From when on there can be cost: the registration, or an earlier cost that was recorded. */
async function firstCost(ctx: AuthorizedCtx): Promise<Date> {
  const begin = await organizationBegin(ctx);
  const { _min: first } = await databaseOf(ctx).costEvent.aggregate({
    where: { tenantId: ctx.who.tenantId },
    _min: { occurredAt: true },
  });
  return first.occurredAt !== null && first.occurredAt < begin ? first.occurredAt : begin;
}

async function metricsOf(ctx: AuthorizedCtx, period: Period): Promise<FinopsContent> {
  const { month, isFinal, from, to } = period;
  const { value: costs, provenance } = await measuredFrom(ctx, costsOf(ctx, period), (all) => all, {
    usageSince: from,
  });
  const ledgerMicro = sumOf(costs, ({ source }) => source === 'ledger');
  const { value: suppliers } = await measuredFrom(
    ctx,
    supplierCosts(ctx, period, ledgerMicro),
    ([found]) => found ?? NO_SUPPLIER,
  );
  const forecasts = await forecastError(ctx, { from, until: to });
  const compared = recordedForecasts(forecasts.value);
  return {
    period: month,
    isFinal,
    from,
    to,
    totalMicro: sumOf(costs),
    allocatedCoverage: coverageMetric(costs, provenance),
    invoiceVariance: invoiceMetric(suppliers, month, provenance),
    forecastError: compared
      ? forecastMetric(compared, forecasts.provenance)
      : forecastMetric(runRateForecast(costs), provenance),
    marginLeakage: leakageMetric(costs, provenance),
  };
}

const NO_SUPPLIER: SupplierCosts = {
  reportedMicro: 0n,
  invoicedMicro: 0n,
  suppliers: 0,
  missing: [],
};
