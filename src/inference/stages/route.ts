import type { Deployment, Model, Registry } from '../../catalog/providers/model.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { moscowDay } from '../../kernel/time.js';
import { unknownModelHint } from '../../routing/aliases/alias.rules.js';
import { type Candidate, chooseRoute, REJECTIONS, type Route } from '../../routing/choose.js';
import type { LoweredLimit } from '../affordable.rules.js';
import type { InferenceRequest } from '../request.js';
import { tokenBounds, windowTokensAbout } from '../upstream/tokens.js';
import type { Admission } from './admit.js';
import type { Inspected } from './firewall-in.js';

/** A route that leads somewhere. */
export interface ChosenRoute extends Route {
  readonly chosen: Model;
  readonly day: string;
  /** The most answer tokens that the policy allows; undefined leaves it to the request. */
  readonly outputTokensCap: number | undefined;
  /** Set where funds or a budget made that limit lower than the request allows. */
  readonly lowered?: LoweredLimit;
}

/**
 * Chooses the model and its fallbacks.
 * @throws model_not_found, model_not_allowed, data_route_forbidden, capability_unsupported,
 * context_length_exceeded, model_without_price, upstream_unavailable
 */
export function route(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  { policy }: Admission,
  { jurisdictionsAllowed, dataClass }: Inspected,
): ChosenRoute {
  const { registry, upstream } = ctx.services;
  const known = registry.models.has(request.model) || registry.aliases.has(request.model);
  if (!known) unknownModel(registry, request);
  const cap = policy.limits.maxOutputTokens;
  const day = moscowDay(Date.now());
  const found = chooseRoute(registry, {
    operation: request.operation,
    requested: request.model,
    needs: request.needs,
    tokenBounds: (model) => tokenBounds(request, model, cap),
    windowTokensMin: (model) => windowTokensAbout(request.size, model),
    allowedModels: policy.allowedModels,
    jurisdictionsAllowed,
    day,
    healthy: (deployment) => upstream.healthy(deployment),
  });
  const { chosen } = found;
  if (!chosen) return refuse(request, found.candidates, dataClass, policy.allowListOf);
  const outputTokensCap = request.operation === 'chat' ? cap : undefined;
  const { strategy, candidates, chain, estimateMicro } = found;
  return { strategy, candidates, chosen, chain, estimateMicro, day, outputTokensCap };
}

/** A body smaller than this fits the window of any model that there is. */
const LONG_BYTES_MIN = 131_072;

/**
 * Refuses what no window can hold before anybody reads it: reading so much takes long.
 * @throws context_length_exceeded
 */
export function requireWindow(ctx: AuthorizedCtx, request: InferenceRequest): void {
  if (request.size.textBytes < LONG_BYTES_MIN) return;
  const { registry } = ctx.services;
  const named = registry.models.get(request.model);
  const models = named ? [named] : [...registry.models.values()];
  const deployments = models
    .filter(({ operation }) => operation === request.operation)
    .flatMap((model) => model.deployments);
  const [widest] = deployments.sort((left, right) => right.contextWindow - left.contextWindow);
  const fits = (each: Deployment) => windowTokensAbout(request.size, each) <= each.contextWindow;
  if (!widest || deployments.some(fits)) return;
  const values = { tokens: windowTokensAbout(request.size, widest), limit: widest.contextWindow };
  fail('context_length_exceeded', { values, param: 'messages' });
}

/** So many names are told to whoever may have misspelt one. */
const NEAR_MAX = 3;

function unknownModel(registry: Registry, { model, near: aliases = [] }: InferenceRequest): never {
  const listing = registry.providers.find((provider) =>
    provider.models.some((listed) => listed.id === model),
  );
  if (listing?.protocol === 'native') {
    const capability = `The native adapter of ${listing.name}`;
    fail('capability_roadmap', { values: { capability }, param: 'model' });
  }
  const hint = unknownModelHint([...aliases, ...registry.near(model)].slice(0, NEAR_MAX), {
    reason: listing && `Its provider is not set up on this server. ${listing.statusReason}`,
  });
  return fail('model_not_found', { values: { model, hint }, param: 'model' });
}

/** The reason nearest to an answer is told: the later a check, the closer the model came. */
const PRECEDENCE = [...REJECTIONS].reverse();

function refuse(
  request: InferenceRequest,
  candidates: readonly Candidate[],
  dataClass: string,
  policy: string,
): never {
  const closest = PRECEDENCE.flatMap(
    (code) => candidates.find((candidate) => candidate.rejection === code) ?? [],
  )[0];
  const model = closest?.model.id ?? request.model;
  const param = 'model';
  switch (closest?.rejection) {
    case 'not_allowed':
      return fail('model_not_allowed', { values: { model, policy }, param });
    case 'data_route_forbidden': {
      const reason = `the data is of class ${dataClass} and ${closest.detail}`;
      return fail('data_route_forbidden', { values: { reason }, param });
    }
    case 'context_too_long': {
      const tokens = windowTokensAbout(request.size, closest.model);
      const values = { tokens, limit: closest.model.contextWindow };
      return fail('context_length_exceeded', { values, param: 'messages' });
    }
    case 'no_price':
      return fail('model_without_price', { values: { model }, param });
    case 'unhealthy':
      return fail('upstream_unavailable', { values: { model }, retryAfterMs: 5_000 });
    default: {
      const capabilities = closest?.detail ?? request.needs.join(', ');
      return fail('capability_unsupported', { values: { capabilities }, param });
    }
  }
}
