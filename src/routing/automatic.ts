import { AUTO_MODEL } from '../catalog/providers/vocabulary.js';
import {
  type Decision,
  type DecisionInputs,
  decideRoute,
  nextBest,
} from './decision/decide.rules.js';
import type { Features } from './decision/tables.js';
import type { RouteRejection } from './decision/vocabulary.js';
import type { KnownSituation, SituationQuestion, Situations } from './memory/situations.js';

/** The prefix of a model name that names a route policy. */
const ROUTE_POLICY_PREFIX = 'gw:route/';

/** The key of the route policy that a model name stands for. */
export function policyKeyOf(model: string): string | undefined {
  const isPolicy = model.startsWith(ROUTE_POLICY_PREFIX);
  return isPolicy ? model.slice(ROUTE_POLICY_PREFIX.length) : undefined;
}

/** How those are marked that pass every gate and do not answer. */
const PASSED: readonly RouteRejection[] = ['lower_utility', 'passed_over'];

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

/**
 * The models that may answer in place of the chosen one when it fails, the best one first: those
 * that pass too, then whoever would answer if none of them did.
 */
export function mayStandIn({ inputs, decision }: Automatic): string[] {
  const { situation, incumbent } = inputs;
  const others = decision.candidates.filter((one) => one !== decision.chosen);
  const passes = others.filter(({ rejection }) => rejection && PASSED.includes(rejection));
  passes.sort((left, right) => right.utility - left.utility);
  const last = nextBest(others, situation, incumbent);
  return [...passes, ...(last ? [last] : [])].map(({ model }) => model.model);
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
  return isGone || (before?.rejection !== undefined && PASSED.includes(before.rejection));
}
