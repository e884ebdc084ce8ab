import { divide, type MicroRub } from '../../kernel/money.js';
import { BASIS_POINTS, LADDER, type LadderStep, SHARE_MAX } from './vocabulary.js';

/** Where a budget stands on the ladder. */
export interface LadderStanding {
  /** The highest step that has begun; null below the first. */
  readonly step: LadderStep | null;
  /** Every step that holds, in their order. */
  readonly steps: readonly LadderStep[];
  readonly nextStep: LadderStep | null;
  /** The spend at which the next step begins, rounded up; null on the last step. */
  readonly nextAtMicro: MicroRub | null;
  /** Spent of the budget, rounded down; null where the budget is nothing. */
  readonly usedBasisPoints: number | null;
}

const WHOLE = BigInt(BASIS_POINTS);

/**
 * Where a budget stands by what is spent of it. A step begins when spent × 10,000 reaches budget ×
 * threshold, exactly; a budget of nothing stands on the last step.
 */
export function ladderStanding(spentMicro: MicroRub, budgetMicro: MicroRub): LadderStanding {
  const hasBegun = ({ fromBasisPoints }: { readonly fromBasisPoints: number }) =>
    spentMicro * WHOLE >= budgetMicro * BigInt(fromBasisPoints);
  const steps = LADDER.rows.filter(hasBegun).map(({ code }) => code);
  const next = LADDER.rows[steps.length];
  const nextAtMicro = next && divide(budgetMicro * BigInt(next.fromBasisPoints), WHOLE, 'ceil');
  return {
    step: steps.at(-1) ?? null,
    steps,
    nextStep: next?.code ?? null,
    nextAtMicro: nextAtMicro ?? null,
    usedBasisPoints: shareOf(spentMicro, budgetMicro, 'floor'),
  };
}

/**
 * A part as basis points of a whole; null where the whole is not above nothing. What is beyond any
 * use is told as the largest share.
 */
export function shareOf(
  part: MicroRub,
  whole: MicroRub,
  rounding: 'floor' | 'ceil' | 'half_up',
): number | null {
  if (whole <= 0n) return null;
  const share = divide(part * WHOLE, whole, rounding);
  const max = BigInt(SHARE_MAX);
  return Number(share > max ? max : share < -max ? -max : share);
}
