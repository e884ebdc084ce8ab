import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** Shares, qualities and utilities are in basis points: 10,000 are all of it. */
export const BASIS_POINTS = 10_000;

/** What tells how hard a request is; `points` is the least sum of points of `COMPLEXITY_SIGNS`. */
export const COMPLEXITIES = vocabulary('RouteComplexity', 'How hard a request is.', [
  {
    code: 'SIMPLE',
    description: 'Short and plain, such as sorting, extracting or a brief reply.',
    points: 0,
    qualityFloorBasisPoints: 5_500,
  },
  {
    code: 'STANDARD',
    description: 'Everyday work, such as a summary or a letter.',
    points: 2,
    qualityFloorBasisPoints: 6_500,
  },
  {
    code: 'COMPLEX',
    description: 'Long, or of several demands at once, such as tools and a strict form.',
    points: 4,
    qualityFloorBasisPoints: 7_500,
  },
  {
    code: 'EXPERT',
    description: 'Very long, or it asks for reasoning beside other demands.',
    points: 6,
    qualityFloorBasisPoints: 8_500,
  },
]);

/** How hard a request is. */
export type Complexity = CodeOf<typeof COMPLEXITIES>;

/**
 * How a router weighs what it may choose among. Weights are of the utility, out of 100: quality,
 * cheapness (the lowest cost divided by this one), speed (the lowest latency divided by this one).
 */
export const ROUTING_MODES = vocabulary('RoutingMode', 'How a router weighs its candidates.', [
  {
    code: 'FIXED',
    description: 'Only the pinned model answers, also beyond limits of quality, cost and latency.',
    weights: { quality: 100, cost: 0, latency: 0 },
  },
  {
    code: 'BALANCED',
    description: 'Quality 40, cost 40 and latency 20 of 100.',
    weights: { quality: 40, cost: 40, latency: 20 },
  },
  {
    code: 'QUALITY_FIRST',
    description: 'The best quality; cost decides only between equals.',
    weights: { quality: 100, cost: 0, latency: 0 },
  },
  {
    code: 'COST_CONTROLLED',
    description: 'The cheapest that passes every gate.',
    weights: { quality: 0, cost: 100, latency: 0 },
  },
  {
    code: 'ASSURED',
    description:
      'Only measured quality counts, and of its interval the lower end. Where no model that is ' +
      'able has been measured, the request is refused unless the terms say otherwise.',
    weights: { quality: 100, cost: 0, latency: 0 },
  },
  {
    code: 'BATCH',
    description: 'Nobody waits: the cheapest that passes, however long it takes.',
    weights: { quality: 0, cost: 100, latency: 0 },
  },
]);

/** How a router weighs its candidates. */
export type RoutingMode = CodeOf<typeof ROUTING_MODES>;

/** Where an estimate of quality comes from, the strongest first. */
export const SCORECARD_SOURCES = vocabulary(
  'ScorecardSource',
  'Where the quality of a scorecard comes from, the strongest first.',
  [
    {
      code: 'EVALUATION',
      description: 'Measured by an evaluation that the gateway has run.',
      isMeasured: true,
    },
    {
      code: 'OUTCOMES',
      description: 'Measured by recorded outcomes of requests that the model has answered.',
      isMeasured: true,
    },
    { code: 'DECLARED', description: 'Stated by the organization itself.', isMeasured: false },
    {
      code: 'NOMINAL',
      description: 'From the quality tiers that the catalogue declares.',
      isMeasured: false,
    },
  ],
);

/** Where an estimate of quality comes from. */
export type ScorecardSource = CodeOf<typeof SCORECARD_SOURCES>;

/** Why a model was not chosen, in the order in which it is checked. */
export const ROUTE_REJECTIONS = vocabulary('RouteRejection', 'Why a model was not chosen.', [
  { code: 'other_operation', description: 'It serves another operation.' },
  { code: 'not_allowed', description: 'It is not on the allow-list of the policy.' },
  {
    code: 'kept_out_by_budget',
    description: 'It is premium, and a budget stands on the step restrict_premium of its ladder.',
  },
  { code: 'not_in_contract', description: 'It is not on the allow-lists of the contract.' },
  { code: 'data_route_forbidden', description: 'Its route takes the data where it may not go.' },
  { code: 'capability_missing', description: 'It lacks something that the request uses.' },
  { code: 'context_too_long', description: 'The request is longer than its window.' },
  { code: 'no_price', description: 'It has no price for all that the request may use.' },
  { code: 'unhealthy', description: 'It fails at the moment, so that it is not called.' },
  { code: 'simulated', description: 'Its answers are made up, and a real model can answer.' },
  { code: 'not_measured', description: 'Its quality is not measured, as the mode insists.' },
  { code: 'quality_below_floor', description: 'Its quality lies below the floor.' },
  { code: 'latency_above_limit', description: 'It is expected to take longer than is allowed.' },
  { code: 'cost_above_limit', description: 'It is expected to cost more than is allowed.' },
  { code: 'not_pinned', description: 'The router is pinned to another model.' },
  { code: 'margin_below_floor', description: 'It would leave less margin than is demanded.' },
  {
    code: 'passed_over',
    description: 'It passes and is worth more; another one was tried, or the present one stays.',
  },
  { code: 'lower_utility', description: 'It passes, and another one is worth more.' },
]);

/** Why a model was not chosen. */
export type RouteRejection = CodeOf<typeof ROUTE_REJECTIONS>;

/** The stages of a decision, in their order. */
export const ROUTING_STAGES = vocabulary('RoutingStage', 'A stage of a routing decision.', [
  { code: 'HARD_GATES', description: 'Takes out what may not or cannot answer.' },
  { code: 'UTILITY', description: 'Orders what is left by quality, list price and latency.' },
  {
    code: 'MARGIN_FIREWALL',
    description: 'Takes out what leaves too little margin; reorders none.',
  },
  { code: 'EXPLORATION', description: 'Tries another model, seldom and where nothing forbids it.' },
  {
    code: 'HYSTERESIS',
    description: 'Stays with the present model unless another is clearly better.',
  },
]);

/** A stage of a decision. */
export type RoutingStage = CodeOf<typeof ROUTING_STAGES>;

/** How a decision ended. */
export const ROUTING_VERDICTS = vocabulary('RoutingVerdict', 'How a routing decision ended.', [
  { code: 'ROUTED', description: 'A model passes every gate and was chosen.' },
  {
    code: 'FALLBACK',
    description: 'None passes the limits of quality, latency and cost; the next best one answers.',
  },
  { code: 'CANNOT_ROUTE', description: 'No model may answer.' },
]);

/** How a decision ended. */
export type RoutingVerdict = CodeOf<typeof ROUTING_VERDICTS>;

/** Where exploration is forbidden, whatever a contract says. */
export const EXPLORATION_BARS = vocabulary(
  'ExplorationBar',
  'Where exploration is forbidden, whatever a contract says.',
  [
    { code: 'DATA_CLASS', description: 'The request holds data of class C3 or C4.' },
    { code: 'TOOLS', description: 'The request may call tools, which can act on the world.' },
    { code: 'MODE', description: 'The mode is FIXED or ASSURED.' },
    { code: 'COMPLEXITY', description: 'The request is of the complexity EXPERT.' },
    { code: 'KILL_SWITCH', description: 'The kill switch is in another state than ACTIVE.' },
    { code: 'NO_OUTCOMES', description: 'Nobody reports outcomes, so nothing would be learnt.' },
    {
      code: 'BUDGET',
      description: 'A budget stands on the step disable_exploration of its ladder.',
    },
    { code: 'NOT_ASKED', description: 'The contract asks for none.' },
  ],
);

/** Why nothing was explored. */
export type ExplorationBar = CodeOf<typeof EXPLORATION_BARS>;

/** The states of the kill switch of a router. */
export const KILL_SWITCH_STATES = vocabulary(
  'RouterKillSwitchState',
  'What the kill switch of a router lets it do.',
  [
    { code: 'ACTIVE', description: 'The router works as its contract says.' },
    { code: 'EXPLORATION_OFF', description: 'As ACTIVE, but nothing is explored.' },
    {
      code: 'PINNED',
      description: 'Only the model that the switch names answers, also beyond the limits.',
    },
    {
      code: 'FROZEN',
      description: 'The present model stays as long as it passes; nothing is explored.',
    },
    {
      code: 'ROLLED_BACK',
      description: 'The version before the latest is in force; nothing is explored.',
    },
  ],
);

/** What happens where no model passes the limits. */
export const NONE_PASSES = vocabulary('NonePasses', 'What happens where no model passes.', [
  { code: 'NEXT_BEST', description: 'The fallback model answers, else the best of those able to.' },
  { code: 'REFUSE', description: 'The request is refused.' },
]);

/** Where the terms of a decision come from. */
export const TERMS_ORIGINS = vocabulary('RoutingTermsOrigin', 'Where routing terms come from.', [
  { code: 'DEFAULT', description: 'The published terms of a router without a contract.' },
  { code: 'ROUTE_POLICY', description: 'A route policy of the organization.' },
  { code: 'CONTRACT', description: 'A routing contract of the organization.' },
  { code: 'DECLARED', description: 'Stated by the caller for this question alone.' },
]);

/** How candidates of equal utility or quality are ordered. */
export const TIE_ORDERS = vocabulary('RoutingTieOrder', 'How equal candidates are ordered.', [
  {
    code: 'RUSSIA_FIRST',
    description: 'A model that processes data in Russia comes before one that does not.',
  },
]);

/** The rules that no contract can move. */
export const ROUTING_HARD_RULES = vocabulary('RoutingHardRule', 'A rule that no contract moves.', [
  { code: 'gates_before_utility', description: 'What fails a gate is never weighed.' },
  {
    code: 'personal_data_stays',
    description: 'Data of class C3 or C4 never takes a route outside Russia.',
  },
  {
    code: 'russia_first',
    description: 'Of equal candidates, one that processes data in Russia is chosen.',
  },
  {
    code: 'no_commercial_influence',
    description: 'Margins and commercial terms never enter utility and reorder nothing.',
  },
  {
    code: 'exploration_bounded',
    description: 'At most a tenth of requests explore, within limits.',
  },
  { code: 'same_inputs_same_decision', description: 'Equal inputs give equal decisions anywhere.' },
  { code: 'sealed_once', description: 'A request is decided and sealed once.' },
  { code: 'kill_switch_at_once', description: 'The kill switch holds for the next decision.' },
  { code: 'empty_window_refuses', description: 'Without outcomes no rate is certified.' },
  {
    code: 'assured_needs_evidence',
    description:
      'ASSURED answers with a model that nothing was measured of only where terms say so.',
  },
  { code: 'versions_only_grow', description: 'A published version of a contract never changes.' },
]);

/** The most of its requests that a contract may explore with, in basis points. */
export const EXPLORATION_BASIS_POINTS_MAX = 1_000;
/** Answer tokens that are expected where a request states no limit. */
export const EXPECTED_OUTPUT_TOKENS = 1_000;
