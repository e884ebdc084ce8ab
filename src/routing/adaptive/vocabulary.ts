import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** Whether money that a request earns has moved a decision. */
export const COMMERCIAL_INFLUENCES = vocabulary(
  'CommercialInfluence',
  'Whether what a request earns has moved a decision; it is looked for in each answer.',
  [
    {
      code: 'none',
      description: 'Made again without revenue and margin, every utility and rank is the same.',
    },
    {
      code: 'found',
      description: 'A utility or a rank came out differently, which is a fault of the router.',
    },
  ],
);

/** Whether money has moved a decision. */
export type CommercialInfluence = CodeOf<typeof COMMERCIAL_INFLUENCES>;

/** Where an outcome takes its figures from. */
export const OUTCOME_SOURCES = vocabulary(
  'RoutingOutcomeSource',
  'What an outcome is the outcome of.',
  [
    {
      code: 'usage',
      description: 'A request that the gateway answered; its figures are recorded.',
    },
    {
      code: 'receipt',
      description: 'A sealed decision that somebody else carried out; its figures are stated.',
    },
  ],
);

/** Whether a portfolio could be measured. */
export const ADAPTIVE_PORTFOLIO_VERDICTS = vocabulary(
  'AdaptivePortfolioVerdict',
  'Whether the acceptance of a portfolio is certified.',
  [
    { code: 'certified', description: 'Computed from the outcomes of the window.' },
    { code: 'cannot_certify', description: 'The window has no outcome that is evidence.' },
  ],
);

/** What adaptive routing does not do yet. */
export const ADAPTIVE_ROADMAP = vocabulary(
  'AdaptiveRoutingRoadmap',
  'What adaptive routing does not do yet.',
  [
    {
      code: 'contextual_bandits',
      description: 'Exploration samples each model by its use case and reads no other feature.',
    },
    {
      code: 'automatic_kill_switch',
      description: 'A fall of the acceptance does not set the kill switch by itself.',
    },
    {
      code: 'shadow_requests',
      description: 'No second model is asked beside the chosen one to compare their answers.',
    },
    {
      code: 'automatic_judging',
      description: 'Outcomes are reported by customers; no model judges the answers of another.',
    },
  ],
);

/** The most candidates of one what-if. */
export const CANDIDATES_MAX = 50;
/** The most routing contracts of an organization. */
export const CONTRACTS_MAX = 1_000;
/** FROZEN stays with what answered most in so many hours. */
export const FROZEN_HOURS = 24;
/** The most use cases that a frozen router keeps apart. */
export const FROZEN_USE_CASES_MAX = 1_000;
/** The most use cases that a portfolio tells apart; those with most outcomes come first. */
export const PORTFOLIO_ROWS_MAX = 200;
