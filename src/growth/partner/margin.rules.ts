import type { Fault } from '../../kernel/errors/fail.js';
import { present } from '../../kernel/errors/faults.js';
import { divide, MICRO_PER_RUB } from '../../kernel/money.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import type { Window } from '../../kernel/window.rules.js';
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

/** What a client is billed. The usage of each vertical is priced by itself, as its report shows. */
export function priceOf(
  terms: PartnerTerms | null,
  costsMicro: readonly bigint[],
  window: Window,
): ClientPrice {
  const costMicro = costsMicro.reduce((sum, each) => sum + each, 0n);
  if (!terms) {
    return {
      status: 'cannot_price',
      costMicro,
      usagePriceMicro: null,
      feeMicro: null,
      clientPriceMicro: null,
      marginMicro: null,
      marginPercent: null,
    };
  }
  const prices = costsMicro.map((each) => usagePrice(terms, each)).filter((each) => each !== null);
  const isBilled = usagePrice(terms, 0n) !== null;
  const usage = prices.reduce((sum, each) => sum + each, 0n);
  const feeMicro = feeOf(terms, window);
  const clientPriceMicro = usage + (feeMicro ?? 0n);
  const marginMicro = clientPriceMicro - costMicro;
  return {
    status: 'computed',
    costMicro,
    usagePriceMicro: isBilled ? usage : null,
    feeMicro,
    clientPriceMicro,
    marginMicro,
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
