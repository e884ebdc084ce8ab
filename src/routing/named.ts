import type { Deployment, Model, ModelFacts, Registry } from '../catalog/providers/model.js';
import { priceOn, upperEstimate } from '../catalog/providers/price.js';
import type { Capability, Jurisdiction, Operation } from '../catalog/providers/vocabulary.js';
import type { MicroRub } from '../kernel/money.js';

/** The most that a request can use with one model, whatever the provider reports later. */
export interface TokenBounds {
  readonly inputTokensMax: number;
  /** Over all choices together. */
  readonly outputTokensMax: number;
}

/** What a request asks of a model, and what the caller's policy leaves to choose from. */
export interface RouteQuestion {
  readonly operation: Operation;
  readonly needs: readonly Capability[];
  /** What the request can use at most with a model; the estimate of cost is made of it. */
  readonly tokenBounds: (model: ModelFacts) => TokenBounds;
  /** A low guess of what the window must hold: past it even so, the request cannot fit. */
  readonly windowTokensMin: (model: ModelFacts) => number;
  readonly allowedModels: Pick<ReadonlySet<string>, 'has'> | undefined;
  readonly jurisdictionsAllowed: readonly Jurisdiction[];
  /** The day whose prices hold, `YYYY-MM-DD`. */
  readonly day: string;
}

/** Why a named model cannot answer, in the order in which it is checked. */
export type Rejection =
  | 'other_operation'
  | 'not_allowed'
  | 'data_route_forbidden'
  | 'capability_missing'
  | 'context_too_long'
  | 'no_price';

/** A model that was looked at. */
export interface Candidate {
  readonly model: Model;
  readonly rejection: Rejection | undefined;
  /** What is missing, for people; empty for the one that answers. */
  readonly detail: string;
  /** The most that the request can cost with it; undefined where that was not computed. */
  readonly estimateMicro: MicroRub | undefined;
}

/** Whom to call in which order, and the most that it can cost. */
export interface Chain {
  /** Deployments to call in order: the model's own, then permitted fallbacks. */
  readonly chain: readonly Deployment[];
  /** The most that the request can cost with any of them: what is held. */
  readonly estimateMicro: MicroRub;
}

/**
 * The chain of a model less what the question forbids: a fallback obeys every rule too. Empty where
 * nothing of it may be called.
 */
export function chainOf(
  registry: Registry,
  model: Model,
  question: RouteQuestion,
  allowsProvider: (id: string) => boolean = () => true,
): Chain {
  const permitted = permittedChain(registry, model, question);
  const chain = permitted.filter(({ providerId }) => allowsProvider(providerId));
  return { chain, estimateMicro: highestEstimate(chain, question) };
}

/** Takes a named model or rejects it. Pure: the same question and registry give the same answer. */
export function judgeNamed(model: Model, question: RouteQuestion): Candidate {
  const rejected = (rejection: Rejection, detail: string): Candidate => ({
    model,
    rejection,
    detail,
    estimateMicro: undefined,
  });
  if (model.operation !== question.operation) {
    return rejected('other_operation', `it serves ${model.operation}`);
  }
  if (question.allowedModels && !question.allowedModels.has(model.id)) {
    return rejected('not_allowed', 'not on the allow-list of the policy');
  }
  const inside = model.deployments.filter((each) => isInside(each, question));
  if (inside.length === 0) {
    const routes = [...new Set(model.deployments.map((each) => each.jurisdiction))].join(', ');
    return rejected('data_route_forbidden', `its route is ${routes}`);
  }
  const able = inside.filter((each) => missing(each, question).length === 0);
  if (able.length === 0) {
    return rejected('capability_missing', missing(inside[0] ?? model, question).join(', '));
  }
  const fitting = able.filter((each) => question.windowTokensMin(each) <= each.contextWindow);
  if (fitting.length === 0) {
    const window = Math.max(...able.map((each) => each.contextWindow));
    return rejected('context_too_long', `its window is ${window} tokens`);
  }
  const priced = fitting.filter((each) => estimate(each, question) !== undefined);
  const [first] = priced;
  if (!first) return rejected('no_price', 'no price is in force');
  return { model, rejection: undefined, detail: '', estimateMicro: estimate(first, question) };
}

function isInside(deployment: Deployment, question: RouteQuestion): boolean {
  return question.jurisdictionsAllowed.includes(deployment.jurisdiction);
}

function missing(model: ModelFacts, question: RouteQuestion): Capability[] {
  return question.needs.filter((need) => !model.capabilities.includes(need));
}

function permittedChain(registry: Registry, model: Model, question: RouteQuestion) {
  return registry
    .chain(model.id)
    .filter(
      (deployment) =>
        deployment.operation === question.operation &&
        isInside(deployment, question) &&
        missing(deployment, question).length === 0 &&
        (question.allowedModels?.has(deployment.id) ?? true) &&
        question.windowTokensMin(deployment) <= deployment.contextWindow &&
        estimate(deployment, question) !== undefined,
    );
}

/** The most that the request can cost; undefined without a price for all that it may use. */
function estimate(model: ModelFacts, question: RouteQuestion): MicroRub | undefined {
  const price = priceOn(model.prices, question.day);
  const { inputTokensMax, outputTokensMax } = question.tokenBounds(model);
  return price && upperEstimate(inputTokensMax, outputTokensMax, price);
}

function highestEstimate(chain: readonly Deployment[], question: RouteQuestion): MicroRub {
  let highest = 0n;
  for (const deployment of chain) {
    const each = estimate(deployment, question) ?? 0n;
    if (each > highest) highest = each;
  }
  return highest;
}
