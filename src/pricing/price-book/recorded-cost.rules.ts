import {
  type PricedPart,
  priceAhead,
  type Span,
} from '../../catalog/providers/price-ahead.rules.js';
import { divide, type MicroRub } from '../../kernel/money.js';
import { RECORDED_REQUESTS_MIN, VARIATION_MAX } from './vocabulary.js';

/** A recorded day: how many live requests, and what they cost net of VAT after their refunds. */
export interface DayOfCost {
  readonly requests: number;
  readonly costMicro: MicroRub;
}

/** What recorded days say of the cost of a request. */
export interface RecordedCost {
  readonly requests: number;
  /** What all of them cost, less what was refunded. */
  readonly costMicro: MicroRub;
  /** The mean of a request, rounded up to the next micro-ruble. */
  readonly costPerRequestMicro: MicroRub;
  /**
   * The spread of daily cost as a share of its mean, at most 1; null for less than seven days with
   * requests.
   */
  readonly variation: number | null;
}

const DAYS_MIN = 7;

/** The cost of a request by recorded days; null where they are too few to say. */
export function recordedCost(days: readonly DayOfCost[]): RecordedCost | null {
  const requests = days.reduce((sum, day) => sum + day.requests, 0);
  if (requests < RECORDED_REQUESTS_MIN) return null;
  const costMicro = days.reduce((sum, day) => sum + day.costMicro, 0n);
  const costPerRequestMicro = meanOf(costMicro, requests);
  return { requests, costMicro, costPerRequestMicro, variation: variationOf(days) };
}

/**
 * The cost of a request in a month to come, whose days are priced by the rows in force on them; as
 * recorded where one of these has no price for what is used.
 */
export function costAhead(
  { requests, costMicro, costPerRequestMicro }: RecordedCost,
  parts: readonly PricedPart[],
  span: Span,
) {
  const { changeMicro, rows } = priceAhead(costMicro, parts, span);
  const isPriced = changeMicro !== null;
  if (!isPriced || changeMicro === 0n) return { costPerRequestMicro, priceRows: rows, isPriced };
  const aheadMicro = meanOf(costMicro + changeMicro, requests);
  return { costPerRequestMicro: aheadMicro, priceRows: rows, isPriced };
}

function meanOf(costMicro: MicroRub, requests: number): MicroRub {
  return divide(costMicro, BigInt(requests), 'ceil');
}

function variationOf(days: readonly DayOfCost[]): number | null {
  if (days.length < DAYS_MIN) return null;
  const costs = days.map(({ costMicro }) => Number(costMicro));
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  if (mean <= 0) return 0;
  const square = costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / (costs.length - 1);
  return Math.min(VARIATION_MAX, Math.sqrt(square) / mean);
}
