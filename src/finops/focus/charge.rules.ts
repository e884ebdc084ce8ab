import { USAGE_DIMENSIONS, type UsageDimension } from '../../catalog/providers/vocabulary.js';
import { allocate, divide, formatRub, type MicroRub } from '../../kernel/money.js';
import type { Window } from '../../kernel/window.rules.js';
import type { FocusCharge } from './tables.js';
import {
  FOCUS_SERVICES,
  FOCUS_UNITS,
  type FocusChargeKind,
  type FocusGranularity,
  FREQUENCIES,
  METER_NAMES,
  PRICING_CATEGORY,
  REGION_NAMES,
  SERVICE_CATEGORY,
  TOKENS_PER_PRICE,
} from './vocabulary.js';
import { billingPeriodOf, periodMs } from './window.rules.js';

/** What requests of one group have in common. */
export interface ChargeUse {
  readonly projectId: string;
  readonly projectName: string;
  readonly keyId: string | null;
  readonly userId: string | null;
  readonly operation: 'chat' | 'embeddings';
  readonly model: string;
  readonly provider: string;
  readonly route: string;
  readonly simulated: boolean;
  readonly cachedAnswer: boolean;
  readonly feature: string | null;
  readonly environment: string | null;
  readonly clientId: string | null;
  /** The first day of the price row. */
  readonly priceEffectiveFrom: string | null;
  /** Micro-rubles for a million tokens, VAT inside. */
  readonly prices: Readonly<Record<UsageDimension, MicroRub>>;
  /** Sums; negative for refunds. */
  readonly tokens: Readonly<Record<UsageDimension, bigint>>;
}

/** Charges of one period that differ in nothing but their amounts. */
export interface ChargeGroup {
  readonly kind: FocusChargeKind;
  /** True for refunds of charges of an earlier billing period. */
  readonly correction: boolean;
  /** Begin of the charge period, whatever the window. */
  readonly period: Date;
  /** Null where the books post no tax. */
  readonly vatRateBasisPoints: number | null;
  /** What customers pay without tax; negative for what they are given. */
  readonly netMicro: MicroRub;
  readonly vatMicro: MicroRub;
  readonly requests: bigint;
  /** What the person wrote who posted it. */
  readonly description: string | null;
  /** Null for what belongs to no request. */
  readonly use: ChargeUse | null;
}

/** Who takes part in a charge, and the question that it answers. */
export interface ChargeFrame {
  readonly window: Window;
  readonly granularity: FocusGranularity;
  readonly accountId: string;
  readonly accountName: string;
  readonly operatorName: string;
  /** Who runs the model. */
  readonly publisherName: string;
  /** The display name of the model, where it is listed. */
  readonly resourceName: string | null;
}

/**
 * The rows of a group: one for each meter that was used, or one for what belongs to no request, and
 * one for the tax of all of them. Their billed costs add up to the group's net and tax exactly.
 */
export function chargesOf(group: ChargeGroup, frame: ChargeFrame): FocusCharge[] {
  const blank = blankOf(group, frame);
  const rows = group.use ? meterRows(group, group.use, blank) : [postingRow(group, blank)];
  return group.vatMicro === 0n ? rows : [...rows, taxRow(group, rows, blank)];
}

/**
 * What all rows of a group say, where they say nothing else. Every column stands in one literal: a
 * row is then a copy of a known shape, where one that grows column by column costs several times as
 * much.
 */
function blankOf(group: ChargeGroup, frame: ChargeFrame): FocusCharge {
  const { use, period, correction, vatRateBasisPoints } = group;
  const service = FOCUS_SERVICES[use?.operation ?? 'account'];
  const regionName = REGION_NAMES[use?.route ?? ''] ?? null;
  const periods = periodsOf(period, frame);
  return {
    billedCostMicro: 0n,
    effectiveCostMicro: 0n,
    listCostMicro: 0n,
    contractedCostMicro: 0n,
    billingPeriodStart: periods.billingPeriodStart,
    billingPeriodEnd: periods.billingPeriodEnd,
    chargePeriodStart: periods.chargePeriodStart,
    chargePeriodEnd: periods.chargePeriodEnd,
    billingAccountId: frame.accountId,
    billingAccountName: frame.accountName,
    billingCurrency: 'RUB',
    subAccountId: use?.projectId ?? null,
    subAccountName: use?.projectName ?? null,
    invoiceIssuerName: frame.operatorName,
    providerName: frame.operatorName,
    publisherName: frame.publisherName,
    chargeCategory: 'Usage',
    chargeClass: correction ? 'Correction' : null,
    chargeDescription: '',
    chargeFrequency: use ? FREQUENCIES.usage : FREQUENCIES.once,
    consumedQuantity: null,
    consumedUnit: null,
    pricingCategory: null,
    pricingQuantity: null,
    pricingUnit: null,
    listUnitPriceMicro: null,
    contractedUnitPriceMicro: null,
    serviceCategory: SERVICE_CATEGORY,
    serviceSubcategory: service.subcategory,
    serviceName: service.name,
    resourceId: use && `${use.provider}:${use.model}`,
    resourceName: use && frame.resourceName,
    resourceType: use && 'Model',
    skuId: null,
    skuMeter: null,
    skuPriceId: null,
    skuPriceDetails: null,
    regionId: use && regionName ? use.route : null,
    regionName,
    tags: use && tagsOf(use),
    feature: use?.feature ?? null,
    environment: use?.environment ?? null,
    clientId: use?.clientId ?? null,
    keyId: use?.keyId ?? null,
    userId: use?.userId ?? null,
    operation: use?.operation ?? null,
    model: use?.model ?? null,
    provider: use?.provider ?? null,
    cachedAnswer: use?.cachedAnswer ?? null,
    simulated: use?.simulated ?? null,
    requestCount: null,
    tokenMeter: null,
    priceEffectiveFrom: use?.priceEffectiveFrom ?? null,
    vatRatePercent: vatRateBasisPoints === null ? null : vatRateBasisPoints / 100,
  };
}

/** A refund of usage is usage of less than nothing: `chargecategory.md`, "including refunds". */
function meterRows(group: ChargeGroup, use: ChargeUse, blank: FocusCharge): FocusCharge[] {
  const shares = splitOverMeters(group.netMicro, use);
  const rows: FocusCharge[] = [];
  for (const [index, meter] of USAGE_DIMENSIONS.codes.entries()) {
    const billedMicro = shares[index] ?? 0n;
    if (use.tokens[meter] === 0n && billedMicro === 0n) continue;
    const counted = rows.length === 0 ? group.requests : 0n;
    const requestCount = group.kind === 'usage' ? counted : null;
    rows.push(meterRow(group, use, { meter, billedMicro, requestCount }, blank));
  }
  return rows;
}

/**
 * The net amount over the meters by the largest remainder, in proportion to what their tokens cost;
 * by tokens alone where nothing has a price.
 */
function splitOverMeters(netMicro: MicroRub, { tokens, prices }: ChargeUse): MicroRub[] {
  const counts = USAGE_DIMENSIONS.codes.map((meter) => absolute(tokens[meter]));
  const costs = USAGE_DIMENSIONS.codes.map((meter, index) => (counts[index] ?? 0n) * prices[meter]);
  const first = USAGE_DIMENSIONS.codes.map((_meter, index) => (index === 0 ? 1n : 0n));
  const weights = [costs, counts, first].find((each) => each.some((weight) => weight > 0n));
  const parts = allocate(absolute(netMicro), weights ?? first);
  return netMicro < 0n ? parts.map((part) => -part) : parts;
}

function meterRow(
  group: ChargeGroup,
  use: ChargeUse,
  part: {
    readonly meter: UsageDimension;
    readonly billedMicro: MicroRub;
    readonly requestCount: bigint | null;
  },
  blank: FocusCharge,
): FocusCharge {
  const { meter, billedMicro, requestCount } = part;
  const tokens = use.tokens[meter];
  const priceMicro = withoutTax(use.prices[meter], group.vatRateBasisPoints ?? 0);
  const productMicro = divide(priceMicro * tokens, TOKENS_PER_PRICE, 'half_even');
  const sku = `${use.provider}:${use.model}/${meter}`;
  const from = use.cachedAnswer ? ' from the response cache' : '';
  const refund = group.kind === 'refund' ? 'Refund: ' : '';
  return {
    ...blank,
    ...costs(billedMicro, productMicro),
    chargeDescription:
      `${refund}${METER_NAMES[meter]} of ${use.model}${from}, ${blank.serviceName}, ` +
      `at ${formatRub(priceMicro)} RUB per ${FOCUS_UNITS.pricing} without VAT`,
    consumedQuantity: tokens,
    consumedUnit: FOCUS_UNITS.consumed,
    pricingCategory: PRICING_CATEGORY,
    pricingQuantity: Number(tokens) / Number(TOKENS_PER_PRICE),
    pricingUnit: FOCUS_UNITS.pricing,
    listUnitPriceMicro: priceMicro,
    contractedUnitPriceMicro: priceMicro,
    skuId: sku,
    skuMeter: METER_NAMES[meter],
    skuPriceId: use.cachedAnswer ? `${sku}/cached_answer` : sku,
    skuPriceDetails: JSON.stringify({
      x_Provider: use.provider,
      x_Model: use.model,
      x_TokenMeter: meter,
      x_CachedAnswer: use.cachedAnswer,
    }),
    requestCount,
    tokenMeter: meter,
  };
}

/** A credit, an adjustment, or a refund that names no charge. */
function postingRow({ kind, netMicro, description }: ChargeGroup, blank: FocusCharge): FocusCharge {
  return {
    ...blank,
    ...costs(netMicro),
    chargeCategory: kind === 'credit' ? 'Credit' : 'Adjustment',
    chargeDescription: [POSTING_NAMES[kind], description].filter(Boolean).join(': '),
  };
}

const POSTING_NAMES: Readonly<Record<FocusChargeKind, string>> = {
  usage: 'Usage',
  refund: 'Refund',
  unnamed_refund: 'Refund',
  credit: 'Credit',
  adjustment: 'Adjustment',
};

/** Tax is computed from the same costs of the charges that it is on, half up as on invoices. */
function taxRow(
  { kind, vatMicro, vatRateBasisPoints }: ChargeGroup,
  rows: readonly FocusCharge[],
  blank: FocusCharge,
): FocusCharge {
  const rate = BigInt(vatRateBasisPoints ?? 0);
  const taxOn = (column: 'listCostMicro' | 'contractedCostMicro') =>
    divide(sum(rows.map((row) => row[column])) * rate, 10_000n, 'half_up');
  const refund = kind === 'usage' ? '' : 'Refund: ';
  const what = blank.model === null ? '' : ` of ${blank.model}`;
  return {
    ...blank,
    billedCostMicro: vatMicro,
    effectiveCostMicro: vatMicro,
    listCostMicro: taxOn('listCostMicro'),
    contractedCostMicro: taxOn('contractedCostMicro'),
    chargeCategory: 'Tax',
    chargeDescription: `${refund}VAT ${blank.vatRatePercent} % on ${blank.serviceName}${what}`,
  };
}

/** What a row costs: as billed, and what its price makes of its quantity where it has one. */
function costs(billedMicro: MicroRub, productMicro: MicroRub = billedMicro) {
  return {
    billedCostMicro: billedMicro,
    effectiveCostMicro: billedMicro,
    listCostMicro: productMicro,
    contractedCostMicro: productMicro,
  };
}

/** A published price without the tax inside it, half even to a micro-ruble. */
function withoutTax(priceMicro: MicroRub, vatRateBasisPoints: number): MicroRub {
  return divide(priceMicro * 10_000n, 10_000n + BigInt(vatRateBasisPoints), 'half_even');
}

/** The periods of a row; a charge period that the window cuts ends with the window. */
function periodsOf(period: Date, { window, granularity }: ChargeFrame) {
  const billing = billingPeriodOf(period);
  const end = period.getTime() + periodMs(granularity);
  return {
    billingPeriodStart: timeText(billing.from.getTime()),
    billingPeriodEnd: timeText(billing.to.getTime()),
    chargePeriodStart: timeText(Math.max(period.getTime(), window.from.getTime())),
    chargePeriodEnd: timeText(Math.min(end, window.to.getTime())),
  };
}

function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}

function tagsOf({ feature, environment, clientId }: ChargeUse): string | null {
  const tags = Object.entries({ feature, environment, client_id: clientId }).filter(
    ([, value]) => value !== null,
  );
  return tags.length === 0 ? null : JSON.stringify(Object.fromEntries(tags));
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((all, value) => all + value, 0n);
}
