import type { Deployment, Model, ModelFacts, Registry } from '../../catalog/providers/model.js';
import type { LadderBudget } from '../../finops/budgets/spend-controls.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import { moscowDay } from '../../kernel/time.js';
import { unknownModelHint } from '../../routing/aliases/alias.rules.js';
import type { Decided } from '../../routing/automatic.js';
import type { Terms } from '../../routing/decision/tables.js';
import { ROUTE_REJECTIONS, type RouteRejection } from '../../routing/decision/vocabulary.js';
import {
  type Candidate,
  type Chain,
  chainOf,
  judgeNamed,
  type RouteQuestion,
} from '../../routing/named.js';
import type { LoweredLimit } from '../affordable.rules.js';
import type { InferenceRequest } from '../request.js';
import { classInWords } from '../stated-classes.rules.js';
import { tokenBounds, windowTokensAbout } from '../upstream/tokens.js';
import { outputCapOf } from '../workload/contract.js';
import { isToPrune } from '../workload/prune.js';
import type { Admission } from './admit.js';
import type { Inspected } from './firewall-in.js';

/** A route that leads somewhere. */
export interface ChosenRoute extends Chain {
  /** Who chose the model: the client, or the router, by a policy that was named or by itself. */
  readonly strategy: 'requested_model' | 'automatic' | 'route_policy';
  /** The named model; empty where the router has chosen. */
  readonly candidates: readonly Candidate[];
  /** What the router has decided; undefined where the client names the model. */
  readonly decided: Decided | undefined;
  readonly chosen: Model;
  readonly day: string;
  /** The most answer tokens that policy and contract allow; undefined leaves it to the request. */
  readonly outputTokensCap: number | undefined;
  /** Set where funds or a budget made that limit lower than the request allows. */
  readonly lowered?: LoweredLimit;
  /** The budgets that concern the request and stand on a step of their ladder. */
  readonly ladders?: readonly LadderBudget[];
}

/** What the firewall says that decides about routes, and what a refusal tells of it. */
type RouteFacts = Pick<Inspected, 'jurisdictionsAllowed' | 'dataClass' | 'sources' | 'unread'>;

/**
 * Takes the model that the client names, with its fallbacks.
 * @throws model_not_found, model_not_allowed, data_route_forbidden, capability_unsupported,
 * context_length_exceeded, model_without_price
 */
export function namedRoute(
  ctx: Pick<AuthorizedCtx, 'services'>,
  request: InferenceRequest,
  admission: Pick<Admission, 'policy'>,
  inspected: RouteFacts,
): ChosenRoute {
  const { registry } = ctx.services;
  const model = registry.models.get(request.model);
  if (!model) return unknownModel(registry, request);
  const day = moscowDay(sharedNowMs());
  const question = questionOf(request, admission, inspected, day);
  const candidate = judgeNamed(model, question);
  const { rejection, detail } = candidate;
  if (rejection) {
    const { contextWindow } = model;
    const policy = admission.policy.allowListOf;
    return refuse(request, [{ model: model.id, rejection, detail, contextWindow }], {
      inspected,
      policy,
      terms: undefined,
    });
  }
  const { chain, estimateMicro } = chainOf(registry, model, question);
  const outputTokensCap = request.operation === 'chat' ? question.cap : undefined;
  return {
    strategy: 'requested_model',
    candidates: [candidate],
    decided: undefined,
    chosen: model,
    chain,
    estimateMicro,
    day,
    outputTokensCap,
  };
}

/** What a request asks of the models of its chain. */
export function questionOf(
  request: InferenceRequest,
  { policy }: Pick<Admission, 'policy'>,
  { jurisdictionsAllowed }: Pick<Inspected, 'jurisdictionsAllowed'>,
  day: string,
): RouteQuestion & { readonly cap: number | undefined } {
  const cap = outputCapOf(request, policy);
  return {
    cap,
    operation: request.operation,
    needs: request.needs,
    tokenBounds: (model: ModelFacts) => tokenBounds(request, model, cap),
    windowTokensMin: (model: ModelFacts) => windowTokensAbout(request.size, model),
    allowedModels: policy.allowedModels,
    jurisdictionsAllowed,
    day,
  };
}

/** A body smaller than this fits the window of any model that there is. */
const LONG_BYTES_MIN = 131_072;

/**
 * Refuses what no window can hold before anybody reads it: reading so much takes long. A request
 * whose history is still to be pruned is asked after that.
 * @throws context_length_exceeded
 */
export function requireWindow(
  ctx: Pick<AuthorizedCtx, 'services'>,
  request: InferenceRequest,
): void {
  if (request.size.textBytes < LONG_BYTES_MIN || isToPrune(request)) return;
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
  const hint = unknownModelHint([...aliases, ...registry.near(model)].slice(0, NEAR_MAX), {
    reason: listing && `Its provider is not set up on this server. ${listing.statusReason}`,
  });
  return fail('model_not_found', { values: { model, hint }, param: 'model' });
}

/** A model that was refused, and why. */
export interface Refused {
  readonly model: string;
  readonly rejection: RouteRejection;
  readonly detail: string;
  readonly contextWindow: number;
}

/** What a refusal may have to name. */
interface RefusedBy {
  /** The class of the data, and who says it. */
  readonly inspected: Pick<Inspected, 'dataClass' | 'sources' | 'unread'>;
  /** The policy that the allow-list is of. */
  readonly policy: string;
  /** The terms of the router; undefined where the client named the model. */
  readonly terms: Terms | undefined;
}

/** The reason nearest to an answer is told: the later a check, the closer the model came. */
const PRECEDENCE = [...ROUTE_REJECTIONS.codes].reverse();

/** Says why no model answers. */
export function refuse(
  request: InferenceRequest,
  refused: readonly Refused[],
  { inspected, policy, terms }: RefusedBy,
): never {
  const closest = PRECEDENCE.flatMap(
    (code) => refused.find(({ rejection }) => rejection === code) ?? [],
  )[0];
  const model = closest?.model ?? request.model;
  const param = 'model';
  switch (closest?.rejection) {
    case 'not_allowed':
      return fail('model_not_allowed', { values: { model, policy }, param });
    case 'data_route_forbidden': {
      const dataClass = classInWords(inspected);
      const reason = `the data is of class ${dataClass} and ${closest.detail}`;
      return fail('data_route_forbidden', { values: { reason }, param });
    }
    case 'context_too_long': {
      const tokens = windowTokensAbout(request.size, { imageTokensMax: 0 });
      const values = { tokens, limit: closest.contextWindow };
      return fail('context_length_exceeded', { values, param: 'messages' });
    }
    case 'no_price':
      return fail('model_without_price', { values: { model }, param });
    case 'unhealthy':
      return fail('upstream_unavailable', { values: { model }, retryAfterMs: 5_000 });
    case 'other_operation':
    case 'capability_missing':
    case undefined: {
      const capabilities = closest?.detail ?? request.needs.join(', ');
      return fail('capability_unsupported', { values: { capabilities }, param });
    }
    default: {
      const { contractKey, contractVersion } = terms ?? { contractKey: '', contractVersion: 0 };
      const reasons = refused.slice(0, REASONS_MAX).map((one) => `${one.model}: ${one.detail}`);
      const values = {
        contract: contractKey,
        version: contractVersion,
        reasons: reasons.join('; '),
      };
      return fail('cannot_route', { values, param });
    }
  }
}

/** A refusal names so many models; the receipt of a decision names all. */
const REASONS_MAX = 5;
