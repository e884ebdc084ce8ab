import { MICRO_PER_RUB } from '../../kernel/money.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/**
 * What a cost is made of. `unit` is what is counted; `unitPriceMicro` is what the gateway charges
 * for one beside tokens, null where the price row of the model decides.
 */
export const COST_DIMENSIONS = vocabulary('CostDimension', 'A part of a cost.', [
  {
    code: 'input_tokens',
    description: 'Prompt tokens, at the price row of the model that answers.',
    unit: 'token',
    unitPriceMicro: null,
  },
  {
    code: 'cached_tokens',
    description: 'Prompt tokens from or into a cache of the provider, at their own prices.',
    unit: 'token',
    unitPriceMicro: null,
  },
  {
    code: 'output_tokens',
    description: 'Answer and reasoning tokens, at the price row of the model that answers.',
    unit: 'token',
    unitPriceMicro: null,
  },
  {
    code: 'tools',
    description: 'Tool calls: the gateway charges nothing; what they cost elsewhere is declared.',
    unit: 'call',
    unitPriceMicro: 0n,
  },
  {
    code: 'retries',
    description: 'Attempts after a failure: a failed attempt is not charged.',
    unit: 'attempt',
    unitPriceMicro: 0n,
  },
  {
    code: 'fallback',
    description: 'Answers of a model that stood in: its own tokens are charged, and no more.',
    unit: 'answer',
    unitPriceMicro: 0n,
  },
  {
    code: 'markup',
    description: 'What a reseller adds: the prices of the gateway hold theirs; more is declared.',
    unit: 'cost',
    unitPriceMicro: 0n,
  },
]);

/** A part of a cost. */
export type CostDimension = CodeOf<typeof COST_DIMENSIONS>;

/** What a forecast warns of. */
export const RISK_FLAGS = vocabulary('ForecastRisk', 'What a forecast warns of.', [
  {
    code: 'over_budget',
    description: 'The worst case passes what a budget of its scope has left.',
  },
  { code: 'near_budget', description: 'The base case takes 80 % of what a budget has left.' },
  { code: 'over_limit', description: 'The worst case is above the limit for runs unapproved.' },
  { code: 'wide_interval', description: 'The worst case is more than three times the base case.' },
  { code: 'no_history', description: 'The cost of a unit comes from no recorded requests.' },
  {
    code: 'few_requests',
    description:
      'The cost of a unit comes from fewer than 30 recorded requests, so the interval is wider.',
  },
  {
    code: 'unknown_model',
    description:
      'Nothing says which model the run asks: the cost of a unit is the mean over all of them.',
  },
  {
    code: 'price_unknown',
    description: 'A price row of the run has no price for what is used; the base leaves it out.',
  },
]);

/** A warning of a forecast. */
export type RiskFlag = CodeOf<typeof RISK_FLAGS>;

/** Quantiles of the standard normal distribution: of 10 % and of 95 %. */
export const QUANTILES = { optimistic: -1.281552, worst: 1.644854 } as const;
/** Fewer recorded requests than this widen the interval, since they may not be typical. */
export const RECORDED_ENOUGH = 30;
/** Student's quantile of 95 % by degrees of freedom, from 1 on: far above 1.64 for few. */
export const STUDENT_95 = [
  6.314, 2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761,
  1.753, 1.746, 1.74, 1.734, 1.729, 1.725, 1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701,
] as const;
/** Recorded cost is taken from so many days. */
export const RECORDED_DAYS = 30;
/** The spread of a unit's cost where nothing was recorded: standard deviation by mean. */
export const VARIATION_DEFAULT = 0.5;
/** The widest spread for which the quantiles stay in order. */
export const VARIATION_MAX = 3;
/** Tokens of a unit where nothing is stated. */
export const TOKENS_DEFAULT = { input: 1_000, output: 500 } as const;
/** Runs above it need an approval unless another limit is stated. */
export const APPROVAL_MICRO_DEFAULT = 10_000n * MICRO_PER_RUB;
/** The most money that a field takes: a billion rubles. */
export const MICRO_MAX = 1_000_000_000n * MICRO_PER_RUB;
