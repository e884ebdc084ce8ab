import {
  bigInteger,
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  money,
  number,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { TIME_ZONE_DEFAULT } from '../../kernel/time.js';
import { REPORT_DAYS } from '../../kernel/window.rules.js';
import {
  COMPARISONS,
  DIMENSIONS,
  METRICS,
  ORDERS,
  PERIODS,
  REPORT_ROWS_MAX,
  TOP,
} from './vocabulary.js';

const VALUES_MAX = 100;
const VALUE_LENGTH_MAX = 512;

/** A text may be empty here: it stands for requests that have none. */
function values(what: string) {
  const value = text('A value, empty for requests that have none.', {
    min: 0,
    max: VALUE_LENGTH_MAX,
  });
  return optional(list(value, `${what}; the empty text stands for none.`, { max: VALUES_MAX }));
}

const REPORT_FILTER = fieldTable(
  'UsageReportFilter',
  'Which requests a report is over: those that meet every condition.',
  {
    features: values('Only these features'),
    clients: values('Only these clients'),
    models: values('Only these models'),
    providers: values('Only these providers'),
    routes: values('Only these data routes'),
    keys: values('Only these API keys, by their ids'),
    projects: values('Only these projects, by their ids'),
    environments: values('Only these environments'),
    operations: values('Only these operations'),
    promptVersions: values('Only these versions of prompts, such as support.reply@3'),
    origins: values('Only what the gateway asked for these reasons'),
    simulated: optional(flag('Only what the built-in sandbox answered, or only what it did not.')),
  },
);

/** The window of every report. */
export const WINDOW_QUESTION = {
  from: optional(
    text(
      'Begin of the window: a time such as 2026-01-31T09:00:00Z, or a day, from its midnight in ' +
        `the time zone on; ${REPORT_DAYS.default} days before the end by default.`,
      { max: 40 },
    ),
  ),
  to: optional(
    text(
      'End of the window, itself outside; a day is in it to its end. Now unless it is stated. ' +
        `A window has at most ${REPORT_DAYS.max} days.`,
      { max: 40 },
    ),
  ),
  timeZone: defaulting(
    text('The time zone of days, weeks and months, by its IANA name.', { max: 64 }),
    TIME_ZONE_DEFAULT,
  ),
} as const;

/** What a report may be asked. */
export const REPORT_QUESTION = {
  ...WINDOW_QUESTION,
  groupBy: defaulting(
    list(code(DIMENSIONS, 'A dimension.'), 'By what the rows are told apart.', { max: 4 }),
    [],
  ),
  period: optional(code(PERIODS, 'Rows for each period too; none for the whole window.')),
  metrics: defaulting(
    list(code(METRICS, 'A kind of figures.'), 'Which figures are gathered; others are null.', {
      min: 1,
      max: METRICS.codes.length,
    }),
    ['requests', 'tokens', 'cost'],
  ),
  filter: optional(object(REPORT_FILTER, 'Which requests are meant; all where it is left out.')),
  orderBy: defaulting(code(ORDERS, 'By what groups are ordered, the largest first.'), 'amount'),
  top: defaulting(
    integer(
      'How many groups are told apart; the others are one row, `isOther`. A report has ' +
        `at most ${REPORT_ROWS_MAX} rows.`,
      { min: 1, max: TOP.max },
    ),
    TOP.default,
  ),
  compareTo: optional(code(COMPARISONS, 'An earlier window to compare with; none by default.')),
} as const;

/** The question of a report as rules read it. */
export type ReportQuestion = ValuesOf<typeof REPORT_QUESTION>;

const COUNT_SHARE = 'null where there were no requests or they were not asked for';
const SKETCHED =
  'in milliseconds by nearest rank, within 2 %; null without answers or where it was not asked for';

const FIGURES = fieldTable('UsageFigures', 'Figures of some requests together.', {
  requests: optional(bigInteger('How many requests were called.')),
  complete: optional(bigInteger('Those that were answered in full.')),
  partial: optional(bigInteger('Those whose answer ended early.')),
  failed: optional(bigInteger('Those that failed and cost nothing.')),
  refused: optional(bigInteger('Those whose answer the provider cut off as content.')),
  cached: optional(bigInteger('Those that were answered from the response cache.')),
  errorRate: optional(number(`The share of failed requests; ${COUNT_SHARE}.`)),
  cacheHitRate: optional(number(`The share that the response cache answered; ${COUNT_SHARE}.`)),
  inputTokens: optional(bigInteger('Tokens in, cached ones and those written to a cache too.')),
  cachedInputTokens: optional(bigInteger("Tokens in that came from the provider's cache.")),
  outputTokens: optional(bigInteger('Tokens out, those of reasoning too.')),
  reasoningTokens: optional(bigInteger('Tokens of reasoning.')),
  amountMicro: optional(
    money(
      'What was paid, VAT included: charges less refunds. A refund counts when it is posted, so ' +
        'that the amount is negative where more was given back than charged.',
    ),
  ),
  netMicro: optional(money('What was paid, net of VAT.')),
  vatMicro: optional(money('The value added tax in it, by date of supply.')),
  chargedMicro: optional(money('What was charged, VAT included, before refunds.')),
  refundedMicro: optional(
    money('What refunds posted in the period gave back, VAT included; charged less paid.'),
  ),
  listCostMicro: optional(
    money('What the requests cost by the price list, VAT included; refunds are not taken off.'),
  ),
  latencyMsMean: optional(number('The mean time to the whole answer in milliseconds.')),
  latencyMsP50: optional(number(`Half of the answers took at most this, ${SKETCHED}.`)),
  latencyMsP95: optional(number(`19 of 20 answers took at most this, ${SKETCHED}.`)),
  latencyMsP99: optional(number(`99 of 100 answers took at most this, ${SKETCHED}.`)),
  firstTokenMsP50: optional(number(`Half of the first tokens came within this, ${SKETCHED}.`)),
  firstTokenMsP95: optional(number(`19 of 20 first tokens came within this, ${SKETCHED}.`)),
  firstTokenMsP99: optional(number(`99 of 100 first tokens came within this, ${SKETCHED}.`)),
});

/** The figures of a group. */
export type Figures = ValuesOf<typeof FIGURES.fields>;

const OF_GROUP = 'null where it is none, or where the report is not grouped by it';

/** A row of a report: one group in one period. */
export const REPORT_ROW = fieldTable('UsageReportRow', 'One group of a report in one period.', {
  periodStart: optional(instant('Begin of the period; null where none was asked for.')),
  period: optional(text('The first day of the period in the time zone; with the hour for hours.')),
  feature: optional(text(`The feature; ${OF_GROUP}.`)),
  client: optional(text(`The client; ${OF_GROUP}.`)),
  model: optional(text(`The model; ${OF_GROUP}.`)),
  provider: optional(text(`The provider; ${OF_GROUP}.`)),
  route: optional(text(`The data route; ${OF_GROUP}.`)),
  key: optional(text(`The id of the API key; ${OF_GROUP}.`)),
  project: optional(text(`The id of the project; ${OF_GROUP}.`)),
  environment: optional(text(`The environment; ${OF_GROUP}.`)),
  operation: optional(text(`The operation; ${OF_GROUP}.`)),
  promptVersion: optional(text(`The version of the prompt; ${OF_GROUP}.`)),
  simulated: optional(text(`Whether the sandbox answered; ${OF_GROUP}.`)),
  origin: optional(text(`Why the gateway asked by itself; ${OF_GROUP}.`)),
  isOther: flag('True for the row of all groups beyond the top.'),
  ...FIGURES.fields,
  amountMicroBefore: optional(
    money('What was paid for the same in the window of comparison; null without one.'),
  ),
  requestsBefore: optional(bigInteger('How many requests there were then; null without one.')),
  amountChangePercent: optional(
    number('How the amount has changed, in percent; null where none was paid before.'),
  ),
});

/** A row of a report. */
export type ReportRow = ValuesOf<typeof REPORT_ROW.fields>;

/** A report over usage. */
export const REPORT = fieldTable(
  'UsageReport',
  'A report over usage: kept sums, the rows after them and the refunds in one snapshot, so that ' +
    'what was paid equals the ledger to the micro-ruble. A refund belongs to the groups of the ' +
    'request that it gives back, and to the time when it was posted.',
  {
    from: instant('Begin of the window.'),
    to: instant('End of the window; what happens at this moment is outside.'),
    timeZone: text('The time zone of its periods.'),
    comparedFrom: optional(instant('Begin of the window of comparison; null without one.')),
    comparedTo: optional(instant('End of the window of comparison; null without one.')),
    total: object(FIGURES, 'The whole window.'),
    totalBefore: optional(object(FIGURES, 'The window of comparison; null without one.')),
    rows: list(
      object(REPORT_ROW, 'A row.'),
      'Periods in their order, and in each the largest groups first, the others last.',
    ),
    percentileError: number('The relative error of percentiles: 0.02 is two percent.'),
    provenance: code(PROVENANCES, '`live_measured`: from the recorded usage of the organization.'),
  },
);

/** A report over usage. */
export type Report = ValuesOf<typeof REPORT.fields>;
