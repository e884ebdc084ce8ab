import { complexityOf } from './complexity.rules.js';
import { explorationBars, explore } from './exploration.rules.js';
import { askedBy, type Judged, judge, LIMITS, setSimulatedAside } from './gates.rules.js';
import { present } from './hysteresis.rules.js';
import { leavesMargin, passMarginFirewall } from './margin.rules.js';
import type { Features, Situation, Terms } from './tables.js';
import { bestByQuality, bestOf, weigh } from './utility.rules.js';
import {
  COMPLEXITIES,
  type Complexity,
  type ExplorationBar,
  type RoutingStage,
  type RoutingVerdict,
} from './vocabulary.js';
import { weighable } from './weighable.rules.js';

/** Everything that a decision follows from. Sealed, it makes the same decision again anywhere. */
export interface DecisionInputs {
  readonly features: Features;
  readonly situation: Situation;
  /** The model that answers requests like this at present; null where none has yet. */
  readonly incumbent: string | null;
  /** What all chance comes from, such as the id of the request. */
  readonly seed: string;
}

/** What one stage left. */
export interface StageTrace {
  readonly stage: RoutingStage;
  readonly candidatesLeft: number;
  readonly leader: Judged | undefined;
}

/** A decision, with everything that explains it. */
export interface Decision {
  readonly verdict: RoutingVerdict;
  readonly chosen: Judged | undefined;
  readonly complexity: Complexity;
  /** In basis points. */
  readonly qualityFloor: number;
  readonly explored: boolean;
  readonly explorationBars: readonly ExplorationBar[];
  readonly keptIncumbent: boolean;
  /** The best quality that is able to answer, whatever it costs. */
  readonly baseline: Judged | undefined;
  readonly stages: readonly StageTrace[];
  /** Every model, in the order of the situation. */
  readonly candidates: readonly Judged[];
}

/**
 * Decides which model answers: hard gates, utility, margin firewall, exploration, hysteresis, in
 * this order and in no other. A pure function: no clock, no chance but from the seed, no state.
 */
export function decideRoute({ features, situation, incumbent, seed }: DecisionInputs): Decision {
  const complexity = complexityOf(features);
  const qualityFloor = floorOf(situation, complexity);
  const asked = askedBy(features, situation, qualityFloor);
  const candidates = weighable(situation).map((model) => judge(model, asked));
  setSimulatedAside(candidates);
  const baseline = baselineOf(candidates);
  const stages: StageTrace[] = [];
  const trace = (stage: RoutingStage, left: readonly Judged[], leader: Judged | undefined) => {
    stages.push({ stage, candidatesLeft: left.length, leader });
  };

  const passing = candidates.filter(({ rejection }) => rejection === undefined);
  trace('HARD_GATES', passing, passing[0]);
  weigh(passing, situation.terms);
  trace('UTILITY', passing, bestOf(passing, situation));
  const left = passMarginFirewall(passing, situation.terms);
  const best = bestOf(left, situation);
  trace('MARGIN_FIREWALL', left, best);
  const bars = explorationBars({ features, situation, complexity });
  const tried = bars.length === 0 ? explore(left, best, situation, seed) : undefined;
  trace('EXPLORATION', left, tried ?? best);
  const kept = tried ? undefined : present(left, best, situation, incumbent);
  const first = tried ?? kept ?? best;
  trace('HYSTERESIS', left, first);

  const chosen = first ?? nextBest(candidates, situation, incumbent);
  const verdict = first ? 'ROUTED' : chosen ? 'FALLBACK' : 'CANNOT_ROUTE';
  for (const one of left) {
    if (one === chosen) continue;
    const isWorthMore = chosen !== undefined && one.utility > chosen.utility;
    one.rejection = isWorthMore ? 'passed_over' : 'lower_utility';
  }
  if (chosen) chosen.rejection = undefined;
  return {
    verdict,
    chosen,
    complexity,
    qualityFloor,
    explored: tried !== undefined,
    explorationBars: bars,
    keptIncumbent: kept !== undefined,
    baseline,
    stages,
    candidates,
  };
}

function floorOf({ terms }: Situation, complexity: Complexity): number {
  const own = COMPLEXITIES.find(complexity)?.qualityFloorBasisPoints ?? 0;
  return terms.qualityFloorBasisPoints ?? own;
}

/**
 * The premium baseline: of all that are able to answer, the best quality; of equals the dearest.
 * What the terms, the margin and the pin take out counts: it is what would have been bought. What
 * is made up counts only where nothing real is able.
 */
function baselineOf(candidates: readonly Judged[]): Judged | undefined {
  let best: Judged | undefined;
  for (const one of candidates) {
    if (one.deployment === undefined || one.rejection === 'simulated') continue;
    if (best === undefined || isMorePremium(one, best)) best = one;
  }
  return best;
}

function isMorePremium(one: Judged, best: Judged): boolean {
  if (one.model.isSimulated !== best.model.isSimulated) return best.model.isSimulated;
  return (
    one.quality > best.quality || (one.quality === best.quality && one.costMicro > best.costMicro)
  );
}

/** Null was sealed when nothing was asked of what is not measured: it is decided the same again. */
function answersUnmeasured({ whenUnmeasured }: Terms): boolean {
  return whenUnmeasured !== 'REFUSE';
}

/**
 * Who answers where none passes the limits: the fallback model, else the best quality of those that
 * failed by limits alone; one of which nothing is measured only where terms of ASSURED say so. A
 * fallback obeys every gate that is no limit, and the margin. Where it is
 * the margin that took the last one out, only the fallback model may answer: what a request earns
 * lowers no floor of quality.
 */
export function nextBest(
  candidates: readonly Judged[],
  situation: Situation,
  incumbent: string | null,
): Judged | undefined {
  const { terms, killSwitch } = situation;
  if (terms.whenNonePasses === 'REFUSE') return undefined;
  const able = candidates.filter(
    (one) =>
      one.rejection !== undefined &&
      LIMITS.includes(one.rejection) &&
      (one.rejection !== 'not_measured' || answersUnmeasured(terms)) &&
      leavesMargin(one, terms),
  );
  const stays = killSwitch.state === 'FROZEN' ? incumbent : null;
  const named = (id: string | null) => able.find(({ model }) => model.model === id);
  const chosen = named(stays) ?? named(terms.fallbackModel);
  if (chosen) return chosen;
  const isMarginShort = candidates.some(({ rejection }) => rejection === 'margin_below_floor');
  return isMarginShort ? undefined : bestByQuality(able, situation);
}
