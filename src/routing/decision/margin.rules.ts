import { divide } from '../../kernel/money.js';
import type { Judged } from './gates.rules.js';
import type { Terms } from './tables.js';
import { BASIS_POINTS } from './vocabulary.js';

/**
 * The share of what a request earns that is left after its expected cost, in basis points rounded
 * down; negative where it costs more than it earns.
 */
export function marginBasisPoints(revenueMicro: bigint, costMicro: number): number {
  if (revenueMicro === 0n) return costMicro === 0 ? 0 : -BASIS_POINTS;
  const left = (revenueMicro - BigInt(costMicro)) * BigInt(BASIS_POINTS);
  return Number(divide(left, revenueMicro, 'floor'));
}

/** Whether a candidate leaves the margin that the terms demand. */
export function leavesMargin({ costMicro }: Pick<Judged, 'costMicro'>, terms: Terms): boolean {
  const { revenueMicro, marginBasisPointsMin: least } = terms;
  if (revenueMicro === null || least === null) return true;
  return marginBasisPoints(revenueMicro, costMicro) >= least;
}

/**
 * Takes out what would leave less margin than the terms demand. It can only take away: those that
 * stay keep their utilities, so that no margin lifts a model above a better one.
 */
export function passMarginFirewall(passing: readonly Judged[], terms: Terms): readonly Judged[] {
  if (terms.revenueMicro === null || terms.marginBasisPointsMin === null) return passing;
  return passing.filter((one) => {
    const passes = leavesMargin(one, terms);
    if (!passes) one.rejection = 'margin_below_floor';
    return passes;
  });
}
