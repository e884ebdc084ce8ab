import type { MicroRub } from '../../kernel/money.js';
import { isLoss } from './categories.rules.js';
import { shareOf } from './ladder.rules.js';
import type { Leakage } from './tables.js';
import { CATEGORIES, type Category } from './vocabulary.js';

/** Cost of one category; null is cost of which nobody knows what became of the work. */
export interface CategoryCost {
  readonly category: Category | null;
  readonly costMicro: MicroRub;
}

/**
 * What of a cost leaked into work that nobody had any use of. Cost of which it is not known stands
 * apart, and is in no share: neither good nor lost. Without any known cost nothing is certified.
 */
export function leakageOf(costs: readonly CategoryCost[], revenueMicro: MicroRub | null): Leakage {
  const sumOf = (wanted: Category | null) =>
    costs.reduce((sum, each) => sum + (each.category === wanted ? each.costMicro : 0n), 0n);
  const byCategory = CATEGORIES.codes.map((category) => ({ category, costMicro: sumOf(category) }));
  const knownMicro = byCategory.reduce((sum, { costMicro }) => sum + costMicro, 0n);
  const unknownMicro = sumOf(null);
  if (knownMicro <= 0n) return { ...NOTHING, unknownMicro };
  const losses = byCategory.filter(({ category }) => isLoss(category));
  const leakageMicro = losses.reduce((sum, { costMicro }) => sum + costMicro, 0n);
  const costMicro = knownMicro + unknownMicro;
  const marginMicro = revenueMicro === null ? null : revenueMicro - costMicro;
  return {
    verdict: leakageMicro > 0n ? 'leaking' : 'no_leakage',
    reason: null,
    needed: [],
    knownMicro,
    unknownMicro,
    leakageMicro,
    leakageBasisPoints: shareOf(leakageMicro, knownMicro, 'ceil'),
    sources: byCategory.map((each) => ({
      ...each,
      isLoss: isLoss(each.category),
      shareBasisPoints: shareOf(each.costMicro, knownMicro, 'half_up'),
    })),
    marginMicro,
    marginWithoutLeakageMicro: marginMicro === null ? null : marginMicro + leakageMicro,
  };
}

const NOTHING = {
  verdict: 'cannot_certify',
  reason: 'There is no cost of which is known what became of the work.',
  needed: ['costs of accepted, failed, repeated or wasted work'],
  knownMicro: null,
  leakageMicro: null,
  leakageBasisPoints: null,
  sources: [],
  marginMicro: null,
  marginWithoutLeakageMicro: null,
} as const;
