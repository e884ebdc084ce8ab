/** What is accepted for an input object beside its own names. All names are wire names. */
export interface TypeAliases {
  /** What a caller may write → the field that it means; `budgets.daily_rub` is one of a field. */
  readonly names?: Readonly<Record<string, string>>;
  /** By field: values that a caller may write, each with the value that it means. */
  readonly values?: Readonly<
    Record<string, readonly (readonly [written: unknown, meant: unknown])[]>
  >;
  /** One bare value in place of the object stands for that value in every field. */
  readonly oneForAll?: boolean;
}

/** Aliases by the name of the input object. */
export type AliasTable = Readonly<Record<string, TypeAliases>>;

const POLICY: TypeAliases = {
  names: {
    allow_list: 'allowed_models',
    models: 'allowed_models',
    daily_rub: 'budgets.daily_rub',
    monthly_rub: 'budgets.monthly_rub',
  },
  values: {
    hybrid: [
      [true, 'hybrid'],
      [false, 'rf_only'],
    ],
  },
};

const ROUTE_QUESTION: TypeAliases = {
  names: { feature: 'use_case', policy: 'policy_key', max_tokens: 'output_tokens_max' },
};

/**
 * What a reasonable caller writes for the words of the specification. The description of each
 * field lists its aliases, and the start stops where a row of this table fits no type.
 */
export const ALIASES: AliasTable = {
  PolicyCreateInput: POLICY,
  PolicyUpdateInput: POLICY,
  PolicyBudgetsInput: { names: { daily: 'daily_rub', monthly: 'monthly_rub' } },
  PolicyLimitsInput: { names: { requests_per_minute: 'rpm', tokens_per_minute: 'tpm' } },
  PolicyFirewallInput: { oneForAll: true },
  RoutePolicyInput: {
    names: {
      allow_list: 'models_allowed',
      allowed_models: 'models_allowed',
      fallback: 'fallback_model',
      max_cost_rub: 'cost_rub_max',
      max_latency_ms: 'latency_ms_max',
      min_quality_basis_points: 'quality_floor_basis_points',
    },
  },
  RouteSimulateInput: ROUTE_QUESTION,
  RouteDecideInput: ROUTE_QUESTION,
};
