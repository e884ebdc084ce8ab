import { createHash } from 'node:crypto';
import { randomBeta, randomLcg } from 'd3-random';
import { isRestricted } from '../../kernel/firewall/data-class.rules.js';
import type { Judged } from './gates.rules.js';
import type { Features, Situation } from './tables.js';
import { byUtilityIn } from './utility.rules.js';
import { BASIS_POINTS, type Complexity, type ExplorationBar } from './vocabulary.js';

/** What is known when exploration is decided about. */
export interface ExplorationQuestion {
  readonly features: Features;
  readonly situation: Situation;
  readonly complexity: Complexity;
}

/** Every published reason why nothing may be explored; empty where it may. */
export function explorationBars({
  features,
  situation: { terms, killSwitch, models },
  complexity,
}: ExplorationQuestion): ExplorationBar[] {
  if (terms.explorationBasisPoints === 0) return ['NOT_ASKED'];
  const bars: ExplorationBar[] = [];
  if (isRestricted(features.dataClass)) bars.push('DATA_CLASS');
  if (features.needs.includes('tools')) bars.push('TOOLS');
  if (terms.mode === 'FIXED' || terms.mode === 'ASSURED') bars.push('MODE');
  if (complexity === 'EXPERT') bars.push('COMPLEXITY');
  if (killSwitch.state !== 'ACTIVE') bars.push('KILL_SWITCH');
  if (features.explores === false) bars.push('BUDGET');
  if (models.every(({ accepted, rejected }) => accepted + rejected === 0)) bars.push('NO_OUTCOMES');
  return bars;
}

/**
 * The candidate that is tried, where this request is one of those that explore: Thompson sampling
 * (Thompson 1933) over those whose utility lies at most the published loss below the best. The
 * acceptance of each is drawn from Beta(1 + accepted, 1 + rejected). All chance comes from the
 * seed, so that equal inputs try the same.
 * @param best the one of `passing` that has the highest utility
 */
export function explore(
  passing: readonly Judged[],
  best: Judged | undefined,
  situation: Situation,
  seed: string,
): Judged | undefined {
  const { terms } = situation;
  if (!best || fraction(seed) * BASIS_POINTS >= terms.explorationBasisPoints) return undefined;
  const near = passing
    .filter(({ utility }) => best.utility - utility <= terms.explorationLossBasisPointsMax)
    .sort(byUtilityIn(situation));
  let tried: Judged | undefined;
  let highest = -1;
  for (const one of near) {
    const { model, accepted, rejected } = one.model;
    const source = randomLcg(fraction(`${seed}\n${model}`));
    const drawn = randomBeta.source(source)(1 + accepted, 1 + rejected)();
    if (drawn > highest) {
      highest = drawn;
      tried = one;
    }
  }
  return tried === best ? undefined : tried;
}

/** A number in [0, 1) that follows from a text, evenly spread over texts: 48 bits of SHA-256. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48;
}
