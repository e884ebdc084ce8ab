import { divide, type MicroRub } from '../../kernel/money.js';
import { RECORDED_REQUESTS_MIN, VARIATION_MAX } from './vocabulary.js';

/**
 * A recorded day: how many live requests, and what they cost net of VAT, less what was refunded on
 * it. A day of refunds alone has no request and a cost below nothing.
 */
export interface DayOfCost {
  readonly requests: number;
  readonly costMicro: MicroRub;
}

/** What recorded days say of the cost of a request. */
export interface RecordedCost {
  readonly requests: number;
  /**
   * The mean of a request, rounded up to the next micro-ruble; nothing where more was refunded than
   * charged, since what was given back for requests of before makes none of these a gain.
   */
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
  const mean = divide(costMicro, BigInt(requests), 'ceil');
  const costPerRequestMicro = mean > 0n ? mean : 0n;
  return { requests, costPerRequestMicro, variation: variationOf(days) };
}

function variationOf(days: readonly DayOfCost[]): number | null {
  if (days.filter(({ requests }) => requests > 0).length < DAYS_MIN) return null;
  const costs = days.map(({ costMicro }) => Number(costMicro));
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  if (mean <= 0) return 0;
  const square = costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / (costs.length - 1);
  return Math.min(VARIATION_MAX, Math.sqrt(square) / mean);
}
