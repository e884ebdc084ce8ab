import type { Histogram } from '../reports/sketch.rules.js';
import { DRIFT_RULES, DRIFT_VERDICTS, type DriftRule, type DriftVerdict } from './vocabulary.js';

/** Counts by category. */
export type Counts = ReadonlyMap<string | number, number>;

/**
 * The population stability index of two distributions over the same bins: Σ (p − q) · ln(p / q).
 * Each bin is smoothed by half a request, so that an empty one does not make it infinite.
 */
export function stabilityIndex(now: Counts, before: Counts): number {
  const bins = new Set([...now.keys(), ...before.keys()]);
  const share = (counts: Counts, bin: string | number, total: number) =>
    ((counts.get(bin) ?? 0) + 0.5) / (total + 0.5 * bins.size);
  const [total, totalBefore] = [totalOf(now), totalOf(before)];
  let index = 0;
  for (const bin of bins) {
    const [p, q] = [share(now, bin, total), share(before, bin, totalBefore)];
    index += (p - q) * Math.log(p / q);
  }
  return index;
}

function totalOf(counts: Counts): number {
  let total = 0;
  for (const each of counts.values()) total += each;
  return total;
}

const BINS = 10;

/**
 * Buckets of sketches as at most ten bins that hold about equal parts of the baseline. Buckets are
 * never split, so that both windows are binned alike.
 */
export function binned(histogram: Histogram, baseline: Histogram): Counts {
  const total = totalOf(baseline);
  const edges: number[] = [];
  let seen = 0;
  for (const [bucket, count] of baseline) {
    seen += count;
    if (seen >= (total * (edges.length + 1)) / BINS && edges.length < BINS - 1) edges.push(bucket);
  }
  const counts = new Map<number, number>();
  for (const [bucket, count] of histogram) {
    const found = edges.findIndex((edge) => bucket <= edge);
    const bin = found === -1 ? edges.length : found;
    counts.set(bin, (counts.get(bin) ?? 0) + count);
  }
  return counts;
}

/** A share as its part and its whole. */
export interface Proportion {
  readonly part: number;
  readonly whole: number;
}

/** The two-proportion z statistic with a pooled share, without its sign; 0 of equal shares. */
export function proportionZ(now: Proportion, before: Proportion): number {
  const pooled = (now.part + before.part) / (now.whole + before.whole);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / now.whole + 1 / before.whole));
  const difference = now.part / now.whole - before.part / before.whole;
  return error === 0 ? 0 : Math.abs(difference) / error;
}

/** One comparison of the two windows. */
export interface Comparison {
  readonly rule: DriftRule;
  readonly statistic: (typeof DRIFT_RULES)['rows'][number]['statistic'];
  /** The statistic; null where it cannot be told. */
  readonly value: number | null;
  readonly moderateAt: number;
  readonly driftAt: number;
  readonly verdict: DriftVerdict;
  readonly requests: number;
  readonly requestsBefore: number;
  readonly reason: string | null;
  readonly needed: readonly string[];
}

/** Judges a rule by its thresholds; with too few requests on a side nothing is computed. */
export function compared(
  code: DriftRule,
  sides: { readonly now: number; readonly before: number },
  compute: () => number,
): Comparison {
  const rule = DRIFT_RULES.rows.find((each) => each.code === code) ?? DRIFT_RULES.rows[0];
  if (!rule) throw new TypeError('there is no drift rule');
  const { statistic, moderateAt, driftAt, requestsMin } = rule;
  const needed = [
    ...(sides.now < requestsMin ? [`${requestsMin} requests in the window`] : []),
    ...(sides.before < requestsMin ? [`${requestsMin} requests in the baseline`] : []),
  ];
  const frame = {
    rule: code,
    statistic,
    moderateAt,
    driftAt,
    requests: sides.now,
    requestsBefore: sides.before,
    needed,
  };
  if (needed.length > 0) {
    const reason = 'too few requests are recorded to tell a change from chance';
    return { ...frame, value: null, verdict: 'cannot_compare', reason };
  }
  const value = Math.round(compute() * 10_000) / 10_000;
  const isPast = value >= driftAt ? 'drift' : 'moderate';
  return { ...frame, value, verdict: value >= moderateAt ? isPast : 'stable', reason: null };
}

/** The worst verdict of some, which is `cannot_compare` only where all of them are. */
export function worstOf(verdicts: readonly DriftVerdict[]): DriftVerdict {
  const rank = (verdict: DriftVerdict) => DRIFT_VERDICTS.codes.indexOf(verdict);
  return verdicts.reduce(
    (worst, each) => (rank(each) > rank(worst) ? each : worst),
    'cannot_compare',
  );
}
