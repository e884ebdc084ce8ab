import { divide } from '../../kernel/money.js';
import { shareInterval } from '../decision/interval.rules.js';
import type { OutcomeValue } from './outcomes-journal.js';
import type { AdaptivePortfolio, Figures } from './tables.js';
import { PORTFOLIO_ROWS_MAX } from './vocabulary.js';

/** Outcomes of one kind of a window, counted by the database. */
export interface CountedOutcomes {
  readonly value: OutcomeValue;
  readonly entries: number;
  readonly isEvidence: boolean;
  /** Whether cost and latency are those that the gateway has recorded; else they were stated. */
  readonly isRecorded: boolean;
  /** Where it is told apart by it. */
  readonly explored?: boolean;
  readonly useCase?: string;
  readonly model?: string;
  /** Sums, and of how many outcomes. */
  readonly costMicro: bigint;
  readonly costs: number;
  readonly latencyMs: bigint;
  readonly latencies: number;
}

/** The same outcomes, told apart in two ways. */
export interface OutcomesOfWindow {
  /** By whether they were explored: all of them. */
  readonly totals: readonly CountedOutcomes[];
  /** By use case and model: those with most outcomes. */
  readonly ofModels: readonly CountedOutcomes[];
}

type Measured = Omit<AdaptivePortfolio, 'from' | 'to' | 'provenance'>;

const CERTIFIED = { verdict: 'certified', reason: null, needed: [] } as const;
const REFUSED = {
  verdict: 'cannot_certify',
  reason: 'The window has no outcome that is evidence.',
  needed: ['an outcome of an answer that a real model has given'],
} as const;

/** What the outcomes of a window say; without one that is evidence, nothing is certified. */
export function portfolioOf({ totals, ofModels }: OutcomesOfWindow): Measured {
  const evidence = totals.filter(({ isEvidence }) => isEvidence);
  return {
    ...(evidence.length === 0 ? REFUSED : CERTIFIED),
    ...figuresOf(evidence),
    explored: figuresOf(evidence.filter(({ explored }) => explored)),
    notExplored: figuresOf(evidence.filter(({ explored }) => !explored)),
    useCases: useCasesOf(ofModels.filter(({ isEvidence }) => isEvidence)),
    aside: figuresOf(totals.filter(({ isEvidence }) => !isEvidence)),
  };
}

function useCasesOf(evidence: readonly CountedOutcomes[]): AdaptivePortfolio['useCases'] {
  const grouped = [...groupsBy(evidence, ({ useCase = '' }) => useCase)].map(([useCase, own]) => {
    const models = [...groupsBy(own, ({ model = '' }) => model)];
    return {
      useCase,
      ...figuresOf(own),
      models: mostFirst(models.map(([model, rows]) => ({ model, ...figuresOf(rows) }))),
    };
  });
  return mostFirst(grouped).slice(0, PORTFOLIO_ROWS_MAX);
}

function groupsBy<R>(rows: readonly R[], keyOf: (row: R) => string): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

function mostFirst<F extends { readonly outcomes: number }>(rows: readonly F[]): F[] {
  return [...rows].sort((left, right) => right.outcomes - left.outcomes);
}

function figuresOf(rows: readonly CountedOutcomes[]): Figures {
  const count = (wanted: OutcomeValue) =>
    rows.reduce((sum, { value, entries }) => sum + (value === wanted ? entries : 0), 0);
  const [accepted, corrected, rejected] = [
    count('accepted'),
    count('corrected'),
    count('rejected'),
  ];
  const outcomes = accepted + corrected + rejected;
  const share = outcomes === 0 ? undefined : shareInterval(accepted, outcomes);
  const recorded = meansOf(rows.filter(({ isRecorded }) => isRecorded));
  const stated = meansOf(rows.filter(({ isRecorded }) => !isRecorded));
  return {
    outcomes,
    accepted,
    corrected,
    rejected,
    acceptanceBasisPoints: share?.basisPoints ?? null,
    acceptanceLowBasisPoints: share?.lowBasisPoints ?? null,
    acceptanceHighBasisPoints: share?.highBasisPoints ?? null,
    meanCostMicro: recorded.costMicro,
    meanLatencyMs: recorded.latencyMs,
    declaredMeanCostMicro: stated.costMicro,
    declaredMeanLatencyMs: stated.latencyMs,
  };
}

function meansOf(rows: readonly CountedOutcomes[]) {
  const mean = (sums: readonly bigint[], counts: readonly number[]) => {
    const sum = sums.reduce((total, each) => total + each, 0n);
    const among = counts.reduce((total, each) => total + each, 0);
    return among === 0 ? null : divide(sum, BigInt(among), 'half_up');
  };
  const costs = rows.map((row) => row.costs);
  const latencies = rows.map((row) => row.latencies);
  const costMicro = mean(
    rows.map((row) => row.costMicro),
    costs,
  );
  const latencyMs = mean(
    rows.map((row) => row.latencyMs),
    latencies,
  );
  return { costMicro, latencyMs: latencyMs === null ? null : Number(latencyMs) };
}
