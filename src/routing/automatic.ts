import { AUTO_MODEL } from '../catalog/providers/vocabulary.js';
import {
  type Decision,
  type DecisionInputs,
  decideRoute,
  nextBest,
} from './decision/decide.rules.js';
import type { Judged } from './decision/gates.rules.js';
import type { Features } from './decision/tables.js';
import { byUtilityIn } from './decision/utility.rules.js';
import type { KnownSituation, SituationQuestion, Situations } from './memory/situations.js';

/** The prefix of a model name that names a route policy. */
const ROUTE_POLICY_PREFIX = 'gw:route/';

/** The key of the route policy that a model name stands for. */
export function policyKeyOf(model: string): string | undefined {
  const isPolicy = model.startsWith(ROUTE_POLICY_PREFIX);
  return isPolicy ? model.slice(ROUTE_POLICY_PREFIX.length) : undefined;
}

/** Whether the gateway chooses the model of a request. */
export function isAutomatic(model: string): boolean {
  return model === AUTO_MODEL || policyKeyOf(model) !== undefined;
}

/** What a router is asked for a tenant. */
export interface AutomaticQuestion extends Omit<SituationQuestion, 'operation'> {
  readonly features: Features;
  /** What all chance comes from: the id of the request. */
  readonly seed: string;
}

/** A decision of the router with all that it follows from. */
export interface Automatic {
  /** What the request is for, as it says; the situation may be that of `default`. */
  readonly useCase: string;
  readonly known: KnownSituation;
  readonly inputs: DecisionInputs;
  readonly decision: Decision;
}

/**
 * Decides for a tenant by what is in force now.
 * @returns undefined for a route policy that nobody has published
 */
export function decideNow(
  situations: Situations,
  { features, seed, ...question }: AutomaticQuestion,
): Automatic | undefined | Promise<Automatic | undefined> {
  const decideIn = (known: KnownSituation | undefined): Automatic | undefined => {
    if (!known) return undefined;
    const { situation, incumbent } = known;
    const inputs = { features: askingForReason(features, known), situation, incumbent, seed };
    return { useCase: question.useCase, known, inputs, decision: decideRoute(inputs) };
  };
  const found = situations.now({ ...question, operation: features.operation });
  return found instanceof Promise ? found.then(decideIn) : decideIn(found);
}

/** Reasoning that is asked for is demanded of the model only where some model offers it. */
function askingForReason(features: Features, { situation }: KnownSituation): Features {
  if (!features.needs.includes('reasoning')) return features;
  const isOffered = situation.models.some(({ deployments }) =>
    deployments.some(({ capabilities }) => capabilities.includes('reasoning')),
  );
  if (isOffered) return features;
  return { ...features, needs: features.needs.filter((need) => need !== 'reasoning') };
}

/** Who may answer in place of a chosen model that fails when it is called. */
export interface StandIns {
  /** Who is called first: the best that passes too, else whoever would answer if none passed. */
  readonly first: string | undefined;
  has(model: string): boolean;
}

/** Who may stand in for the chosen model of a decision. */
export function standInsOf({ inputs, decision }: Automatic): StandIns {
  const others = decision.candidates.filter((one) => one !== decision.chosen);
  const byUtility = byUtilityIn(inputs.situation);
  let best: Judged | undefined;
  for (const one of others) {
    if (passes(one) && (best === undefined || byUtility(one, best) < 0)) best = one;
  }
  let last: { readonly one: Judged | undefined } | undefined;
  const lastOne = () => {
    last ??= { one: nextBest(others, inputs.situation, inputs.incumbent) };
    return last.one;
  };
  return {
    first: (best ?? lastOne())?.model.model,
    has: (model) => {
      const one = others.find((other) => other.model.model === model);
      return one !== undefined && (passes(one) || one === lastOne());
    },
  };
}

/** Whether a candidate that does not answer passes every gate. */
function passes({ rejection }: Judged): boolean {
  return rejection === 'lower_utility' || rejection === 'passed_over';
}

/**
 * Whether the chosen model becomes the present one of its use case: not where it was only tried,
 * nor where the present one could not answer just this request.
 */
export function becomesIncumbent({ inputs, decision }: Automatic): boolean {
  const { situation, incumbent } = inputs;
  const { terms, killSwitch, models } = situation;
  const { chosen, verdict, explored } = decision;
  if (terms.hysteresisBasisPoints === 0 || killSwitch.state !== 'ACTIVE') return false;
  if (!chosen || verdict !== 'ROUTED' || explored || chosen.model.model === incumbent) return false;
  const before = decision.candidates.find(({ model }) => model.model === incumbent);
  const isGone = !models.some(({ model }) => model === incumbent);
  return isGone || (before !== undefined && passes(before));
}

/** An answer shows so many candidates; the explanation of its request shows all. */
const SHOWN_MAX = 10;

/** A decision without its candidates but those that are shown: what a request keeps to its end. */
export interface Decided extends Omit<Automatic, 'decision'> {
  readonly decision: Omit<Decision, 'candidates'> & {
    /** The chosen one first, then by utility; all in their own order where they are few. */
    readonly shown: readonly Judged[];
    readonly candidatesTotal: number;
  };
}

/** What is kept of a decision while its request is under way: the others may be forgotten. */
export function keptOf({ useCase, known, inputs, decision }: Automatic): Decided {
  const { candidates, ...rest } = decision;
  const kept = { ...rest, shown: shownOf(decision), candidatesTotal: candidates.length };
  return { useCase, known, inputs, decision: kept };
}

function shownOf({ chosen, candidates }: Decision): readonly Judged[] {
  if (candidates.length <= SHOWN_MAX) return candidates;
  const shown = chosen ? [chosen] : [];
  const first = shown.length;
  for (const one of candidates) {
    if (one === chosen) continue;
    let place = Math.min(shown.length, SHOWN_MAX);
    while (place > first && (shown[place - 1]?.utility ?? 0) < one.utility) {
      if (place < SHOWN_MAX) shown[place] = shown[place - 1] as Judged;
      place -= 1;
    }
    if (place < SHOWN_MAX) shown[place] = one;
  }
  return shown;
}
