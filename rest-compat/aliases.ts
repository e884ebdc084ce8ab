import type { AliasTable, TypeAliases } from './alias-table.js';
import { ROUTING_ALIASES } from './routing-aliases.js';
import { TRUST_ALIASES } from './trust-aliases.js';

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

const CLIENT_TAG = { tag: 'client_tag', client_id: 'client_tag', customer: 'client_tag' };
const WEBHOOK_ENDPOINT: TypeAliases = {
  names: {
    endpoint_url: 'url',
    events: 'event_types',
    enabled_events: 'event_types',
  },
};

const OUTCOME_WORDS = [
  ['won', 'win'],
  ['lost', 'loss'],
] as const;

const WTP: TypeAliases = {
  names: { amount_rub: 'wtp_rub', price_rub: 'wtp_rub', willingness_to_pay_rub: 'wtp_rub' },
};

/**
 * What a reasonable caller writes for the words of the specification. The description of each
 * field lists its aliases, and the start stops where a row of this table fits no type.
 */
export const ALIASES: AliasTable = {
  ...ROUTING_ALIASES,
  ...TRUST_ALIASES,
  PolicyCreateInput: POLICY,
  PolicyUpdateInput: POLICY,
  PolicyBudgetsInput: { names: { daily: 'daily_rub', monthly: 'monthly_rub' } },
  PolicyLimitsInput: { names: { requests_per_minute: 'rpm', tokens_per_minute: 'tpm' } },
  PolicyFirewallInput: { oneForAll: true },
  PromptVariableInput: { bare: 'name', byKey: { key: 'name', bare: 'type' } },
  PromptModelVariantInput: { bare: 'model' },
  ContextPolicyCreateInput: {
    names: {
      sources: 'allow_sources',
      freshness: 'freshness_days',
      citation: 'citation_required',
      citations: 'citation_required',
      provenance: 'provenance_required',
    },
  },
  BillingReplayWhatIfInput: {
    names: { ledger: 'ledger_rub', usage: 'usage_rub', tolerance: 'tolerance_rub' },
  },
  BillingDualMeterWhatIfInput: { names: { ledger: 'ledger_rub', usage: 'usage_rub' } },
  PaidPilotInput: {
    names: {
      fee: 'fee_rub',
      price_rub: 'fee_rub',
      decision_date: 'decision_on',
      production_decision_date: 'decision_on',
    },
    refused: {
      paid: 'follows from the fee: state fee_rub.',
      credit: 'follows from the recorded plan.',
    },
  },
  PartnerRebateInput: { names: { debt: 'debt_rub' } },
  ToolVerbInput: { bare: 'verb' },
  BudgetInput: {
    names: {
      hard_cap: 'hard_cap_rub',
      soft_alerts_percent: 'soft_alerts',
      alerts_percent: 'soft_alerts',
      cap_rub: 'hard_cap_rub',
      limit_rub: 'hard_cap_rub',
      ref: 'scope_ref',
      scope_id: 'scope_ref',
      on_cap: 'on_cap_reached',
      degrade_route: 'degrade_to',
      fallback_model: 'degrade_to',
    },
    values: {
      period: [
        ['daily', 'day'],
        ['monthly', 'month'],
        ['session', 'total'],
      ],
    },
  },
  BudgetCheckInput: {
    names: {
      estimated_cost_rub: 'estimate_rub',
      cost_rub: 'estimate_rub',
      requested_rub: 'estimate_rub',
      current_spend: 'current_spend_rub',
      spent_rub: 'current_spend_rub',
    },
  },
  RequestDebugInput: {
    names: {
      body: 'request',
      payload: 'request',
      code: 'error_code',
      status_code: 'status',
      http_status: 'status',
    },
  },
  OnboardingTrackInput: { names: { milestone: 'milestones', completed: 'milestones' } },
  CostForecastInput: {
    names: {
      use_case_id: 'scope_ref',
      use_case: 'scope_ref',
      unit_cost_rub: 'cost_per_unit_rub',
      requests: 'units',
    },
  },
  CostReceiptInput: {
    names: {
      use_case_id: 'use_case',
      feature: 'use_case',
      tokens: 'tokens_rub',
      tokens_cost_rub: 'tokens_rub',
      tools: 'tools_rub',
      tools_cost_rub: 'tools_rub',
      retries_cost_rub: 'retries_rub',
      fallback: 'fallback_rub',
      fallback_cost_rub: 'fallback_rub',
      markup: 'markup_rub',
    },
    alone: { retries: 'retries_rub' },
    refused: {
      total: 'is the sum of the parts: state those.',
      total_rub: 'is the sum of the parts: state those.',
    },
  },
  AnomalyRuleInput: {
    names: { name: 'rule_key', ref: 'scope_ref', anomaly_type: 'type', rule_type: 'type' },
    values: {
      action: [
        ['approval', 'require_approval'],
        ['none', 'alert'],
      ],
    },
  },
  AnomalyEvaluationInput: {
    names: {
      retries: 'metrics.retries',
      requests: 'metrics.requests',
      baseline_requests: 'metrics.baseline_requests',
      failed_share: 'metrics.failed_share',
      output_tokens: 'metrics.output_tokens',
      baseline_output_tokens: 'metrics.baseline_output_tokens',
      input_tokens: 'metrics.input_tokens',
      baseline_input_tokens: 'metrics.baseline_input_tokens',
      cost_rub: 'metrics.cost_rub',
      baseline_cost_rub: 'metrics.baseline_cost_rub',
      fallback_cost_rub: 'metrics.fallback_cost_rub',
      primary_cost_rub: 'metrics.primary_cost_rub',
      spend_rub: 'metrics.spend_rub',
      forecast_rub: 'metrics.forecast_rub',
    },
  },
  AnomalyMetricsInput: {
    names: {
      retry_count: 'retries',
      context_tokens: 'input_tokens',
      baseline_tokens: 'baseline_input_tokens',
      baseline_context_tokens: 'baseline_input_tokens',
      error_rate: 'failed_share',
      actual_rub: 'spend_rub',
    },
  },
  VatInput: {
    names: {
      net: 'net_rub',
      gross: 'gross_rub',
      amount_rub: 'gross_rub',
      vat: 'stated_vat_rub',
      vat_rub: 'stated_vat_rub',
      date: 'supply_day',
      supply_date: 'supply_day',
      date_of_supply: 'supply_day',
    },
  },
  CostCategoryInput: { names: { status: 'delivery', amount_rub: 'cost_rub' } },
  CostPoolInput: {
    names: {
      amount_rub: 'pool_rub',
      total_rub: 'pool_rub',
      cost_rub: 'pool_rub',
      tenants: 'consumers',
      shares: 'consumers',
    },
  },
  CostPoolConsumerInput: {
    names: { id: 'consumer', name: 'consumer', client_id: 'consumer', weight: 'units' },
  },
  CostReconcileInput: {
    names: {
      estimated: 'estimated_rub',
      estimate_rub: 'estimated_rub',
      reported: 'reported_rub',
      report_rub: 'reported_rub',
      invoiced: 'invoiced_rub',
      invoice: 'invoiced_rub',
      invoice_rub: 'invoiced_rub',
    },
  },
  BudgetLadderInput: {
    names: { used_rub: 'spent_rub', cap_rub: 'budget_rub', limit_rub: 'budget_rub' },
  },
  CostVelocityInput: {
    names: { window_hours: 'hours', balance_rub: 'remaining_rub', budget_rub: 'remaining_rub' },
  },
  ProfitabilityCustomerInput: {
    names: { id: 'customer', client_id: 'customer', customer_id: 'customer' },
  },
  CustomerRevenueInput: {
    names: { id: 'customer', client_id: 'customer', customer_id: 'customer' },
  },
  EngineeringCostInput: {
    names: {
      cogs_before: 'cogs_before_rub',
      before_rub: 'cogs_before_rub',
      cogs_after: 'cogs_after_rub',
      after_rub: 'cogs_after_rub',
      monthly_units: 'units',
      price_rub: 'revenue_rub',
    },
  },
  MarginLeakageInput: {
    names: {
      accepted_rub: 'accepted_cost_rub',
      failed_delivery_rub: 'failed_delivery_cost_rub',
      retry_rub: 'retry_cost_rub',
      wasted_rub: 'wasted_cost_rub',
    },
  },
  CostEventInput: {
    names: {
      id: 'event_id',
      type: 'kind',
      amount_rub: 'net_rub',
      cost_rub: 'net_rub',
      period: 'billed_month',
      replaces: 'replaces_id',
      ...CLIENT_TAG,
    },
    values: {
      kind: [
        ['tools', 'tool'],
        ['humans', 'human'],
        ['infra', 'infrastructure'],
      ],
    },
  },
  CostAllocationInput: { names: { amount_rub: 'net_rub', cost_rub: 'net_rub', ...CLIENT_TAG } },
  FinopsReceiptInput: { names: { month: 'period' } },
  WebhookEndpointCreateInput: WEBHOOK_ENDPOINT,
  WebhookEndpointUpdateInput: WEBHOOK_ENDPOINT,
  WtpWhatIfInput: WTP,
  WtpHypothesisInput: WTP,
  DealFactsInput: { values: { outcome: OUTCOME_WORDS } },
  DealOutcomeInput: { values: { outcome: OUTCOME_WORDS } },
  WinRateInput: { names: { wins: 'won', win: 'won', losses: 'lost', loss: 'lost' } },
  CommercialExperimentInput: {
    names: { variant_a: 'a', variant_b: 'b', control: 'a', treatment: 'b', horizon_n: 'planned_n' },
  },
  CommercialExperimentArmCountsInput: {
    names: {
      size: 'n',
      total: 'n',
      trials: 'n',
      wins: 'conversions',
      won: 'conversions',
      successes: 'conversions',
      converted: 'conversions',
    },
  },
  ProcurementPackInput: {
    names: { type: 'pack_type', pack: 'pack_type', company_name: 'legal_name', tax_id: 'inn' },
  },
  ProcurementPackStatusInput: { names: { reason: 'note', comment: 'note' } },
  ProcurementAnswerInput: {
    names: { code: 'question', question_code: 'question', evidence: 'comment' },
    byKey: { key: 'question', bare: 'answer' },
  },
  ProcurementEdoInput: {
    names: {
      operator: 'provider',
      edo_provider: 'provider',
      contract_status: 'contract',
      invoice_status: 'invoice',
      act_status: 'act',
      upd_status: 'upd',
    },
  },
  ValueEventInput: {
    names: {
      type: 'event_type',
      event: 'event_type',
      feature: 'use_case',
      value: 'value_rub',
      amount_rub: 'value_rub',
      count: 'quantity',
      outcome_ref: 'external_ref',
      ref: 'external_ref',
    },
  },
  RoiEstimateInput: {
    names: {
      documents_per_month: 'items_per_month',
      volume_per_month: 'items_per_month',
      monthly_volume: 'items_per_month',
      minutes_per_document: 'minutes_per_item',
      hourly_rate_rub: 'hourly_cost_rub',
      automation_percent: 'automated_percent',
      ai_cost: 'ai_cost_per_item_rub',
      ai_cost_rub: 'ai_cost_per_item_rub',
    },
  },
  VariantAssignmentInput: {
    names: {
      experiment_id: 'experiment',
      experiment_key: 'experiment',
      experiment_ref: 'experiment',
      subject_id: 'subject',
      subject_ref: 'subject',
      unit: 'subject',
      unit_id: 'subject',
      deal_ref: 'subject',
      account_id: 'subject',
    },
  },
};
