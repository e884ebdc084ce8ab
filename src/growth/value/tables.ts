import { WINDOW_QUESTION } from '../../finops/reports/tables.js';
import {
  code,
  defaulting,
  fieldTable,
  instant,
  integer,
  list,
  money,
  number,
  object,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import {
  CONFIDENCES,
  COST_LINES,
  DECISIONS,
  EVENT_TYPES,
  MICRO_MAX,
  QUANTITY_MAX,
  ROI_STATUSES,
  USE_CASE_DEFAULT,
  USE_CASE_LENGTH_MAX,
  USE_CASES_MAX,
} from './vocabulary.js';

const USE_CASE = text('The use case, which is `metadata.feature` of its requests.', {
  max: USE_CASE_LENGTH_MAX,
});
const REASON = optional(text('Why something is not known; null where all is.'));
const NEEDED = list(text('A missing part.'), 'What would lift it; empty where nothing is missing.');

/** A result to record. */
export const EVENT_INPUT = fieldTable('ValueEventInput', 'A business result of AI.', {
  eventType: code(EVENT_TYPES, 'What kind of result it is.'),
  useCase: optional(
    text(
      'The use case, which is `metadata.feature` of its requests; that of `request_id` where it ' +
        `is left out, else \`${USE_CASE_DEFAULT}\`.`,
      { max: USE_CASE_LENGTH_MAX },
    ),
  ),
  quantity: defaulting(
    integer('How many results the event stands for.', { min: 1, max: QUANTITY_MAX }),
    1,
  ),
  valueMicro: optional(
    money('What the event is worth, all its results together; unknown where it is left out.', {
      min: 0n,
      max: MICRO_MAX,
    }),
  ),
  externalRef: optional(
    text("The caller's own name of the result: one of a type is claimed once.", { max: 256 }),
  ),
  requestId: optional(uuid('The request that the result came from, where it is known.')),
  occurredAt: optional(instant('When it happened; now where it is left out.')),
});

/** A recorded result, by the columns of its row. */
export const EVENT_FIELDS = {
  eventType: code(EVENT_TYPES, 'What kind of result it is.'),
  useCase: USE_CASE,
  quantity: integer('How many results the event stands for.'),
  valueMicro: optional(money('What it is worth as the caller stated it; null where unstated.')),
  externalRef: optional(text("The caller's own name of the result.")),
  requestId: optional(uuid('The request that the result came from.')),
  occurredAt: instant('When it happened.'),
  recordedBy: uuid('The member or key that recorded it.'),
  createdAt: instant('When it was recorded.'),
} as const;

/** Which use cases are asked for. */
export const ROI_QUESTION = { ...WINDOW_QUESTION, useCase: optional(USE_CASE) } as const;

/** The return of a use case. */
export const ROI_RECEIPT = fieldTable(
  'RoiReceipt',
  'What a use case has brought and cost in a window: value as stated, cost as charged.',
  {
    useCase: USE_CASE,
    from: instant('The begin of the window.'),
    to: instant('The end of the window, which is outside of it.'),
    status: code(ROI_STATUSES, 'Whether a return is known.'),
    valueMicro: optional(money('What its results are worth; null where none states a value.')),
    valueProvenance: code(PROVENANCES, '`declared`: the customer states what a result is worth.'),
    costMicro: money('What was paid for its requests to real models, VAT included, less refunds.'),
    costProvenance: code(PROVENANCES, '`live_measured`: from the usage that the ledger charged.'),
    netMicro: optional(money('Value minus cost; null where one of them is not known.')),
    roiPercent: optional(
      number('Net in percent of the cost, to two places; null where no return is known.'),
    ),
    roiProvenance: code(PROVENANCES, '`declared`: a return is as good as its weaker part.'),
    recommendation: optional(
      code(DECISIONS, 'What to do by the published thresholds; null where no return is known.'),
    ),
    confidence: optional(
      code(CONFIDENCES, 'How much the recommendation rests on; null where there is none.'),
    ),
    confidenceLimits: list(text('What limits it.'), 'What a higher confidence would take.'),
    events: integer('How many events were recorded.'),
    results: integer('Results that these events stand for.'),
    eventsWithoutValue: integer('Events that state no value: they add nothing to it.'),
    evidencedEvents: integer('Events that name an external reference or a request.'),
    requests: integer('Answers of real models to its requests.'),
    costPerResultMicro: optional(
      money('Cost divided by results, half up; null where one of them is missing.'),
    ),
    simulatedRequests: integer('Answers of simulated models, which are evidence of nothing.'),
    simulatedCostMicro: money('What these were charged; it is in no other figure.'),
    reason: REASON,
    needed: NEEDED,
  },
);

/** The return of a use case. */
export type RoiReceipt = ValuesOf<typeof ROI_RECEIPT.fields>;

const TALLY = fieldTable('ValueDecisionTally', 'Use cases with the same recommendation.', {
  recommendation: code(DECISIONS, 'What is recommended for them.'),
  useCases: integer('How many use cases these are.'),
  valueMicro: money('What their results are worth.'),
  costMicro: money('What was paid for their requests.'),
});

/** The portfolio of use cases. */
export const VALUE_DASHBOARD = fieldTable(
  'ValueDashboard',
  'The portfolio of use cases with their returns and what to do with each.',
  {
    from: instant('The begin of the window.'),
    to: instant('The end of the window, which is outside of it.'),
    useCases: integer('How many use cases there are.'),
    costMicro: money('What was paid for requests to real models, over all use cases.'),
    valueMicro: money('What results are worth as stated, over all use cases.'),
    comparableCostMicro: money('The cost of the use cases whose return is known.'),
    comparableValueMicro: money('The value of the use cases whose return is known.'),
    comparableNetMicro: optional(money('Value minus cost of these; null where there is none.')),
    roiPercent: optional(
      number('Their net in percent of their cost, to two places; null where there is none.'),
    ),
    roiProvenance: code(PROVENANCES, '`declared`: a return is as good as its weaker part.'),
    costProvenance: code(PROVENANCES, '`live_measured`: from the usage that the ledger charged.'),
    unknownReturns: integer('Use cases without a return: cost or value is missing.'),
    decisions: list(object(TALLY, 'A recommendation.'), 'Use cases by what is recommended.'),
    portfolio: list(
      object(ROI_RECEIPT, 'A use case.'),
      `The use cases, the most expensive first; at most ${USE_CASES_MAX}.`,
    ),
    reason: REASON,
    needed: NEEDED,
  },
);

/** The portfolio of use cases. */
export type ValueDashboard = ValuesOf<typeof VALUE_DASHBOARD.fields>;

/** The cost of results of a vertical. */
export const VERTICAL_COST = fieldTable(
  'VerticalCost',
  'What a result has cost in a line of work.',
  {
    vertical: code(COST_LINES, 'The line of work.'),
    useCases: integer('Use cases with cost or results in it.'),
    results: integer('Results of the window.'),
    valueMicro: optional(money('What they are worth as stated; null where none states a value.')),
    costMicro: money('What was paid for the requests of these use cases, VAT included.'),
    costProvenance: code(
      PROVENANCES,
      '`live_measured` where every use case stands in this line alone; `estimated` where cost is ' +
        'shared between lines by the number of results.',
    ),
    costPerResultMicro: optional(
      money('Cost divided by results, half up; null where one of them is missing.'),
    ),
    reason: REASON,
  },
);

/** The cost of results of a vertical. */
export type VerticalCost = ValuesOf<typeof VERTICAL_COST.fields>;

/** Cost per result by vertical. */
export const VALUE_SUMMARY = fieldTable('ValueSummary', 'Cost per result by line of work.', {
  from: instant('The begin of the window.'),
  to: instant('The end of the window, which is outside of it.'),
  costMicro: money('What was paid for requests to real models: the sum of all lines.'),
  results: integer('Results of the window: the sum of all lines.'),
  verticals: list(object(VERTICAL_COST, 'A line.'), 'Every line of work, and what is in none.'),
});
