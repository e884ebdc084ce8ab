import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { Deployment, ModelFacts, Registry } from '../../catalog/providers/model.js';
import { priceOn } from '../../catalog/providers/price.js';
import { isOwnName } from '../../routing/aliases/alias.rules.js';
import type { InferenceRequest } from '../request.js';
import {
  OUTPUT_SHARE_MAX,
  SAFETY_SHARE,
  SAFETY_TOKENS,
  TOOLS_SAFETY_TOKENS,
} from './vocabulary.js';

/** What decides which window a context is compiled for. */
export interface WindowQuestion {
  readonly request: Pick<InferenceRequest, 'model' | 'needs'>;
  readonly policy: Pick<EffectivePolicy, 'allowedModels' | 'hybrid'>;
  /** The day whose prices hold, `YYYY-MM-DD`. */
  readonly day: string;
}

/**
 * The deployment for whose window a context is compiled: of a named model its widest one. Where
 * the gateway chooses, the widest that whatever data the request turns out to hold may go to: one
 * that the policy allows, that can do what is asked, has a price, is real and lies in Russia. Each
 * of these is left out where nothing has it, so that routing tells what is missing. Undefined
 * where no model could be meant.
 */
export function windowOf(
  registry: Registry,
  { request, policy, day }: WindowQuestion,
): Deployment | undefined {
  const named = registry.models.get(request.model);
  const all = isOwnName(request.model) ? [...registry.models.values()] : [];
  const models = named ? [named] : all;
  const chats = models.flatMap(({ deployments, operation }) =>
    operation === 'chat' ? deployments : [],
  );
  const wanted: readonly ((each: Deployment) => boolean)[] = [
    ({ id }) => policy.allowedModels?.has(id) ?? true,
    ({ jurisdiction }) => policy.hybrid !== 'rf_only' || jurisdiction === 'rf',
    ({ capabilities }) => request.needs.every((need) => capabilities.includes(need)),
    ({ prices }) => priceOn(prices, day) !== undefined,
    ({ simulated }) => !simulated,
    ({ jurisdiction }) => jurisdiction === 'rf',
  ];
  const left = wanted.reduce((all, has) => {
    const having = all.filter(has);
    return having.length > 0 ? having : all;
  }, chats);
  return left.reduce<Deployment | undefined>(
    (widest, each) => (widest && widest.contextWindow >= each.contextWindow ? widest : each),
    undefined,
  );
}

/**
 * Tokens that are kept free for the answer: what the request and the policy allow of what the model
 * can write. Without a stated limit at most a quarter of the window, since some models may fill it.
 */
export function answerTokens(
  { outputTokensMax }: Pick<InferenceRequest, 'outputTokensMax'>,
  { maxOutputTokens, contextWindow }: Pick<ModelFacts, 'maxOutputTokens' | 'contextWindow'>,
  cap: number | undefined,
): number {
  const own = Math.min(maxOutputTokens, cap ?? maxOutputTokens);
  if (outputTokensMax !== undefined) return Math.min(outputTokensMax, own);
  return Math.min(own, Math.floor(contextWindow * OUTPUT_SHARE_MAX));
}

/** Tokens that nothing is planned for: templates of providers, and encodings that differ. */
export function marginTokens(
  { needs }: Pick<InferenceRequest, 'needs'>,
  { contextWindow }: Pick<ModelFacts, 'contextWindow'>,
): number {
  const tools = needs.includes('tools') ? TOOLS_SAFETY_TOKENS : 0;
  return SAFETY_TOKENS + tools + Math.ceil(contextWindow * SAFETY_SHARE);
}
