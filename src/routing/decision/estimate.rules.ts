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

/** Live requests to a model count for so many hours, from so many requests on. */
export const USAGE_EVIDENCE = { hours: 24, requestsMin: 30 } as const;

/** What live requests to a model came to, as their usage rows say. */
export interface UsageCounts {
  /** Those that a provider has answered. */
  readonly answered: number;
  /** Those that a fault of a provider has ended; what a client has done wrong is none. */
  readonly failed: number;
  /** The sum over those that were answered, in milliseconds. */
  readonly latencyMs: number;
}

const NO_USAGE: UsageCounts = { answered: 0, failed: 0, latencyMs: 0 };
const PERCENT = BASIS_POINTS / 100;

/**
 * The share of live requests that were answered, in whole percents rounded half up, and their mean
 * latency to two digits: finer figures would make a situation of each request.
 */
function seen({ answered, failed, latencyMs }: UsageCounts) {
  const isEnough = answered + failed >= USAGE_EVIDENCE.requestsMin;
  const percents = Math.round((100 * answered) / Math.max(1, answered + failed));
  const mean = Number(Math.max(1, latencyMs / Math.max(1, answered)).toPrecision(2));
  return {
    answeredBasisPoints: isEnough ? percents * PERCENT : null,
    latencyMs: answered >= USAGE_EVIDENCE.requestsMin ? Math.round(mean) : null,
  };
}

/** What is expected of a request: a good answer, of one that is answered at all. Rounded down. */
function answeredOf<Q extends Qualities>(known: Q, answeredBasisPoints: number | null): Q {
  if (answeredBasisPoints === null) return known;
  const part = (quality: number) => Math.floor((quality * answeredBasisPoints) / BASIS_POINTS);
  return {
    ...known,
    qualityBasisPoints: part(known.qualityBasisPoints),
    qualityLowBasisPoints: part(known.qualityLowBasisPoints),
    qualityHighBasisPoints: part(known.qualityHighBasisPoints),
  };
}

type Qualities = Pick<
  Estimate,
  'qualityBasisPoints' | 'qualityLowBasisPoints' | 'qualityHighBasisPoints'
>;

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
 * What is reckoned with: what is known, moved by outcomes and by what usage shows. Latency is what
 * usage shows, else what was reported, known or declared, in this order. Of the quality only that
 * share is left which was answered at all.
 */
export function estimateOf(
  model: Pick<ModelFacts, 'quality' | 'russianQuality' | 'latency'>,
  known: KnownQuality = nominalQuality(model),
  counts: OutcomeCounts = NO_OUTCOMES,
  usage: UsageCounts = NO_USAGE,
): Estimate {
  const { answeredBasisPoints, latencyMs } = seen(usage);
  const reported = counts.latencyMs ?? known.latencyMs ?? NOMINAL_LATENCY_MS[model.latency];
  return {
    ...answeredOf(movedBy(known, counts), answeredBasisPoints),
    latencyMs: latencyMs ?? reported,
    accepted: counts.accepted,
    rejected: counts.rejected,
    answeredBasisPoints,
  };
}

/**
 * A quality that was evaluated stays. Any other one counts as `PRIOR_OUTCOMES` outcomes beside
 * those that were reported; from `OUTCOMES_MIN` of them on they are the source and give the
 * interval (Wilson, 95 %).
 */
function movedBy(known: KnownQuality, { accepted, rejected }: OutcomeCounts) {
  const stands = {
    qualityBasisPoints: known.qualityBasisPoints,
    qualityLowBasisPoints: known.qualityLowBasisPoints,
    qualityHighBasisPoints: known.qualityHighBasisPoints,
    qualitySource: known.source,
    samples: known.samples,
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
    qualitySource: 'OUTCOMES' as const,
    samples: tried,
  };
}
