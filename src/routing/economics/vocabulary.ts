import { vocabulary } from '../../kernel/vocabulary.js';
import { OUTCOMES_MIN } from '../decision/estimate.rules.js';
import type { RoutingMode } from '../decision/vocabulary.js';

/** What a route policy seeks; each objective is a mode of the one router. */
export const OBJECTIVES = vocabulary(
  'RouteObjective',
  'What a route policy seeks among the models that pass.',
  [
    {
      code: 'LOWEST_COST',
      description: 'The cheapest that passes.',
      mode: 'COST_CONTROLLED' as RoutingMode,
    },
    {
      code: 'BALANCED',
      description: 'The best of quality 40, cost 40 and latency 20 of 100.',
      mode: 'BALANCED' as RoutingMode,
    },
    {
      code: 'HIGHEST_QUALITY',
      description: 'The best quality that passes.',
      mode: 'QUALITY_FIRST' as RoutingMode,
    },
    {
      code: 'BATCH',
      description: 'The cheapest that passes, however long it takes.',
      mode: 'BATCH' as RoutingMode,
    },
  ],
);

/** What the economics of routing never do, whatever a policy says. */
export const ECONOMICS_RULES = vocabulary(
  'RouteEconomicsRule',
  'What the economics of routing never do, whatever a policy says.',
  [
    {
      code: 'gates_before_price',
      description: 'The cheapest is sought only among models that pass every gate.',
    },
    {
      code: 'every_rejection_has_a_reason',
      description: 'Each model that does not answer carries one published reason.',
    },
    {
      code: 'data_class_opens_routes',
      description: 'Class of the data and policy decide where it may go, as on the chat path.',
    },
    {
      code: 'simulation_writes_nothing',
      description: 'A simulated decision leaves no row behind.',
    },
    {
      code: 'decided_once',
      description: 'A request is decided and sealed once; who asks again gets the same receipt.',
    },
    {
      code: 'receipt_decides_again',
      description: 'A receipt holds all that its decision follows from, and gives it again.',
    },
    {
      code: 'measured_is_never_stated',
      description: 'EVALUATION and OUTCOMES are computed here; a stated figure is refused.',
    },
    {
      code: 'simulated_is_no_evidence',
      description: 'Answers of simulated models prove no quality and save no cost.',
    },
    {
      code: 'too_few_answers_refuse',
      description: 'Below the published least number of answers nothing is certified.',
    },
    {
      code: 'portfolio_is_what_was_used',
      description: 'Savings are of requests that were answered and charged, never of projections.',
    },
    { code: 'versions_only_grow', description: 'A published version never changes.' },
  ],
);

/** How the cost that a decision reckons with is made. */
export const COST_RULES = vocabulary(
  'RouteCostRule',
  'How the cost that a decision reckons with is made.',
  [
    { code: 'list_price', description: 'By the list price of the deployment on that day.' },
    { code: 'input', description: 'Its text tokens, and each image at the most it can cost.' },
    {
      code: 'output',
      description: 'The answer as long as it may be, or as is expected where nothing limits it.',
    },
    { code: 'rounding', description: 'Rounded up to a millionth of a ruble.' },
    {
      code: 'baseline',
      description: 'Savings are against the best quality that could answer; of equals the dearest.',
    },
    {
      code: 'portfolio',
      description: 'Afterwards: the tokens that were billed, at the list prices of the baseline.',
    },
  ],
);

/** What a portfolio can say. */
export const PORTFOLIO_VERDICTS = vocabulary(
  'RoutingPortfolioVerdict',
  'Whether a portfolio of decisions could be measured.',
  [
    { code: 'measured', description: 'Real models have answered decided requests in the window.' },
    { code: 'cannot_certify', description: 'None has, so nothing was saved or avoided.' },
  ],
);

/** Days of usage that a scorecard of outcomes is measured on. */
export const MEASURED_DAYS = 30;
/** Answers of those days that are counted at most, the newest. */
export const MEASURED_ANSWERS_MAX = 10_000;
/** The least number of answers that a measured quality rests on, by its source. */
export const ANSWERS_MIN = { OUTCOMES: OUTCOMES_MIN, EVALUATION: 20 } as const;
/** Use cases that a portfolio tells apart, those that spent most first. */
export const PORTFOLIO_USE_CASES_MAX = 100;
