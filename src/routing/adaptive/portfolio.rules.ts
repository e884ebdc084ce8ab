import { type Refusal, whenEnough } from '../../kernel/verdict.js';
import { shareInterval } from '../decision/interval.rules.js';
import type { AdaptivePortfolio, Figures } from './tables.js';
import { PORTFOLIO_ROWS_MAX } from './vocabulary.js';

/** Outcomes of a window, summed by the database. What a row is not grouped by is null in it. */
export interface OutcomeSums {
  /** What it is grouped by. */
  readonly level: 'total' | 'explored' | 'use_case' | 'model';
  readonly isEvidence: boolean;
  readonly explored: boolean | null;
  readonly useCase: string | null;
  readonly model: string | null;
  readonly accepted: number;
  readonly corrected: number;
  readonly rejected: number;
  readonly meanCostMicro: bigint | null;
  readonly meanLatencyMs: number | null;
  readonly declaredMeanCostMicro: bigint | null;
  readonly declaredMeanLatencyMs: number | null;
}

type Measured = Omit<AdaptivePortfolio, 'from' | 'to' | 'provenance'>;

/** What the outcomes of a window say; without one that is evidence, nothing is certified. */
export function portfolioOf(rows: readonly OutcomeSums[]): Measured {
  const evidence = rows.filter(({ isEvidence }) => isEvidence);
  const total = evidence.find(({ level }) => level === 'total');
  const counted = {
    ...figuresOf(total),
    explored: figuresOf(evidence.find(({ explored }) => explored === true)),
    notExplored: figuresOf(evidence.find(({ explored }) => explored === false)),
    useCases: useCasesOf(evidence),
    aside: figuresOf(rows.find((row) => !row.isEvidence && row.level === 'total')),
  };
  const missing = total ? [] : ['an outcome of an answer that a real model has given'];
  const refusal = {
    otherwise: 'cannot_certify' as const,
    reason: 'The window has no outcome that is evidence.',
  };
  const certified = { verdict: 'certified' as const, reason: null, needed: [] };
  const found: Refusal<'cannot_certify'> | typeof certified = whenEnough(
    { value: certified, missing },
    refusal,
    (value) => value,
  );
  return { ...counted, ...found };
}

function useCasesOf(evidence: readonly OutcomeSums[]): AdaptivePortfolio['useCases'] {
  const models = evidence.filter(({ level }) => level === 'model');
  return evidence
    .filter(({ level }) => level === 'use_case')
    .slice(0, PORTFOLIO_ROWS_MAX)
    .map((row) => ({
      useCase: row.useCase ?? '',
      ...figuresOf(row),
      models: models
        .filter(({ useCase }) => useCase === row.useCase)
        .map((each) => ({ model: each.model ?? '', ...figuresOf(each) })),
    }));
}

function figuresOf(row: OutcomeSums | undefined): Figures {
  const { accepted = 0, corrected = 0, rejected = 0 } = row ?? {};
  const outcomes = accepted + corrected + rejected;
  const share = outcomes === 0 ? undefined : shareInterval(accepted, outcomes);
  return {
    outcomes,
    accepted,
    corrected,
    rejected,
    acceptanceBasisPoints: share?.basisPoints ?? null,
    acceptanceLowBasisPoints: share?.lowBasisPoints ?? null,
    acceptanceHighBasisPoints: share?.highBasisPoints ?? null,
    meanCostMicro: row?.meanCostMicro ?? null,
    meanLatencyMs: row?.meanLatencyMs ?? null,
    declaredMeanCostMicro: row?.declaredMeanCostMicro ?? null,
    declaredMeanLatencyMs: row?.declaredMeanLatencyMs ?? null,
  };
}
