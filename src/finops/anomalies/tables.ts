import {
  code,
  defaulting,
  fieldTable,
  flag,
  integer,
  list,
  money,
  number,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { BUDGET_SCOPES, EACH_REF, SCOPE_REF_MAX } from '../budgets/vocabulary.js';
import { ANOMALY_ACTIONS, ANOMALY_TYPES, METHODS, SEVERITIES } from './vocabulary.js';

const AMOUNT = { min: 0n, max: 1_000_000_000_000_000n };
const COUNT = { min: 0, max: 1_000_000_000 };

/** What an anomaly rule says. */
export const RULE_FIELDS = {
  ruleKey: text('What the rule is called.', { max: 128 }),
  type: code(ANOMALY_TYPES, 'What the rule looks for.'),
  scope: code(BUDGET_SCOPES, 'Of what the requests are followed.'),
  scopeRef: text(
    'Which one of the scope. `each` follows each of them for itself, `*` all requests that name ' +
      'any of them, taken together, as in budgets.',
    { max: SCOPE_REF_MAX },
  ),
  together: optional(
    flag(
      'True where `*` takes all together. Null for every other reference, and for rules of `*` ' +
        'from before `each`, which go on to follow each for itself.',
    ),
  ),
  threshold: number(
    'What triggers the rule, in the unit of its type: a count from 1 on; how many times the ' +
      'expected, from 1 on; for `error_spike` a share up to 1, where 0.5 is 50 %.',
    { min: 0, max: 1_000_000_000 },
  ),
  windowMinutes: integer('How long the window is.', { min: 1, max: 15 }),
  requestsMin: integer('Windows with fewer requests show nothing.', { min: 1, max: 10_000 }),
  action: code(ANOMALY_ACTIONS, 'What happens when it is triggered.'),
  active: flag('False switches the rule off.'),
} as const;

/** A rule that is published. */
export const RULE_INPUT = fieldTable('AnomalyRuleInput', 'An anomaly rule that is published.', {
  type: RULE_FIELDS.type,
  ruleKey: optional(
    text('What the rule is called; its type, scope and reference unless stated.', { max: 128 }),
  ),
  scope: defaulting(RULE_FIELDS.scope, 'use_case'),
  scopeRef: defaulting(RULE_FIELDS.scopeRef, EACH_REF),
  threshold: optional(RULE_FIELDS.threshold),
  windowMinutes: defaulting(RULE_FIELDS.windowMinutes, 10),
  requestsMin: defaulting(RULE_FIELDS.requestsMin, 5),
  action: defaulting(RULE_FIELDS.action, 'require_approval'),
  active: defaulting(RULE_FIELDS.active, true),
});

/** Metrics of a window, as a caller states them. */
export const METRICS = fieldTable('AnomalyMetricsInput', 'Metrics of a window.', {
  retries: optional(integer('Repeats of the same request, and attempts after failures.', COUNT)),
  requests: optional(integer('Requests of the window.', COUNT)),
  baselineRequests: optional(number('Requests that were expected.', COUNT)),
  failedShare: optional(number('The share of failed requests.', { min: 0, max: 1 })),
  inputTokens: optional(number('Prompt tokens of a request.', COUNT)),
  baselineInputTokens: optional(number('Prompt tokens that were expected.', COUNT)),
  outputTokens: optional(number('Answer tokens of a request.', COUNT)),
  baselineOutputTokens: optional(number('Answer tokens that were expected.', COUNT)),
  costMicro: optional(money('What the window costs.', AMOUNT)),
  baselineCostMicro: optional(money('The cost that was expected.', AMOUNT)),
  fallbackCostMicro: optional(money('What an answer of a model that stood in costs.', AMOUNT)),
  primaryCostMicro: optional(money('What an answer of the model that was asked costs.', AMOUNT)),
  spendMicro: optional(money('What the run has spent.', AMOUNT)),
  forecastMicro: optional(money('What its forecast said.', AMOUNT)),
});

/** What a rule is asked. */
export const EVALUATION_INPUT = fieldTable('AnomalyEvaluationInput', 'What a rule is asked.', {
  metrics: optional(object(METRICS, 'Those that the type of the rule compares must be stated.')),
});

/** What a rule says of metrics. */
export const EVALUATION = fieldTable('AnomalyEvaluation', 'What a rule says of metrics.', {
  ruleKey: text('The rule that was asked, by its name.'),
  type: code(ANOMALY_TYPES, 'What it looks for.'),
  triggered: flag('Whether the metrics are beyond the limit of the rule.'),
  action: optional(code(ANOMALY_ACTIONS, 'What it would do; null where it is not triggered.')),
  severity: optional(code(SEVERITIES, 'How grave it is; null where it is not triggered.')),
  metric: text('The metric that is judged.'),
  observed: number('What was observed; money in rubles.'),
  expected: number('What was expected; 0 where nothing is. Money in rubles.'),
  limit: number('What the metric may not reach.'),
  method: code(METHODS, 'What the expected comes from.'),
  reason: text('Why, in a sentence.'),
});

const PART = fieldTable('FinopsDashboardBudget', 'A budget that is nearest to its cap.', {
  id: uuid('The id of the budget.'),
  name: text('What it is called.'),
  scope: code(BUDGET_SCOPES, 'What it caps the spending of.'),
  scopeRef: text('Which one of the scope.'),
  spentMicro: money('What its period has spent.'),
  hardCapMicro: money('What may be spent in a period, as it was set.'),
  grantedMicro: money('What approved exceptions have added to it for this period alone.'),
  usedPercent: number('What is spent, in percent of both together; 100 for a cap of zero.'),
});

/** What the dashboard shows. */
export const DASHBOARD = fieldTable('FinopsDashboard', 'Cost and its controls at a glance.', {
  days: integer('The days that figures of the past are taken from.'),
  costMicro: money('What was paid in these days, VAT included: charges less refunds.'),
  requests: integer('The requests of these days.'),
  budgetCount: integer('Active budgets, those of policies among them.'),
  budgets: list(object(PART, 'A budget.'), 'The ten that are nearest to their caps.'),
  receiptCount: integer('How many cost receipts are sealed.'),
  forecastCount: integer('How many forecasts are recorded.'),
  forecastsEnded: integer('Those whose runs ended in these days.'),
  forecastErrorBasisPoints: optional(
    integer('How far they were off: Σ |base − actual| by Σ actual; null where nothing was spent.'),
  ),
  activeRules: integer('Anomaly rules of the organization that are switched on.'),
  standingRules: integer('Rules that hold for every organization.'),
  anomalies: integer('Anomalies of these days.'),
  scopesPaused: integer('Scopes that are paused now.'),
  provenance: code(PROVENANCES, 'Where the figures come from.'),
});
