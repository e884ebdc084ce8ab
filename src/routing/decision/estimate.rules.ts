import type { ModelFacts } from '../../catalog/providers/model.js';
import type { LatencyTier, QualityTier } from '../../catalog/providers/vocabulary.js';
import { shareInterval } from './interval.rules.js';
import type { Estimate } from './tables.js';
import { BASIS_POINTS, type ScorecardSource } from './vocabulary.js';

/** The quality that a declared tier stands for, in basis points; published. */
export const NOMINAL_QUALITY: Readonly<Record<QualityTier, number>> = {
  basic: 6_000,
  good: 7_800,
  high: 9_000,
};

/** The time of an answer that a declared tier stands for, in milliseconds; published. */
export const NOMINAL_LATENCY_MS: Readonly<Record<LatencyTier, number>> = {
  fast: 1_500,
  medium: 4_000,
  slow: 15_000,
};

/** What a stated or measured quality counts for beside outcomes: as much as so many of them. */
export const PRIOR_OUTCOMES = 30;
/** From so many outcomes on they alone are the source of a quality. */
export const OUTCOMES_MIN = 30;

/** What is known of a model before outcomes are counted. */
export interface KnownQuality {
  readonly source: ScorecardSource;
  readonly qualityBasisPoints: number;
  readonly qualityLowBasisPoints: number;
  readonly qualityHighBasisPoints: number;
  readonly samples: number;
  readonly latencyMs: number | null;
}

/** Reported outcomes of a model for a use case. */
export interface OutcomeCounts {
  readonly accepted: number;
  readonly rejected: number;
  /** The mean of the reported latencies; null where none was reported. */
  readonly latencyMs: number | null;
}

const NO_OUTCOMES: OutcomeCounts = { accepted: 0, rejected: 0, latencyMs: null };

/** The nominal scorecard of a model: the mean of its two declared tiers, rounded down. */
function nominalQuality({
  quality,
  russianQuality,
}: Pick<ModelFacts, 'quality' | 'russianQuality'>): KnownQuality {
  return {
    source: 'NOMINAL',
    qualityBasisPoints: Math.floor(
      (NOMINAL_QUALITY[quality] + NOMINAL_QUALITY[russianQuality]) / 2,
    ),
    qualityLowBasisPoints: 0,
    qualityHighBasisPoints: BASIS_POINTS,
    samples: 0,
    latencyMs: null,
  };
}

/**
 * What is reckoned with: what is known, moved by outcomes. A quality that was evaluated stays. Any
 * other one counts as `PRIOR_OUTCOMES` outcomes beside those that were reported; from
 * `OUTCOMES_MIN` of them on they are the source and give the interval (Wilson, 95 %).
 */
export function estimateOf(
  model: Pick<ModelFacts, 'quality' | 'russianQuality' | 'latency'>,
  known: KnownQuality = nominalQuality(model),
  counts: OutcomeCounts = NO_OUTCOMES,
): Estimate {
  const { accepted, rejected } = counts;
  const latencyMs = counts.latencyMs ?? known.latencyMs ?? NOMINAL_LATENCY_MS[model.latency];
  const stands = {
    qualityBasisPoints: known.qualityBasisPoints,
    qualityLowBasisPoints: known.qualityLowBasisPoints,
    qualityHighBasisPoints: known.qualityHighBasisPoints,
    qualitySource: known.source,
    samples: known.samples,
    latencyMs,
    accepted,
    rejected,
  };
  const tried = accepted + rejected;
  if (tried === 0 || known.source === 'EVALUATION') return stands;
  const prior = PRIOR_OUTCOMES * known.qualityBasisPoints;
  const moved = Math.floor((prior + accepted * BASIS_POINTS) / (PRIOR_OUTCOMES + tried));
  if (tried < OUTCOMES_MIN) return { ...stands, qualityBasisPoints: moved };
  const { basisPoints, lowBasisPoints, highBasisPoints } = shareInterval(accepted, tried);
  return {
    ...stands,
    qualityBasisPoints: basisPoints,
    qualityLowBasisPoints: lowBasisPoints,
    qualityHighBasisPoints: highBasisPoints,
    qualitySource: 'OUTCOMES',
    samples: tried,
  };
}
