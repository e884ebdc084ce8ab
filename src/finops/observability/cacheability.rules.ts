import { CACHE_BOUNDS, type CacheAdviceCode } from './vocabulary.js';

/** What is recorded of the answered chat requests of a feature. */
export interface CacheFacts {
  readonly requests: number;
  /** Those that the response cache answered. */
  readonly hits: number;
  /** Those that carry a fingerprint of their prompt. */
  readonly fingerprinted: number;
  /** Those among them that a provider answered although an equal one had come within a day. */
  readonly repeats: number;
  readonly inputTokens: number;
  /** Tokens in that the cache of a provider had. */
  readonly cachedInputTokens: number;
}

/** What is worth doing, from what recurs and how long prompts are. */
export function cacheAdvice(facts: CacheFacts): CacheAdviceCode {
  const { requests, hits, fingerprinted, repeats, inputTokens, cachedInputTokens } = facts;
  const { requestsMin, repeatShareMin, longTokensMin, providerShareMin } = CACHE_BOUNDS;
  if (fingerprinted < requestsMin) return 'cannot_recommend';
  if (repeats / fingerprinted >= repeatShareMin) {
    return hits > 0 ? 'widen_exact_cache' : 'enable_exact_cache';
  }
  if (hits / requests >= repeatShareMin) return 'keep_as_is';
  const isLong = inputTokens / requests >= longTokensMin;
  const isServed = cachedInputTokens / inputTokens >= providerShareMin;
  return isLong && !isServed ? 'stabilize_prefix' : 'not_worth_it';
}
