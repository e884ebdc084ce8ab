import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** By what a report can be told apart, with the column of it and its expression over usage rows. */
export const DIMENSIONS = vocabulary('ReportDimension', 'By what usage can be told apart.', [
  { code: 'feature', description: 'The feature that the client named.', column: 'feature' },
  { code: 'client', description: 'The client of the customer.', column: 'client_id' },
  { code: 'model', description: 'The model that answered.', column: 'model' },
  { code: 'provider', description: 'The provider that was called.', column: 'provider' },
  { code: 'route', description: 'The data route, such as RU.', column: 'route' },
  { code: 'key', description: 'The API key; none for members.', column: 'key_id' },
  { code: 'project', description: 'The project of the caller.', column: 'project_id' },
  { code: 'environment', description: 'The environment that was named.', column: 'environment' },
  { code: 'operation', description: 'Whether it was chat or embeddings.', column: 'operation' },
  {
    code: 'prompt_version',
    description: 'The key of the prompt package with its version, such as support.reply@3.',
    column: 'prompt_version',
  },
  {
    code: 'simulated',
    description: 'Whether the built-in sandbox answered, as true or false.',
    column: 'simulated',
  },
  {
    code: 'origin',
    description: 'Why the gateway asked by itself; none for what clients asked.',
    column: 'origin',
  },
]);

/** A dimension of usage. */
export type Dimension = CodeOf<typeof DIMENSIONS>;

/** Periods of a report, which begin at midnight of its time zone, weeks on Monday. */
export const PERIODS = vocabulary('UsagePeriod', 'A period of time in a report.', [
  { code: 'hour', description: 'An hour of the clock.' },
  { code: 'day', description: 'A calendar day of the zone.' },
  { code: 'week', description: 'A week from Monday on.' },
  { code: 'month', description: 'A calendar month of the zone.' },
]);

/** A period of a report. */
export type Period = CodeOf<typeof PERIODS>;

/** The units of time that sums are kept by; those longer than an hour are those of Moscow. */
const GRAINS = ['hour', 'day', 'week', 'month'] as const;

/** A unit of time that sums are kept by. */
export type Grain = (typeof GRAINS)[number];

/** The most groups of a report that are told apart; the others are one row together. */
export const TOP = { default: 100, max: 1_000 } as const;

/** The most rows that a report may have: groups by periods. */
export const REPORT_ROWS_MAX = 20_000;

/** The most usage rows that a report may read beside the sums. */
export const RAW_ROWS_MAX = 300_000;

/** Figures that cost something to gather, so that a report has those that are asked for. */
export const METRICS = vocabulary('UsageMetric', 'A kind of figures in a report.', [
  { code: 'requests', description: 'How many there were and how they ended.' },
  { code: 'tokens', description: 'Tokens in and out by price class.' },
  {
    code: 'cost',
    description:
      'What was paid, net, tax and total, of which charged and refunded, and the list cost.',
  },
  { code: 'latency', description: 'Percentiles of the time to the whole answer.' },
  { code: 'first_token', description: 'Percentiles of the time to the first token.' },
]);

/** A kind of figures. */
export type Metric = CodeOf<typeof METRICS>;

/** By what groups are ordered, the largest first; the sum that it stands for is its column. */
export const ORDERS = vocabulary('UsageOrder', 'By what groups are ordered, largest first.', [
  {
    code: 'amount',
    description: 'What was paid, VAT included: charges less refunds.',
    sum: 'amount_micro',
  },
  { code: 'requests', description: 'How many requests there were.', sum: 'requests' },
  { code: 'failed', description: 'How many requests failed.', sum: 'failed' },
  { code: 'input_tokens', description: 'Tokens in that were not cached.', sum: 'input_uncached' },
  { code: 'output_tokens', description: 'Tokens of answers.', sum: 'output_text' },
]);

/** With what a report is compared. */
export const COMPARISONS = vocabulary('UsageComparison', 'With what a report is compared.', [
  { code: 'previous_period', description: 'The time of the same length right before it.' },
  { code: 'previous_week', description: 'The same time a week earlier.' },
  { code: 'previous_year', description: 'The same time 365 days earlier.' },
]);

/** With what a report is compared. */
export type Comparison = CodeOf<typeof COMPARISONS>;
