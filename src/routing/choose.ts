import type { Deployment, Model, ModelFacts, Registry } from '../catalog/providers/model.js';
import { priceOn, upperEstimate } from '../catalog/providers/price.js';
import {
  AUTO_MODEL,
  type Capability,
  type Jurisdiction,
  type Operation,
} from '../catalog/providers/vocabulary.js';
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
  /** A model id or an alias. */
  readonly requested: string;
  readonly needs: readonly Capability[];
  /** What the request can use at most with a model; the estimate of cost is made of it. */
  readonly tokenBounds: (model: ModelFacts) => TokenBounds;
  /** A low guess of what the window must hold: past it even so, the request cannot fit. */
  readonly windowTokensMin: (model: ModelFacts) => number;
  readonly allowedModels: ReadonlySet<string> | undefined;
  readonly jurisdictionsAllowed: readonly Jurisdiction[];
  /** The day whose prices hold, `YYYY-MM-DD`. */
  readonly day: string;
  readonly healthy: (deployment: Deployment) => boolean;
}

/** Why a model was not chosen, in the order in which it is checked. */
export const REJECTIONS = [
  'other_operation',
  'not_allowed',
  'data_route_forbidden',
  'capability_missing',
  'context_too_long',
  'no_price',
  'unhealthy',
  'simulated',
  'dearer',
] as const;

/** Why a model was not chosen. */
export type Rejection = (typeof REJECTIONS)[number];

/** A model that was looked at. */
export interface Candidate {
  readonly model: Model;
  readonly rejection: Rejection | undefined;
  /** What is missing, for people; empty for the chosen one. */
  readonly detail: string;
  /** The most that the request can cost with it; undefined where that was not computed. */
  readonly estimateMicro: MicroRub | undefined;
}

/** The decision: whom to call in which order, and why. */
export interface Route {
  readonly strategy: 'requested_model' | 'cheapest_capable';
  readonly candidates: readonly Candidate[];
  /** The chosen model; undefined when every candidate was rejected. */
  readonly chosen: Model | undefined;
  /** Deployments to call in order: the chosen model's, then permitted fallbacks. */
  readonly chain: readonly Deployment[];
  /** The most that the request can cost with any deployment of the chain: what is held. */
  readonly estimateMicro: MicroRub;
}

/**
 * Chooses the model. A named model is taken or rejected; `gw:auto` takes the cheapest model that
 * is allowed, able and healthy. Pure: the same question and registry give the same answer.
 */
export function chooseRoute(registry: Registry, question: RouteQuestion): Route {
  const automatic = question.requested === AUTO_MODEL;
  const considered = automatic
    ? [...registry.models.values()]
    : named(registry, question.requested);
  let candidates = considered.map((model) => judge(model, question));
  if (automatic) candidates = preferReal(candidates);
  const able = candidates.filter((candidate) => candidate.rejection === undefined);
  const best = automatic ? cheapest(able) : able[0];
  const chain = best ? permittedChain(registry, best.model, question) : [];
  return {
    strategy: automatic ? 'cheapest_capable' : 'requested_model',
    candidates: candidates.map((candidate) => explainLoser(candidate, best)),
    chosen: best?.model,
    chain,
    estimateMicro: highestEstimate(chain, question) ?? best?.estimateMicro ?? 0n,
  };
}

function named(registry: Registry, id: string): Model[] {
  const model = registry.models.get(id);
  return model ? [model] : [];
}

function judge(model: Model, question: RouteQuestion): Candidate {
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
  const first = priced.find(question.healthy) ?? priced[0];
  if (!first) return rejected('no_price', 'no price is in force');
  if (!question.healthy(first) && question.requested === AUTO_MODEL) {
    return rejected('unhealthy', 'its circuit breaker is open');
  }
  return { model, rejection: undefined, detail: '', estimateMicro: estimate(first, question) };
}

function isInside(deployment: Deployment, question: RouteQuestion): boolean {
  return question.jurisdictionsAllowed.includes(deployment.jurisdiction);
}

function missing(model: ModelFacts, question: RouteQuestion): Capability[] {
  return question.needs.filter((need) => !model.capabilities.includes(need));
}

/** Made-up answers are chosen only where nothing real can answer. */
function preferReal(candidates: readonly Candidate[]): Candidate[] {
  const real = candidates.some(({ rejection, model }) => !rejection && !model.simulated);
  if (!real) return [...candidates];
  return candidates.map((candidate) =>
    candidate.rejection || !candidate.model.simulated
      ? candidate
      : { ...candidate, rejection: 'simulated', detail: 'a real model can answer' },
  );
}

function cheapest(able: readonly Candidate[]): Candidate | undefined {
  return able.reduce<Candidate | undefined>((best, candidate) => {
    if (!best) return candidate;
    return (candidate.estimateMicro ?? 0n) < (best.estimateMicro ?? 0n) ? candidate : best;
  }, undefined);
}

function explainLoser(candidate: Candidate, best: Candidate | undefined): Candidate {
  if (candidate.rejection || candidate === best) return candidate;
  return { ...candidate, rejection: 'dearer', detail: 'able, but costs more or as much' };
}

/** The chain of a model less what the policy forbids: a fallback obeys every rule too. */
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

function highestEstimate(chain: readonly Deployment[], question: RouteQuestion) {
  return chain.reduce<MicroRub | undefined>((highest, deployment) => {
    const each = estimate(deployment, question) ?? 0n;
    return highest === undefined || each > highest ? each : highest;
  }, undefined);
}
