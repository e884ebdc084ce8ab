import { wilsonInterval } from '../../kernel/interval.rules.js';
import { highEnd, lowEnd, point } from './share.rules.js';
import type { WinRate } from './tables.js';

/** Deals by how they ended. */
export interface DealCounts {
  readonly won: number;
  readonly lost: number;
  readonly noDecision: number;
}

/**
 * won / (won + lost) with its Wilson interval of 95 %; deals that nobody decided are told and do
 * not count. Where nothing was decided no share is known.
 */
export function winRateOf({ won, lost, noDecision }: DealCounts): WinRate {
  const decided = won + lost;
  const counts = { won, lost, noDecision, intervalMethod: 'wilson' } as const;
  if (decided === 0) {
    return {
      ...counts,
      verdict: 'CANNOT_CONCLUDE',
      winRate: null,
      intervalLow: null,
      intervalHigh: null,
      reason: 'No deal was won or lost, and a share of nothing is not known.',
      needed: ['at least one deal that was won or lost'],
    };
  }
  const { low, high } = wilsonInterval(won, decided);
  return {
    ...counts,
    verdict: 'COMPUTED',
    winRate: point(won / decided),
    intervalLow: lowEnd(low),
    intervalHigh: highEnd(high),
    reason: null,
    needed: [],
  };
}
