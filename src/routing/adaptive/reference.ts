import { fieldTable, flag, integer, object } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { OUTCOMES_MIN, PRIOR_OUTCOMES, USAGE_EVIDENCE } from '../decision/estimate.rules.js';
import { LIMITS } from '../decision/gates.rules.js';
import {
  EXPECTED_OUTPUT_TOKENS,
  EXPLORATION_BARS,
  EXPLORATION_BASIS_POINTS_MAX,
  KILL_SWITCH_STATES,
  NONE_PASSES,
  ROUTE_REJECTIONS,
  ROUTING_HARD_RULES,
  ROUTING_MODES,
  ROUTING_STAGES,
  ROUTING_VERDICTS,
  SCORECARD_SOURCES,
} from '../decision/vocabulary.js';
import { OUTCOME_DAYS, OUTCOMES } from './outcomes-journal.js';
import {
  ADAPTIVE_PORTFOLIO_VERDICTS,
  ADAPTIVE_ROADMAP,
  CANDIDATES_MAX,
  COMMERCIAL_INFLUENCES,
  CONTRACTS_MAX,
  FROZEN_HOURS,
  OUTCOME_SOURCES,
} from './vocabulary.js';

const WEIGHTS = fieldTable('RoutingModeWeights', 'What a utility is made of, out of 100.', {
  quality: integer('The weight of the quality.'),
  cost: integer('The weight of the lowest cost divided by the own one.'),
  latency: integer('The weight of the lowest latency divided by the own one.'),
});
const MODE = fieldTable('RoutingModeRow', 'How a router weighs its candidates.', {
  weights: object(WEIGHTS, 'The weights of the utility.'),
});
const GATE = fieldTable('RoutingHardGate', 'Why a model is not weighed at all.', {
  isLimit: flag('Whether it is a limit of the terms: a fallback may lie beyond it.'),
});

const WEIGHED_FROM = ROUTE_REJECTIONS.codes.indexOf('margin_below_floor');
const HARD_GATES = ROUTE_REJECTIONS.rows
  .slice(0, WEIGHED_FROM)
  .map((row) => ({ ...row, isLimit: LIMITS.includes(row.code) }));

publishReference({
  module: 'adaptive-routing',
  type: 'AdaptiveRoutingReference',
  description: 'What routes are decided by: each list is the one that the router reads.',
  lists: {
    modes: rows('mode', ROUTING_MODES.rows, MODE),
    stages: codes('stage', ROUTING_STAGES),
    hardGates: rows('hard_gate', HARD_GATES, GATE),
    rejections: codes('rejection', ROUTE_REJECTIONS),
    explorationForbidden: codes('exploration_forbidden', EXPLORATION_BARS),
    killSwitchStates: codes('kill_switch_state', KILL_SWITCH_STATES),
    hardRules: codes('hard_rule', ROUTING_HARD_RULES),
    verdicts: codes('verdict', ROUTING_VERDICTS),
    nonePasses: codes('none_passes', NONE_PASSES),
    qualitySources: codes('quality_source', SCORECARD_SOURCES),
    outcomes: codes('outcome', OUTCOMES),
    outcomeSources: codes('outcome_source', OUTCOME_SOURCES),
    portfolioVerdicts: codes('portfolio_verdict', ADAPTIVE_PORTFOLIO_VERDICTS),
    commercialInfluences: codes('commercial_influence', COMMERCIAL_INFLUENCES),
    roadmap: codes('roadmap_item', ADAPTIVE_ROADMAP),
  },
  figures: {
    fields: {
      explorationBasisPointsMax: integer('The most of 10,000 requests that may explore.'),
      expectedOutputTokens: integer('Answer tokens that are expected where none are stated.'),
      outcomeDays: integer('Outcomes count for so many days.'),
      priorOutcomes: integer('A known quality counts beside outcomes as much as so many of them.'),
      outcomesMin: integer('From so many outcomes on they alone are the source of a quality.'),
      usageHours: integer('Latency and failures of live requests count for so many hours.'),
      usageRequestsMin: integer('They count from so many requests to a model on.'),
      frozenHours: integer('A frozen router stays with what answered most in so many hours.'),
      candidatesMax: integer('The most candidates of one what-if.'),
      contractsMax: integer('The most routing contracts of an organization.'),
    },
    values: {
      explorationBasisPointsMax: EXPLORATION_BASIS_POINTS_MAX,
      expectedOutputTokens: EXPECTED_OUTPUT_TOKENS,
      outcomeDays: OUTCOME_DAYS,
      priorOutcomes: PRIOR_OUTCOMES,
      outcomesMin: OUTCOMES_MIN,
      usageHours: USAGE_EVIDENCE.hours,
      usageRequestsMin: USAGE_EVIDENCE.requestsMin,
      frozenHours: FROZEN_HOURS,
      candidatesMax: CANDIDATES_MAX,
      contractsMax: CONTRACTS_MAX,
    },
  },
});
