import type { MicroRub } from '../../kernel/money.js';
import type { Window } from '../../kernel/window.rules.js';
import type { Portfolio, UseCaseSavings } from './tables.js';
import { PORTFOLIO_USE_CASES_MAX } from './vocabulary.js';

/** Decided requests, summed by the database. */
export interface PortfolioRow {
  /** `live` is evidence; the others stand apart. */
  readonly kind: 'live' | 'simulated' | 'others';
  /** Null where the row is the sum of its kind. */
  readonly useCase: string | null;
  readonly requests: number;
  readonly spentMicro: MicroRub;
  readonly costMicro: MicroRub;
  readonly baselineMicro: MicroRub;
  /** Requests that another model than the baseline has answered. */
  readonly avoided: number;
}

/** What sums of decided requests say. Where none is evidence, nothing is certified. */
export function portfolioOf(
  rows: readonly PortfolioRow[],
  { from, to }: Window,
): Omit<Portfolio, 'provenance'> {
  const totalOf = (kind: PortfolioRow['kind']) =>
    rows.find((row) => row.kind === kind && row.useCase === null);
  const aside = (kind: PortfolioRow['kind']) => {
    const { requests = 0, spentMicro = 0n } = totalOf(kind) ?? {};
    return { requests, spentMicro };
  };
  const common = { from, to, simulated: aside('simulated'), others: aside('others') };
  const live = totalOf('live');
  // Refunds of requests of before are no evidence of this window.
  if (!live || live.requests === 0) return { ...NOTHING, ...common };
  const useCases = rows
    .filter(({ kind, useCase, requests }) => kind === 'live' && useCase !== null && requests > 0)
    .slice(0, PORTFOLIO_USE_CASES_MAX);
  return {
    verdict: 'measured',
    reason: null,
    needed: [],
    ...common,
    ...savingsOf(live),
    useCases: useCases.map((row) => ({ useCase: row.useCase ?? '', ...savingsOf(row) })),
  };
}

const NOTHING = {
  verdict: 'cannot_certify',
  reason: 'No real model has answered a decided request in this window.',
  needed: ['requests to gw:auto or to a route policy that a real model answers'],
  requests: 0,
  spentMicro: null,
  baselineMicro: null,
  costSavedMicro: null,
  premiumAvoidedPercent: null,
  useCases: [],
} as const;

/** The share is rounded half up to two places. */
function savingsOf(row: PortfolioRow): Omit<UseCaseSavings, 'useCase'> {
  const { requests, spentMicro, costMicro, baselineMicro, avoided } = row;
  return {
    requests,
    spentMicro,
    baselineMicro,
    costSavedMicro: baselineMicro - costMicro,
    premiumAvoidedPercent: Math.round((avoided / requests) * 10_000) / 100,
  };
}
