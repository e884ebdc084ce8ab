import type { Fault } from '../../kernel/errors/fail.js';
import { present } from '../../kernel/errors/faults.js';
import { divide, MICRO_PER_RUB, taxInside } from '../../kernel/money.js';
import { moscowDay, vatRateOn } from '../../kernel/time.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import type { Window } from '../../kernel/window.rules.js';
import type { Vertical } from '../value/vocabulary.js';
import type { ClientPrice, PartnerTerms } from './tables.js';
import { BASIS_POINTS, BILLING_MODES, MONTH_DAYS, PARTNER_TIERS } from './vocabulary.js';

const MONTH_MS = BigInt(MONTH_DAYS) * 86_400_000n;

/** What terms lack that their billing mode needs. */
export function termsFaults(terms: PartnerTerms): Fault[] {
  const { billingMode: code, markupBasisPoints, monthlyFeeMicro } = terms;
  const mode = BILLING_MODES.find(code);
  const why = `is needed where the billing mode is ${code}`;
  return [
    ...(mode?.hasMarkup ? present('input.markupBasisPoints', markupBasisPoints, why) : []),
    ...(mode?.hasFee ? present('input.monthlyFeeRub', monthlyFeeMicro, why) : []),
  ];
}

/** What usage is billed: its cost with the mark-up on it, rounded up; null where it is not. */
export function usagePrice(terms: PartnerTerms | null, costMicro: bigint): bigint | null {
  if (!terms || !BILLING_MODES.find(terms.billingMode)?.hasMarkup) return null;
  const factor = BigInt(BASIS_POINTS + (terms.markupBasisPoints ?? 0));
  return divide(costMicro * factor, BigInt(BASIS_POINTS), 'ceil');
}

/** The fee for the days of a window, a month having 30, half up; null where there is none. */
export function feeOf(terms: PartnerTerms | null, { from, to }: Window): bigint | null {
  if (!terms || !BILLING_MODES.find(terms.billingMode)?.hasFee) return null;
  const ms = BigInt(to.getTime() - from.getTime());
  return divide((terms.monthlyFeeMicro ?? 0n) * ms, MONTH_MS, 'half_up');
}

/** Usage of a client in one vertical, as the ledger charged it. */
export interface UsageLine {
  readonly vertical: Vertical;
  readonly requests: number;
  readonly costMicro: bigint;
  readonly costVatMicro: bigint;
  readonly simulatedRequests: number;
  readonly simulatedCostMicro: bigint;
}

/** A part of a window in which neither the terms of a client nor the rate of tax change. */
export interface ClientPeriod {
  readonly window: Window;
  /** Null before the first terms. */
  readonly terms: { readonly version: number; readonly body: PartnerTerms } | null;
  readonly lines: readonly UsageLine[];
}

/** The tax inside an amount that is billed in a period, at the general rate of its first day. */
export function taxOf(micro: bigint, { window }: Pick<ClientPeriod, 'window'>): bigint {
  return taxInside(micro, vatRateOn(moscowDay(window.from.getTime()))).vat;
}

function total<T>(items: readonly T[], amount: (item: T) => bigint | null): bigint {
  return items.reduce((sum, item) => sum + (amount(item) ?? 0n), 0n);
}

/** What a period is billed, and what it has cost. */
function pricedPeriod(period: ClientPeriod) {
  const body = period.terms?.body ?? null;
  const prices = period.lines.map(({ costMicro }) => usagePrice(body, costMicro));
  const feeMicro = feeOf(body, period.window);
  return {
    isPriced: body !== null,
    isBilled: usagePrice(body, 0n) !== null,
    costMicro: total(period.lines, ({ costMicro }) => costMicro),
    costVatMicro: total(period.lines, ({ costVatMicro }) => costVatMicro),
    usageMicro: total(prices, (price) => price),
    feeMicro,
    vatMicro: total(prices, (price) => taxOf(price ?? 0n, period)) + taxOf(feeMicro ?? 0n, period),
  };
}

const UNPRICED = {
  usagePriceMicro: null,
  feeMicro: null,
  clientPriceMicro: null,
  clientPriceNetMicro: null,
  clientPriceVatMicro: null,
  marginMicro: null,
  marginNetMicro: null,
  marginVatMicro: null,
  marginPercent: null,
};

/**
 * What a client is billed over the periods of a window. The usage of each vertical is priced by
 * itself, as its report shows; what came before the terms has a cost and no price.
 */
export function priceOf(periods: readonly ClientPeriod[]): ClientPrice {
  const all = periods.map(pricedPeriod);
  const priced = all.filter(({ isPriced }) => isPriced);
  const costMicro = total(all, (each) => each.costMicro);
  const costVatMicro = total(all, (each) => each.costVatMicro);
  const pricedCost = total(priced, (each) => each.costMicro);
  const cost = {
    costMicro,
    costNetMicro: costMicro - costVatMicro,
    costVatMicro,
    unpricedCostMicro: costMicro - pricedCost,
  };
  if (priced.length === 0) return { status: 'cannot_price', ...cost, ...UNPRICED };
  const isBilled = priced.some((each) => each.isBilled);
  const hasFee = priced.some(({ feeMicro }) => feeMicro !== null);
  const usage = total(priced, ({ usageMicro }) => usageMicro);
  const fee = total(priced, ({ feeMicro }) => feeMicro);
  const clientPriceMicro = usage + fee;
  const clientPriceVatMicro = total(priced, ({ vatMicro }) => vatMicro);
  const marginMicro = clientPriceMicro - pricedCost;
  const marginVatMicro = clientPriceVatMicro - total(priced, (each) => each.costVatMicro);
  const isWhole = all.every((each) => each.isPriced || each.costMicro === 0n);
  return {
    status: isWhole ? 'computed' : 'partly_priced',
    ...cost,
    usagePriceMicro: isBilled ? usage : null,
    feeMicro: hasFee ? fee : null,
    clientPriceMicro,
    clientPriceNetMicro: clientPriceMicro - clientPriceVatMicro,
    clientPriceVatMicro,
    marginMicro,
    marginNetMicro: marginMicro - marginVatMicro,
    marginVatMicro,
    marginPercent:
      clientPriceMicro <= 0n
        ? null
        : Number(divide(marginMicro * 10_000n, clientPriceMicro, 'floor')) / 100,
  };
}

/** How far a partner has come, by its clients and their cost scaled to 30 days. */
export function tierOf(
  clients: number,
  costMicro: bigint,
  { from, to }: Window,
): CodeOf<typeof PARTNER_TIERS> {
  const ms = BigInt(to.getTime() - from.getTime());
  const row = PARTNER_TIERS.rows.find(
    ({ clientsMin, costRubMin }) =>
      clients >= clientsMin && costMicro * MONTH_MS >= BigInt(costRubMin) * MICRO_PER_RUB * ms,
  );
  if (!row) throw new RangeError('the last tier has no minimum');
  return row.code;
}
