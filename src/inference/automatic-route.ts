import type { Registry } from '../catalog/providers/model.js';
import { russiaFirst } from '../catalog/providers/registry.js';
import type { AuthorizedCtx } from '../graph/ctx.js';
import { sharedNowMs } from '../kernel/clock.js';
import { fail } from '../kernel/errors/fail.js';
import { moscowDay } from '../kernel/time.js';
import {
  type Automatic,
  becomesIncumbent,
  decideNow,
  keptOf,
  policyKeyOf,
  standInsOf,
} from '../routing/automatic.js';
import { reasonOf } from '../routing/decision/explain.rules.js';
import { DEFAULT_USE } from '../routing/memory/terms.js';
import { type Chain, chainOf, type RouteQuestion } from '../routing/named.js';
import { featuresOf } from './features.js';
import { type LadderLimits, NO_LIMITS } from './ladder.rules.js';
import type { InferenceRequest } from './request.js';
import type { Admission } from './stages/admit.js';
import type { Inspected } from './stages/firewall-in.js';
import { type ChosenRoute, questionOf, type Refused, refuse } from './stages/route.js';

/**
 * Lets the router choose: by the contract of the use case, which `metadata.feature` names, or by
 * the route policy that the model names. The situation is stored before the decision is used, so
 * that every decision can be made again.
 * @param limits what the ladders of budgets take from the router
 * @throws model_not_found, cannot_route, and whatever a named model is refused with
 */
export async function automaticRoute(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  admission: Admission,
  inspected: Inspected,
  limits: LadderLimits = NO_LIMITS,
): Promise<ChosenRoute> {
  const { situations, registry } = ctx.services;
  const day = moscowDay(sharedNowMs());
  const policyKey = policyKeyOf(request.model);
  const asked = decideNow(situations, {
    tenantId: ctx.who.tenantId,
    useCase: request.metadata.feature?.slice(0, USE_CASE_MAX) ?? DEFAULT_USE,
    policyKey,
    day,
    features: featuresOf(request, admission, inspected, limits),
    seed: ctx.requestId,
  });
  const decided = asked instanceof Promise ? await asked : asked;
  if (!decided) return unknownPolicy(request.model);
  if (!decided.known.isStored) await decided.known.stored;
  const { chosen } = decided.decision;
  const model = chosen && registry.models.get(chosen.model.model);
  if (!model) return refuseAll(request, decided, inspected, admission);
  const question = questionOf(request, admission, inspected, day);
  const { chain, estimateMicro } = chainFor(registry, decided, question);
  if (becomesIncumbent(decided)) keepIncumbent(ctx, decided);
  const outputTokensCap = request.operation === 'chat' ? question.cap : undefined;
  return {
    strategy: policyKey === undefined ? 'automatic' : 'route_policy',
    candidates: [],
    decided: keptOf(decided),
    chosen: model,
    chain,
    estimateMicro,
    day,
    outputTokensCap,
  };
}

/** As long as the key of a contract may be. */
const USE_CASE_MAX = 64;

/**
 * The chosen model's deployments, then whoever may stand in: its declared fallbacks that pass, or
 * else the next best one, those in Russia first. All of it keeps to the allow-lists of the terms.
 */
function chainFor(registry: Registry, decided: Automatic, asked: RouteQuestion): Chain {
  const { terms } = decided.inputs.situation;
  const id = decided.decision.chosen?.model.model ?? '';
  const standIns = standInsOf(decided);
  const question = {
    ...asked,
    allowedModels: { has: (model: string) => model === id || standIns.has(model) },
  };
  const hasFallback = registry.chain(id).some((each) => each.id !== id && standIns.has(each.id));
  const ids = hasFallback || standIns.first === undefined ? [id] : [id, standIns.first];
  const parts = ids.flatMap((each) => registry.models.get(each) ?? []);
  const allowed = (provider: string) =>
    terms.providersAllowed.length === 0 || terms.providersAllowed.includes(provider);
  const chains = parts.map((model) => chainOf(registry, model, question, allowed));
  const [own = [], ...others] = chains.map(({ chain }) => chain);
  return {
    chain: [...new Set([...own, ...russiaFirst(others.flat())])],
    estimateMicro: chains.reduce(
      (most, { estimateMicro }) => (estimateMicro > most ? estimateMicro : most),
      0n,
    ),
  };
}

function keepIncumbent(
  { who, requestId, services }: AuthorizedCtx,
  { inputs, decision }: Automatic,
) {
  const { terms, useCase } = inputs.situation;
  const model = decision.chosen?.model.model ?? '';
  const one = { contractKey: terms.contractKey, useCase, model, requestId };
  services.routing.keepIncumbent(who.tenantId, one).catch((error: unknown) => {
    services.log.warn({ err: error }, 'the present model of a use case was not recorded');
  });
}

function unknownPolicy(model: string): never {
  const hint = 'Publish the route policy with POST /v1/gw/routing/policies.';
  return fail('model_not_found', { values: { model, hint }, param: 'model' });
}

function refuseAll(
  request: InferenceRequest,
  { inputs, decision }: Automatic,
  inspected: Inspected,
  { policy }: Admission,
): never {
  const refused = decision.candidates.flatMap((one): Refused[] => {
    const { model, rejection } = one;
    if (!rejection) return [];
    const detail = reasonOf(one, rejection, decision, inputs);
    return [{ model: model.model, rejection, detail, contextWindow: widest(one) }];
  });
  return refuse(request, refused, {
    inspected,
    policy: policy.allowListOf,
    terms: inputs.situation.terms,
  });
}

function widest({ model }: Automatic['decision']['candidates'][number]): number {
  return Math.max(0, ...model.deployments.map(({ contextWindow }) => contextWindow));
}
