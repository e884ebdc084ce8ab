import type { Judged } from './gates.rules.js';
import type { Terms } from './tables.js';
import { BASIS_POINTS } from './vocabulary.js';

/**
 * The share of what a request earns that is left after its expected cost, in basis points rounded
 * down; negative where it costs more than it earns.
 */
export function marginBasisPoints(revenueMicro: bigint, costMicro: number): number {
  const revenue = Number(revenueMicro);
  if (revenue === 0) return costMicro === 0 ? 0 : -BASIS_POINTS;
  return Math.floor(((revenue - costMicro) / revenue) * BASIS_POINTS);
}

/**
 * Takes out what would leave less margin than the terms demand. It can only take away: those that
 * stay keep their order, so that no margin lifts a model above a better one.
 */
export function passMarginFirewall(ordered: readonly Judged[], terms: Terms): Judged[] {
  const { revenueMicro, marginBasisPointsMin: least } = terms;
  if (revenueMicro === null || least === null) return [...ordered];
  return ordered.filter((one) => {
    const passes = marginBasisPoints(revenueMicro, one.costMicro) >= least;
    if (!passes) one.rejection = 'margin_below_floor';
    return passes;
  });
}
