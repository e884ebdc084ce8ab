import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/**
 * What a health score is made of: at `best` or below a term gives its whole weight, at `worst` or
 * above nothing, and in between a share of it.
 */
export const HEALTH_TERMS = vocabulary('HealthTerm', 'A term of the health score.', [
  {
    code: 'error_rate',
    description:
      'The share of requests that failed by no fault of their client, of those that no cache ' +
      'answered.',
    weight: 40,
    best: 0,
    worst: 0.05,
  },
  {
    code: 'latency_ms_p95',
    description: 'What 19 of 20 answers took at most, in milliseconds.',
    weight: 20,
    best: 5_000,
    worst: 60_000,
  },
  {
    code: 'first_token_ms_p95',
    description: 'Within what 19 of 20 first tokens came, in milliseconds.',
    weight: 15,
    best: 1_000,
    worst: 15_000,
  },
  {
    code: 'refusal_rate',
    description: 'The share of answers that the provider cut off as content.',
    weight: 10,
    best: 0,
    worst: 0.05,
  },
  {
    code: 'retry_rate',
    description:
      'The share of attempts that repeat an earlier one of their request. Requests without an ' +
      'attempt, as those of a cache, have no part in it.',
    weight: 10,
    best: 0,
    worst: 0.5,
  },
  {
    code: 'overhead_ms',
    description: 'What the gateway itself adds on average, in milliseconds.',
    weight: 5,
    best: 5,
    worst: 100,
  },
]);

/** What a health score says. */
export const HEALTH_VERDICTS = vocabulary('HealthVerdict', 'What a health score says.', [
  { code: 'healthy', description: 'The score is 90 or above.', scoreMin: 90 },
  { code: 'degraded', description: 'The score is from 70 to 90.', scoreMin: 70 },
  { code: 'unhealthy', description: 'The score is below 70.', scoreMin: 0 },
  {
    code: 'cannot_score',
    description: 'Too few requests of clients are in the window.',
    scoreMin: null,
  },
]);

/** A verdict of the health score. */
export type HealthVerdict = CodeOf<typeof HEALTH_VERDICTS>;

/** Fewer requests than this have no health score. */
export const SCORED_REQUESTS_MIN = 20;

/** The most features that a summary names. */
export const COSTLY_FEATURES_MAX = 5;

/** How two windows are compared. */
export const DRIFT_STATISTICS = vocabulary('DriftStatistic', 'How two windows are compared.', [
  {
    code: 'psi',
    description:
      'Population stability index: the sum of (p − q) · ln(p / q) over bins, each of them ' +
      'smoothed by half a request.',
  },
  {
    code: 'two_proportion_z',
    description: 'The two-proportion z statistic with a pooled share, without its sign.',
  },
]);

const PSI = { statistic: 'psi', moderateAt: 0.1, driftAt: 0.25, requestsMin: 500 } as const;
const Z = {
  statistic: 'two_proportion_z',
  moderateAt: 1.96,
  driftAt: 3.29,
  requestsMin: 100,
} as const;

/**
 * What is compared, by which statistic and against which thresholds. Those of the index are the
 * usual ones of scorecards (N. Siddiqi, Credit Risk Scorecards, 2006); with ten bins and 500
 * requests on either side chance alone stays below them.
 */
export const DRIFT_RULES = vocabulary('DriftRule', 'What is compared between two windows.', [
  { code: 'model_mix', description: 'Which models answered.', ...PSI },
  { code: 'latency', description: 'How long answers took, in tenths of the baseline.', ...PSI },
  { code: 'input_tokens', description: 'Tokens in, in tenths of the baseline.', ...PSI },
  { code: 'output_tokens', description: 'Tokens out, in tenths of the baseline.', ...PSI },
  { code: 'error_rate', description: 'The share of requests that failed.', ...Z },
  { code: 'refusal_rate', description: 'The share of answers cut off as content.', ...Z },
]);

/** A drift rule. */
export type DriftRule = CodeOf<typeof DRIFT_RULES>;

/** What a comparison of two windows says. */
export const DRIFT_VERDICTS = vocabulary('DriftVerdict', 'What a comparison says.', [
  { code: 'cannot_compare', description: 'Too few requests are in one of the windows.' },
  { code: 'stable', description: 'The statistic is below its first threshold.' },
  { code: 'moderate', description: 'It is at or above the first threshold: worth a look.' },
  { code: 'drift', description: 'It is at or above the second threshold.' },
]);

/** A verdict of drift; the later in the list, the worse. */
export type DriftVerdict = CodeOf<typeof DRIFT_VERDICTS>;

/** The window of drift and what it is compared with, in days, where a caller states none. */
export const DRIFT_DAYS = { window: 7, baseline: 28 } as const;

/** What is worth doing about a feature's prompts. */
export const CACHE_ADVICE = vocabulary('CacheAdvice', 'What is worth doing about prompts.', [
  {
    code: 'cannot_recommend',
    description: 'Too few requests of the feature carry a fingerprint.',
  },
  {
    code: 'enable_exact_cache',
    description: 'Prompts recur within a day, and none is answered from the response cache.',
  },
  {
    code: 'widen_exact_cache',
    description: 'The response cache answers some prompts; others recur within a day beside it.',
  },
  {
    code: 'keep_as_is',
    description: 'The response cache answers what recurs.',
  },
  {
    code: 'stabilize_prefix',
    description: 'Prompts are long and differ; one common beginning would be cached by providers.',
  },
  { code: 'not_worth_it', description: 'Prompts hardly recur, and they are short.' },
]);

/** What is worth doing about a feature's prompts. */
export type CacheAdviceCode = CodeOf<typeof CACHE_ADVICE>;

/** By what advice on caches is decided. */
export const CACHE_BOUNDS = {
  /** Fewer requests with a fingerprint than this say nothing. */
  requestsMin: 50,
  /** Prompts recur from this share on. */
  repeatShareMin: 0.1,
  /** Prompts are long from so many tokens on. */
  longTokensMin: 1_024,
  /** Below this share of tokens the cache of providers does little. */
  providerShareMin: 0.2,
} as const;

/** The most features that cacheability tells apart. */
export const CACHE_FEATURES_MAX = 200;

/** The window of cacheability in days, where a caller states none. */
export const CACHE_DAYS = 7;
