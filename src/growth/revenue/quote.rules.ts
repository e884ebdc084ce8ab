import { divide, type MicroRub } from '../../kernel/money.js';
import { BASIS_POINTS, type GUARDRAILS, MARGIN_BASIS_POINTS_MIN } from './offers.js';

/** What a price leaves over a cost, and what to say to it. */
export interface Margin {
  readonly marginMicro: MicroRub;
  /** In percent of the price to two places, rounded down. */
  readonly marginEstimatePercent: number;
  readonly guardrail: (typeof GUARDRAILS)['codes'][number];
  /** The lowest price that keeps the least margin, rounded up to the micro-ruble. */
  readonly minimumPriceMicro: MicroRub;
}

/** The margin of a price over a cost. The guard compares exactly, never the rounded percent. */
export function marginOf(priceMicro: MicroRub, costMicro: MicroRub): Margin {
  const marginMicro = priceMicro - costMicro;
  const basisPoints = divide(marginMicro * BASIS_POINTS, priceMicro, 'floor');
  const isKept = marginMicro * BASIS_POINTS >= MARGIN_BASIS_POINTS_MIN * priceMicro;
  const left = BASIS_POINTS - MARGIN_BASIS_POINTS_MIN;
  return {
    marginMicro,
    marginEstimatePercent: Number(basisPoints) / 100,
    guardrail: marginMicro < 0n ? 'loss' : isKept ? 'ok' : 'below_minimum',
    minimumPriceMicro: divide(costMicro * BASIS_POINTS, left, 'ceil'),
  };
}

/** The part of an amount that so many basis points are, half up. */
export function shareOf(amountMicro: MicroRub, basisPoints: number): MicroRub {
  return divide(amountMicro * BigInt(basisPoints), BASIS_POINTS, 'half_up');
}
