import { KEY_ANOMALY_EVENTS } from '../../access/keys/vocabulary.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What the threshold of a rule is counted in, with the least and the most that it may be. */
export const THRESHOLD_UNITS = vocabulary('AnomalyThresholdUnit', 'What a threshold counts.', [
  { code: 'count', description: 'So many, from 1 on.', min: 1, max: 1_000_000_000 },
  {
    code: 'times',
    description: 'So many times the expected, from 1 on: 1.5 is half as much again.',
    min: 1,
    max: 1_000_000_000,
  },
  {
    code: 'share',
    description: 'A share above 0 and up to 1, never a percentage: 0.5 is 50 %.',
    min: 0.000001,
    max: 1,
  },
]);

/**
 * What a rule looks for. `observed` and `expected` are the metrics that are compared; where nothing
 * is expected, `threshold` is what the metric itself may reach, else how many times the expected:
 * `unit` says which.
 */
export const ANOMALY_TYPES = vocabulary('AnomalyType', 'What an anomaly rule looks for.', [
  {
    code: 'retry_loop',
    description:
      'The same request again and again: repeats of one request (same model, same prompt size) ' +
      'and attempts after failures in the window.',
    observed: 'retries',
    expected: null,
    threshold: 10,
    unit: 'count',
  },
  {
    code: 'context_explosion',
    description: 'Prompts many times as long as those of the requests before.',
    observed: 'inputTokens',
    expected: 'baselineInputTokens',
    threshold: 3,
    unit: 'times',
  },
  {
    code: 'output_explosion',
    description: 'Answers many times as long as those of the requests before.',
    observed: 'outputTokens',
    expected: 'baselineOutputTokens',
    threshold: 3,
    unit: 'times',
  },
  {
    code: 'fallback_cost_spike',
    description: 'Answers of models that stood in cost many times what the others cost.',
    observed: 'fallbackCostMicro',
    expected: 'primaryCostMicro',
    threshold: 2,
    unit: 'times',
  },
  {
    code: 'spend_over_forecast',
    description: 'A run has spent more than its forecast said: the base case of the latest one.',
    observed: 'spendMicro',
    expected: 'forecastMicro',
    threshold: 1.2,
    unit: 'times',
  },
  {
    code: 'cost_spike',
    description: 'The window costs many times what was expected at this hour.',
    observed: 'costMicro',
    expected: 'baselineCostMicro',
    threshold: 3,
    unit: 'times',
  },
  {
    code: 'request_spike',
    description: 'The window has many times the requests that were expected at this hour.',
    observed: 'requests',
    expected: 'baselineRequests',
    threshold: 3,
    unit: 'times',
  },
  {
    code: 'error_spike',
    description: 'A large share of the requests in the window failed.',
    observed: 'failedShare',
    expected: null,
    threshold: 0.5,
    unit: 'share',
  },
]);

/** A type of anomalies. */
export type AnomalyType = CodeOf<typeof ANOMALY_TYPES>;

/** What a rule does when it is triggered. */
export const ANOMALY_ACTIONS = vocabulary('AnomalyAction', 'What a triggered rule does.', [
  { code: 'alert', description: 'The anomaly is listed and reaches the feed.' },
  {
    code: 'pause',
    description: 'Requests of the scope are refused until a member approves that it goes on.',
  },
  {
    code: 'require_approval',
    description: 'The scope goes on while a member decides; rejected or expired, it is paused.',
  },
]);

/** How grave an anomaly is, by how far the observed is beyond the limit of its rule. */
export const SEVERITIES = vocabulary('AnomalySeverity', 'How grave an anomaly is.', [
  { code: 'medium', description: 'Less than one and a half times the limit.', beyondMin: 1 },
  { code: 'high', description: 'Less than three times the limit.', beyondMin: 1.5 },
  { code: 'critical', description: 'Three times the limit or more.', beyondMin: 3 },
]);

/** How grave an anomaly is. */
export type Severity = CodeOf<typeof SEVERITIES>;

/** What the expected comes from. */
export const METHODS = vocabulary('AnomalyMethod', 'What the expected value comes from.', [
  {
    code: 'same_hour',
    description: 'The median of the same hour of the four weeks before, three of them at least.',
  },
  {
    code: 'trailing_window',
    description: 'The median of the windows, or of the requests, right before.',
  },
  { code: 'threshold', description: 'Nothing is expected: the rule names the limit itself.' },
  { code: 'forecast', description: 'The base case of the latest forecast of the scope.' },
  { code: 'declared', description: 'The caller has stated both values.' },
]);

/** What an expected value comes from. */
export type Method = CodeOf<typeof METHODS>;

/** Where a scope stands after an anomaly. */
export const PAUSE_STATUSES = vocabulary('SpendPauseStatus', 'Where a scope stands.', [
  { code: 'under_review', description: 'It goes on while a member decides.' },
  { code: 'paused', description: 'Its requests are refused.' },
  { code: 'resumed', description: 'It was paused, and a member has approved that it goes on.' },
  { code: 'cleared', description: 'It was under review, and a member has approved it.' },
  { code: 'joined', description: 'The scope was paused or under review already.' },
]);

/** What the feed of anomalies tells. */
export const ANOMALY_EVENTS = vocabulary('AnomalyEventType', 'What the feed of anomalies tells.', [
  { code: 'anomaly', description: 'A rule was triggered by live requests.' },
  { code: 'budget_alert', description: 'Spending has reached a soft alert of a budget.' },
  { code: 'budget_step', description: 'A step of the ladder of a budget has begun.' },
  { code: 'paused', description: 'A scope is paused.' },
  { code: 'under_review', description: 'A scope goes on while a member decides.' },
  { code: 'resumed', description: 'A member has approved that a paused scope goes on.' },
  { code: 'cleared', description: 'A member has approved a scope under review.' },
  ...KEY_ANOMALY_EVENTS.rows,
  {
    code: 'price_change',
    description: 'A price row begins later, of a model that was used in the last 30 days.',
  },
  {
    code: 'price_change_withdrawn',
    description: 'An announced price row will not begin as it was announced.',
  },
]);

/** Deviations from the median count in units of 1.4826 × MAD; below this many it is noise. */
export const DEVIATIONS_MIN = 3.5;
/** A spread smaller than this share of the median is taken to be this share. */
export const SPREAD_SHARE_MIN = 0.05;
/** So many earlier weeks are looked at, and so many must have requests to be history. */
export const WEEKS = { looked: 4, needed: 3 } as const;
/** So many windows, or requests, right before make a trailing window. */
export const TRAILING_MIN = { windows: 3, requests: 5 } as const;
/** Minutes of a scope that are remembered, and requests of it. */
export const REMEMBERED = { minutes: 60, requests: 20, distinct: 16 } as const;
/** The most requests that an anomaly names. */
export const DRIVERS_MAX = 20;
