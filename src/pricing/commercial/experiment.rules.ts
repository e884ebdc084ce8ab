import type { Fault } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { newcombeInterval, sequentialInterval } from './interval.rules.js';
import { highEnd, lowEnd, point } from './share.rules.js';
import type { Arm, Experiment, ExperimentAnswer } from './tables.js';
import {
  CONFIDENCE,
  EXPERIMENT_N_MIN,
  HARD_RULES,
  type HardRule,
  HORIZON_OVERSHOOT_PERCENT,
  MISMATCH_CHI_SQUARE,
  NOT_CLAIMED,
} from './vocabulary.js';

/** A rule that keeps an experiment from concluding, and what would lift it. */
interface Broken {
  readonly rule: HardRule;
  readonly needed: string;
}

/**
 * What an A/B experiment shows. It concludes nothing on a small or degenerate sample or before a
 * stated horizon; otherwise the variant with the higher share leads, as a direction and no more.
 */
export function concludeExperiment(given: Experiment): ExperimentAnswer {
  const { a, b } = given;
  const broken = brokenRules(given);
  const [first] = broken;
  const [rateA, rateB] = [shareOf(a), shareOf(b)];
  const { peekingGuard, intervalMethod } = methodOf(given);
  const makeInterval = intervalMethod === 'newcombe' ? newcombeInterval : sequentialInterval;
  const interval = rateA === null || rateB === null ? null : makeInterval(a, b);
  const difference = rateA === null || rateB === null ? null : rateB - rateA;
  return {
    verdict: first ? 'CANNOT_CONCLUDE' : 'DIRECTIONAL',
    leader: first || difference === null ? null : difference > 0 ? 'b' : 'a',
    rateA: rateA === null ? null : point(rateA),
    rateB: rateB === null ? null : point(rateB),
    difference: difference === null ? null : point(difference),
    intervalLow: interval && lowEnd(interval.low),
    intervalHigh: interval && highEnd(interval.high),
    intervalMethod,
    confidence: CONFIDENCE,
    intervalHoldsZero: interval && interval.low <= 0 && interval.high >= 0,
    peekingGuard,
    sampleRatioMismatch: isMismatch(a.n, b.n),
    notClaimed: NOT_CLAIMED.codes,
    brokenRules: broken.map(({ rule }) => rule),
    reason: first ? (HARD_RULES.find(first.rule)?.description ?? null) : null,
    needed: broken.map(({ needed }) => needed),
  };
}

/** Variants of which more converted than were shown. */
export function experimentFaults({ a, b }: Experiment): Fault[] {
  return Object.entries({ a, b }).flatMap(([name, { n, conversions }]) =>
    fits(`input.${name}.conversions`, conversions <= n, 'must be at most n'),
  );
}

function brokenRules({ a, b, plannedN }: Experiment): Broken[] {
  const arms = Object.entries({ a, b });
  const small = arms
    .filter(([, { n }]) => n < EXPERIMENT_N_MIN)
    .map(([name, { n }]) => ({
      rule: 'small_sample_concludes_nothing' as const,
      needed: `${name}: ${EXPERIMENT_N_MIN - n} more subjects`,
    }));
  const degenerate = arms
    .filter(([, { n, conversions }]) => n > 0 && (conversions === 0 || conversions === n))
    .map(([name, { conversions }]) => ({
      rule: 'degenerate_sample_concludes_nothing' as const,
      needed: `${name}: at least one subject that ${conversions === 0 ? 'converts' : 'does not'}`,
    }));
  const isEqual = a.n > 0 && b.n > 0 && a.conversions * b.n === b.conversions * a.n;
  const equal = isEqual && degenerate.length === 0 ? [EQUAL] : [];
  const early = arms
    .filter(([, { n }]) => plannedN !== null && n < plannedN)
    .map(([name, { n }]) => ({
      rule: 'horizon_before_conclusion' as const,
      needed: `${name}: ${(plannedN ?? 0) - n} more subjects until the stated horizon`,
    }));
  return merged([...small, ...degenerate, ...equal, ...early]);
}

const EQUAL: Broken = {
  rule: 'degenerate_sample_concludes_nothing',
  needed: 'variants with different shares: in these the same share converted',
};

/** Each rule once, with everything that would lift it. */
function merged(all: readonly Broken[]): Broken[] {
  const rules = [...new Set(all.map(({ rule }) => rule))];
  return rules.map((rule) => {
    const parts = all.filter((each) => each.rule === rule).map(({ needed }) => needed);
    return { rule, needed: parts.join('; ') };
  });
}

/**
 * A horizon that was stated and is reached allows the interval of one look. Before it, and where
 * subjects went on well past it, only the interval of every look holds.
 */
function methodOf({ a, b, plannedN }: Experiment) {
  const sequence = { intervalMethod: 'normal_mixture_sequence' } as const;
  if (plannedN === null) return { ...sequence, peekingGuard: 'sequential' as const };
  const horizonMax = (plannedN * (100 + HORIZON_OVERSHOOT_PERCENT)) / 100;
  if (Math.max(a.n, b.n) > horizonMax) return { ...sequence, peekingGuard: 'sequential' as const };
  const isReached = Math.min(a.n, b.n) >= plannedN;
  const peekingGuard = 'fixed_horizon' as const;
  return isReached
    ? { intervalMethod: 'newcombe' as const, peekingGuard }
    : { ...sequence, peekingGuard };
}

/** Whether an even split would hardly ever be so uneven: chi-square of one degree of freedom. */
function isMismatch(a: number, b: number): boolean {
  const all = a + b;
  return all > 0 && ((a - b) * (a - b)) / all > MISMATCH_CHI_SQUARE;
}

function shareOf({ n, conversions }: Arm): number | null {
  return n > 0 ? conversions / n : null;
}
