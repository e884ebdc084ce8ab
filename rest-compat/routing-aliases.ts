import type { AliasTable, TypeAliases } from './alias-table.js';

const ROUTE_QUESTION: TypeAliases = {
  names: { feature: 'use_case', policy: 'policy_key', max_tokens: 'output_tokens_max' },
};

/** What contracts of the adaptive router say, and the terms of its what-if. */
const TERMS: TypeAliases = {
  names: {
    min_quality_basis_points: 'quality_floor_basis_points',
    max_cost: 'cost_rub_max',
    max_cost_rub: 'cost_rub_max',
    max_latency: 'latency_ms_max',
    max_latency_ms: 'latency_ms_max',
    allow_list: 'models_allowed',
    allow_lists: 'models_allowed',
    allow_models: 'models_allowed',
    allowed_models: 'models_allowed',
    allow_providers: 'providers_allowed',
    allowed_providers: 'providers_allowed',
    fallback: 'fallback_model',
    revenue: 'revenue_rub',
  },
  shares: {
    quality_floor: 'quality_floor_basis_points',
    min_quality: 'quality_floor_basis_points',
    margin: 'margin_basis_points_min',
    margin_min: 'margin_basis_points_min',
    min_margin: 'margin_basis_points_min',
    exploration: 'exploration_basis_points',
    exploration_rate: 'exploration_basis_points',
    hysteresis: 'hysteresis_basis_points',
  },
  values: { exploration_basis_points: [[false, 0]] },
};

const ORIGIN: TypeAliases = {
  names: {
    parser: 'parser_version',
    tenant: 'tenant_id',
    policy: 'policy_version',
    encryption: 'encryption_key',
  },
};

/** The chat wire has a word for the effort of reasoning, and none for its tokens. */
const NO_REASONING_TOKENS =
  'has no place in a chat request: state reasoning_effort_max and output_tokens_max.';

/** Of routes and workloads. */
export const ROUTING_ALIASES: AliasTable = {
  RoutePolicyInput: {
    names: {
      allow_list: 'models_allowed',
      allowed_models: 'models_allowed',
      fallback: 'fallback_model',
      max_cost: 'cost_rub_max',
      max_cost_rub: 'cost_rub_max',
      max_latency: 'latency_ms_max',
      max_latency_ms: 'latency_ms_max',
      min_quality_basis_points: 'quality_floor_basis_points',
      use_case: 'policy_key',
    },
    shares: {
      min_quality: 'quality_floor_basis_points',
      quality_floor: 'quality_floor_basis_points',
    },
    values: {
      objective: [
        ['cost', 'LOWEST_COST'],
        ['quality', 'HIGHEST_QUALITY'],
      ],
    },
  },
  ModelScorecardInput: {
    names: {
      feature: 'use_case',
      cost: 'cost_rub',
      latency: 'latency_ms',
      evaluation: 'evaluation_receipt_id',
    },
    shares: { quality: 'quality_basis_points' },
  },
  RouteSimulateInput: ROUTE_QUESTION,
  RouteDecideInput: ROUTE_QUESTION,
  RoutingContractInput: { ...TERMS, names: { ...TERMS.names, use_case: 'contract_key' } },
  AdaptiveRouteTermsInput: TERMS,
  AdaptiveRouteDecideInput: { names: { revenue: 'revenue_rub' } },
  RouterKillSwitchInput: { names: { scope: 'scope_key' } },
  RoutingOutcomeInput: {
    names: {
      accepted: 'outcome',
      cost: 'cost_rub',
      latency: 'latency_ms',
      feature: 'use_case',
    },
    values: {
      outcome: [
        [true, 'accepted'],
        [false, 'rejected'],
      ],
    },
  },
  ContextCompileInput: {
    names: {
      window: 'window_tokens',
      budget: 'window_tokens',
      token_budget: 'window_tokens',
      component_budgets: 'budgets',
      components: 'budgets',
    },
  },
  ContextBudgetInput: {
    names: { tokens: 'tokens_max', budget: 'tokens_max', token_budget: 'tokens_max' },
    byKey: { key: 'component', bare: 'tokens_max' },
  },
  ContextPieceInput: { names: { id: 'item_id', name: 'item_id' } },
  CachePlanInput: { names: { tenant: 'tenant_id' } },
  RetrievalPlanInput: {
    names: { budget: 'tokens_max', token_budget: 'tokens_max', evidence: 'needs' },
  },
  RetrievalCandidateInput: { names: { id: 'passage_id' } },
  OutputPlanInput: {
    names: {
      enum: 'enum_values',
      schema: 'json_schema',
      max_tokens: 'model_tokens_max',
      stop_sequences: 'stop',
    },
  },
  WorkloadContractInput: {
    names: {
      use_case: 'contract_key',
      workload: 'contract_key',
      max_tokens: 'output_tokens_max',
      max_output_tokens: 'output_tokens_max',
      output_ceiling: 'output_tokens_max',
      reasoning_effort: 'reasoning_effort_max',
      cache_scope: 'exact_cache_scope',
      cache_seconds: 'exact_cache_seconds',
    },
    refused: {
      reasoning_tokens_max: NO_REASONING_TOKENS,
      reasoning_tokens: NO_REASONING_TOKENS,
    },
  },
  DocumentOriginInput: ORIGIN,
  StoredOriginInput: ORIGIN,
};
