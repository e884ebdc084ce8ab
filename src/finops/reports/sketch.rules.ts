import { nearestRank } from '../../kernel/nearest-rank.rules.js';

/**
 * The relative error of a percentile: what is answered differs from an exact one by at most 2 %.
 * DDSketch (C. Masson, J. E. Rim, H. K. Lee, VLDB 2019): bucket i holds the values in
 * (γ^(i−1), γ^i] with γ = (1 + α) / (1 − α), and 2γ^i / (γ + 1) is within α of each of them.
 * Merging adds counts of buckets, so that no row is needed again.
 */
export const RELATIVE_ERROR = 0.02;

const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);

/** Where the count of a bucket begins in an element of a stored sketch. */
const COUNT_BITS = 40n;
const COUNT_MASK = (1n << COUNT_BITS) - 1n;

/** The bucket of a whole number: 0 for nothing, else one more than the i of the paper. */
export function bucketOf(value: number): number {
  return value <= 0 ? 0 : 1 + Math.ceil(Math.log(value) / Math.log(GAMMA));
}

/** The same in SQL, of an expression that is a whole number. */
function bucketSql(value: string): string {
  return `CASE WHEN ${value} <= 0 THEN 0
    ELSE 1 + ceil(ln((${value})::float8) / ${Math.log(GAMMA)})::int END`;
}

/** A sketch of one value in SQL: one element with the count 1. */
export function elementSql(value: string): string {
  return `((${bucketSql(value)})::bigint << ${COUNT_BITS}) + 1`;
}

/** Counts by bucket, the buckets ascending. */
export type Histogram = ReadonlyMap<number, number>;

/** Reads the elements of stored sketches, which are merged on the way. */
export function histogramOf(elements: readonly bigint[]): Histogram {
  const counts = new Map<number, number>();
  for (const element of elements) {
    const bucket = Number(element >> COUNT_BITS);
    counts.set(bucket, (counts.get(bucket) ?? 0) + Number(element & COUNT_MASK));
  }
  return new Map([...counts].sort(([a], [b]) => a - b));
}

/** How many values a histogram holds. */
export function countOf(histogram: Histogram): number {
  let count = 0;
  for (const each of histogram.values()) count += each;
  return count;
}

/** The sum of the values, within RELATIVE_ERROR. */
export function totalOf(histogram: Histogram): number {
  let total = 0;
  for (const [bucket, count] of histogram) total += middleOf(bucket) * count;
  return total;
}

/** The value that stands for a bucket. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : (2 * GAMMA ** (bucket - 1)) / (GAMMA + 1);
}

/**
 * The smallest value at or below which at least a share of the values lies (nearest rank), within
 * RELATIVE_ERROR; null of nothing.
 */
export function quantileOf(histogram: Histogram, share: number): number | null {
  const count = countOf(histogram);
  if (count === 0) return null;
  const rank = nearestRank(share, count);
  let seen = 0;
  let last = 0;
  for (const [bucket, each] of histogram) {
    seen += each;
    last = bucket;
    if (seen >= rank) break;
  }
  return middleOf(last);
}
