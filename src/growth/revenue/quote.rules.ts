import { divide, type MicroRub } from '../../kernel/money.js';
import type { Provenance } from '../../kernel/provenance.js';
import {
  BASIS_POINTS,
  type GUARDRAILS,
  MARGIN_BASIS_POINTS_MIN,
  QUOTE_HISTORY_MIN,
} from './offers.js';
import { USAGE_DAYS } from './vocabulary.js';

const DAY_MS = 86_400_000;

/** What an account was answered on a day, and what was charged for it. */
export interface DayOfUsage {
  readonly begin: Date;
  readonly requests: number;
  readonly chargedMicro: MicroRub;
}

/**
 * The cost of a month by the days of an account's history: what was charged on them less what was
 * refunded of these charges, over the days from the first request until now, times 30, rounded up.
 * Null below the published minimum of history.
 */
export function monthlyCost(
  days: readonly DayOfUsage[],
  refundedMicro: MicroRub,
  now: Date,
): MicroRub | null {
  const used = days.filter(({ requests }) => requests > 0);
  const requests = used.reduce((sum, day) => sum + day.requests, 0);
  const observed = observedDays(used, now);
  if (requests < QUOTE_HISTORY_MIN.requests || observed < QUOTE_HISTORY_MIN.days) return null;
  const chargedMicro = days.reduce((sum, day) => sum + day.chargedMicro, 0n);
  return divide((chargedMicro - refundedMicro) * BigInt(USAGE_DAYS), BigInt(observed), 'ceil');
}

/** For how many days the usage of an account has been observed: from the first request on. */
export function observedDays(days: readonly DayOfUsage[], now: Date): number {
  const used = days.filter(({ requests }) => requests > 0);
  const first = Math.min(...used.map(({ begin }) => begin.getTime()));
  return Math.min(USAGE_DAYS, Math.ceil((now.getTime() - first) / DAY_MS));
}

/** What a price leaves over a cost, and what to say to it. */
export interface Margin {
  readonly marginMicro: MicroRub;
  /** In percent of the price to two places, rounded down. */
  readonly marginEstimatePercent: number;
  readonly guardrail: (typeof GUARDRAILS)['codes'][number];
  /** The lowest price that keeps the least margin, rounded up to the micro-ruble. */
  readonly minimumPriceMicro: MicroRub;
}

/**
 * The margin of a price over a cost. The guard compares exactly, never the rounded percent. A cost
 * that is only estimated can warn, and certifies nothing.
 */
export function marginOf(
  priceMicro: MicroRub,
  costMicro: MicroRub,
  provenance: Provenance,
): Margin {
  const marginMicro = priceMicro - costMicro;
  const basisPoints = divide(marginMicro * BASIS_POINTS, priceMicro, 'floor');
  const isKept = marginMicro * BASIS_POINTS >= MARGIN_BASIS_POINTS_MIN * priceMicro;
  const kept = provenance === 'estimated' ? 'cannot_certify' : 'ok';
  const left = BASIS_POINTS - MARGIN_BASIS_POINTS_MIN;
  return {
    marginMicro,
    marginEstimatePercent: Number(basisPoints) / 100,
    guardrail: marginMicro < 0n ? 'loss' : isKept ? kept : 'below_minimum',
    minimumPriceMicro: divide(costMicro * BASIS_POINTS, left, 'ceil'),
  };
}

/** The part of an amount that so many basis points are, half up. */
export function shareOf(amountMicro: MicroRub, basisPoints: number): MicroRub {
  return divide(amountMicro * BigInt(basisPoints), BASIS_POINTS, 'half_up');
}
