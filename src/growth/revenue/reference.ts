import {
  code,
  fieldTable,
  integer,
  list,
  money,
  object,
  optional,
  text,
} from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import {
  GUARDRAILS,
  LINKS,
  MARGIN_BASIS_POINTS_MIN,
  PACKAGES,
  QUOTE_DAYS,
  QUOTE_HISTORY_MIN,
  SOURCES,
} from './offers.js';
import {
  DIMENSIONS,
  EVENT_DAYS,
  LEAD_EVENTS,
  RESOLUTIONS,
  SALES_TASKS,
  SIGNAL_RULES,
  STAGES,
  USAGE_DAYS,
  USAGE_STEPS,
} from './vocabulary.js';

const DIMENSION = fieldTable('RevenueDimensionRow', 'A part of a score.', {
  pointsMax: integer('The most points of this part.'),
});
const EVENT = fieldTable('RevenueEventTypeRow', 'What a product tells of a lead.', {
  dimension: code(DIMENSIONS, 'The part of the score that it counts in.'),
  points: integer('The points that it adds each time.'),
  countMax: integer('How often it counts at most.'),
});
const USAGE = fieldTable('RevenueUsageStepRow', 'Points for measured usage.', {
  requestsMin: integer('The fewest answers of real models in 30 days.'),
  points: integer('The points of usage; the first row that is reached counts.'),
});
const STAGE = fieldTable('RevenueStageRow', 'How far an account is.', {
  scoreMin: optional(integer('The lowest score; null where it follows from closed signals.')),
  probabilityPercent: integer('The assumed probability that it buys, for the forecast.'),
  task: code(SALES_TASKS, 'What to do next.'),
});
const NEED = fieldTable('RevenueSignalNeed', 'What a rule needs.', {
  event: code(LEAD_EVENTS, 'The event that is needed.'),
  count: integer('How often it must have happened.'),
});
const RULE = fieldTable('RevenueSignalRuleRow', 'What events amount to.', {
  needs: list(object(NEED, 'An event.'), 'All of these events are needed.'),
  withinDays: integer('Within so many days.'),
  task: code(SALES_TASKS, 'What to do about it.'),
  dueDays: integer('Within how many days.'),
});
const PACKAGE = fieldTable('RevenuePackageRow', 'What is sold, for a month.', {
  priceMicro: money('The price of the list, VAT included.'),
  usageMicro: money('The cost of usage that the price is made for: an estimate of the cost.'),
});
const SOURCE = fieldTable('RevenuePartnerSourceRow', 'What a partner can do for a client.', {
  commissionBasisPoints: integer('The commission unless another is agreed: 1,000 are 10 %.'),
});
const LINK = fieldTable('RevenueLinkRow', 'Where revenue is read and written.', {
  href: text('Method and path.'),
});

publishReference({
  module: 'revenue',
  type: 'RevenueReference',
  description: 'Events and points of leads, stages, signal rules, tasks, packages and sources.',
  lists: {
    pqlEvents: rows('pql_event', LEAD_EVENTS.rows, EVENT),
    dimensions: rows('dimension', DIMENSIONS.rows, DIMENSION),
    usageSteps: rows('usage_step', USAGE_STEPS.rows, USAGE),
    stages: rows('stage', STAGES.rows, STAGE),
    signalRules: rows('signal_rule', SIGNAL_RULES.rows, RULE),
    resolutions: codes('resolution', RESOLUTIONS),
    salesTasks: codes('sales_task', SALES_TASKS),
    packages: rows('package', PACKAGES.rows, PACKAGE),
    guardrails: codes('guardrail', GUARDRAILS),
    partnerSources: rows('partner_source', SOURCES.rows, SOURCE),
    links: rows('link', LINKS.rows, LINK),
  },
  figures: {
    fields: {
      eventDays: integer('For how many days events count.'),
      usageDays: integer('Over how many days usage is measured.'),
      quoteDays: integer('For how many days a quote holds.'),
      marginBasisPointsMin: integer('A margin below is warned of: 2,500 are 25 %.'),
      quoteHistoryRequestsMin: integer('Answers of real models that a measured cost needs.'),
      quoteHistoryDaysMin: integer('Days since the first of them that a measured cost needs.'),
    },
    values: {
      eventDays: EVENT_DAYS,
      usageDays: USAGE_DAYS,
      quoteDays: QUOTE_DAYS,
      marginBasisPointsMin: Number(MARGIN_BASIS_POINTS_MIN),
      quoteHistoryRequestsMin: QUOTE_HISTORY_MIN.requests,
      quoteHistoryDaysMin: QUOTE_HISTORY_MIN.days,
    },
  },
});
