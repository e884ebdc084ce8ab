/** How many cases changed their outcome between two versions. */
export interface Discordant {
  /** Cases that the version in production passes and the new one does not. */
  readonly worse: number;
  /** Cases that the new version passes and the one in production does not. */
  readonly better: number;
}

/** How many of 10⁶ parts a probability is rounded to, upwards. */
const PARTS = 1_000_000n;

/**
 * The one-sided exact test of McNemar (1947): the probability that at least `worse` of the
 * discordant pairs would speak against the new version, if each were as likely to speak for it. It
 * is the sign test over P(X ≥ worse), X ~ Binomial(worse + better, ½), in whole numbers, rounded
 * up to six decimals, so that every machine gets the same.
 */
export function regressionProbability({ worse, better }: Discordant): number {
  const pairs = worse + better;
  if (worse === 0) return 1;
  let ways = 0n;
  let choose = 1n;
  for (let k = 0; k <= pairs; k += 1) {
    if (k >= worse) ways += choose;
    choose = (choose * BigInt(pairs - k)) / BigInt(k + 1);
  }
  const all = 1n << BigInt(pairs);
  return Number((ways * PARTS + all - 1n) / all) / Number(PARTS);
}

/** What a paired comparison says. */
export type Comparison = 'no_case_worse' | 'not_significant' | 'regressed' | 'cannot_conclude';

/**
 * What the pairs say. Where no case became worse there is no regression to test for. Where some did
 * and all pairs together could not reach the level, nothing can be concluded.
 */
export function comparisonOf(
  pairs: readonly (readonly [inProduction: boolean, candidate: boolean])[],
  significance: number,
): Discordant & { readonly probability: number; readonly verdict: Comparison } {
  const worse = pairs.filter(([before, after]) => before && !after).length;
  const better = pairs.filter(([before, after]) => !before && after).length;
  const probability = regressionProbability({ worse, better });
  const canConclude = 0.5 ** pairs.length <= significance;
  const verdict = verdictOf({ worse, canConclude, isLow: probability <= significance });
  return { worse, better, probability, verdict };
}

function verdictOf(of: {
  readonly worse: number;
  readonly canConclude: boolean;
  readonly isLow: boolean;
}): Comparison {
  if (of.worse === 0) return 'no_case_worse';
  if (of.isLow) return 'regressed';
  return of.canConclude ? 'not_significant' : 'cannot_conclude';
}
