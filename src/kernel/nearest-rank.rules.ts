/** Shares are decimals: 0.07 × 100 is a little more than 7 in binary, and no rank further. */
const BINARY_NOISE = 1e-9;

/**
 * The rank, from 1 on, of a percentile by the method of the nearest rank: the smallest rank at or
 * below which at least this share of the values lies. Of few values it is one of them, never one in
 * between: the 95th percentile of nineteen is the largest.
 * @param share from 0 to 1
 * @param count of the values, at least one
 */
export function nearestRank(share: number, count: number): number {
  return Math.max(1, Math.ceil(share * count - BINARY_NOISE));
}
