import type { MicroRub } from '../../kernel/money.js';
import { ladderStanding } from '../unit-economics/ladder.rules.js';
import { LADDER, type LadderStep } from '../unit-economics/vocabulary.js';

/** Where a budget with a ladder stands in its period. */
export interface Climbed {
  readonly spentMicro: MicroRub;
  readonly capMicro: MicroRub;
  /** The steps that have begun in the period under this cap or a higher one, in any order. */
  readonly recorded: readonly string[];
}

/**
 * Every step that holds, in their order: what spending has reached, and what it had reached under
 * no lower cap before. So a step never comes back within a period unless the cap is raised.
 */
export function stepsInForce({ spentMicro, capMicro, recorded }: Climbed): readonly LadderStep[] {
  const reached = ladderStanding(spentMicro, capMicro).steps.length;
  const highest = LADDER.codes.findLastIndex((step) => recorded.includes(step)) + 1;
  return LADDER.codes.slice(0, Math.max(reached, highest));
}

/** Those steps in force that nobody has told of. */
export function stepsToTell(climbed: Climbed): readonly LadderStep[] {
  return stepsInForce(climbed).filter((step) => !climbed.recorded.includes(step));
}

/** Whether a step holds where a budget stands on another one; null is below the first. */
export function holds(step: LadderStep, standsOn: LadderStep | null): boolean {
  if (standsOn === null) return false;
  return LADDER.codes.indexOf(standsOn) >= LADDER.codes.indexOf(step);
}
