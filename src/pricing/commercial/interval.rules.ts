import { wilsonInterval } from '../../kernel/interval.rules.js';
import type { Arm } from './tables.js';
import { CONFIDENCE, SEQUENCE_TUNED_FOR_N } from './vocabulary.js';

/** An interval of a difference of two shares. */
export interface DifferenceInterval {
  readonly low: number;
  readonly high: number;
}

/**
 * Newcombe's hybrid score interval of the share of `b` minus that of `a` (R. G. Newcombe, 1998,
 * method 10), from both Wilson intervals of 95 %. It holds at one look, at a size fixed beforehand.
 * @throws RangeError where a variant was never shown
 */
export function newcombeInterval(a: Arm, b: Arm): DifferenceInterval {
  const [shareA, shareB] = [a.conversions / a.n, b.conversions / b.n];
  const [ofA, ofB] = [wilsonInterval(a.conversions, a.n), wilsonInterval(b.conversions, b.n)];
  const difference = shareB - shareA;
  return {
    low: Math.max(-1, difference - Math.hypot(shareB - ofB.low, ofA.high - shareA)),
    high: Math.min(1, difference + Math.hypot(ofB.high - shareB, shareA - ofA.low)),
  };
}

/** The error that each variant may have: both together have that of the interval. */
const ERROR_OF_ARM = (1 - CONFIDENCE) / 2;
/** The variance of a share is at most a quarter for each subject. */
const VARIANCE_MAX = 1 / 4;
const LOG_ERROR = 2 * Math.log(1 / ERROR_OF_ARM);
/** The mixture that is narrowest near the size that it is tuned for. */
const MIXTURE = (SEQUENCE_TUNED_FOR_N * VARIANCE_MAX) / (LOG_ERROR + Math.log(1 + LOG_ERROR));

/**
 * How far the share of a variant may be from the truth, at every size at once: the two-sided normal
 * mixture boundary √((v+ρ)·ln((v+ρ)/(ρα²))) / n with v = n/4 (S. R. Howard, A. Ramdas,
 * J. McAuliffe, J. Sekhon, 2021, equation 14).
 */
export function sequenceRadius(n: number): number {
  const variance = n * VARIANCE_MAX + MIXTURE;
  return Math.sqrt(variance * (Math.log(variance / MIXTURE) + LOG_ERROR)) / n;
}

/**
 * A confidence sequence of the share of `b` minus that of `a`: with at least 95 % it holds the true
 * difference at all looks together, however often somebody looks and whenever somebody stops.
 * @throws RangeError where a variant was never shown
 */
export function sequentialInterval(a: Arm, b: Arm): DifferenceInterval {
  if (a.n <= 0 || b.n <= 0) throw new RangeError('a share of nothing is not known');
  const difference = b.conversions / b.n - a.conversions / a.n;
  const radius = sequenceRadius(a.n) + sequenceRadius(b.n);
  return { low: Math.max(-1, difference - radius), high: Math.min(1, difference + radius) };
}
