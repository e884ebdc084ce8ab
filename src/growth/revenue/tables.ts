import { PRICE_ROWS } from '../../catalog/providers/price-ahead.js';
import {
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
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { MICRO_PER_RUB } from '../../kernel/money.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { GUARDRAILS, MICRO_MAX, PACKAGES, SOURCES } from './offers.js';
import {
  DIMENSIONS,
  LEAD_EVENTS,
  OWN_ACCOUNT,
  REF_LENGTH_MAX,
  RESOLUTIONS,
  SALES_TASKS,
  SCORE_VERDICTS,
  SIGNAL_RULES,
  SIGNAL_STATUSES,
  STAGES,
} from './vocabulary.js';

/** An account. */
export const ACCOUNT = text(
  `The account: \`${OWN_ACCOUNT}\` is the organization itself, any other text a client, which is ` +
    '`metadata.client_id` of its requests.',
  { max: REF_LENGTH_MAX },
);
const PARTNER = text('The partner, as you call it.', { max: REF_LENGTH_MAX });
const CLIENT = text('The client, as you call it.', { max: REF_LENGTH_MAX });
const DECLARED = code(PROVENANCES, '`declared`: as it was recorded, and not checked.');

/** An event to record. */
export const EVENT_INPUT = fieldTable('RevenueEventInput', 'What a product tells of a lead.', {
  eventType: code(LEAD_EVENTS, 'What has happened.'),
  accountRef: defaulting(ACCOUNT, OWN_ACCOUNT),
  externalRef: optional(
    text("The caller's own name of the event: it is recorded once.", { max: 256 }),
  ),
});

/** What is kept of an event beside its type and account. */
export const EVENT_BODY = { accountRef: ACCOUNT } as const;

/** An event as it was recorded. */
export const RECORDED_EVENT = fieldTable('RevenueEvent', 'An event of a lead; never changed.', {
  id: uuid('The id of the event.'),
  eventType: code(LEAD_EVENTS, 'What has happened.'),
  accountRef: ACCOUNT,
  externalRef: optional(text("The caller's own name of the event; null without one.")),
  alreadyRecorded: flag('An event of that name was there before, and this is it.'),
  recordedAt: instant('When it was recorded.'),
});

/** A part of a score. */
const COMPONENT = fieldTable('RevenueScoreComponent', 'A part of the score of an account.', {
  dimension: code(DIMENSIONS, 'Which part it is.'),
  points: integer('Its points, which count.'),
  pointsMax: integer('The most points of this part.'),
  eventPoints: integer('Points of recorded events, before the limit of the part.'),
  usagePoints: integer('Points of measured usage; 0 for all other parts.'),
  provenance: code(PROVENANCES, 'Where it comes from: events are what you have declared.'),
});

/** A part of a score. */
export type ScoreComponent = ValuesOf<typeof COMPONENT.fields>;

/** The score of an account. */
export const SCORE = fieldTable(
  'RevenueScore',
  'How far an account is as a product-qualified lead, by published points.',
  {
    accountRef: ACCOUNT,
    verdict: code(SCORE_VERDICTS, 'Whether it could be scored.'),
    score: optional(integer('The points of all parts, 0 to 100; null where it has none.')),
    stage: optional(code(STAGES, 'How far it is; null where it has no score.')),
    recommendedAction: optional(code(SALES_TASKS, 'What to do next; null without a stage.')),
    components: list(object(COMPONENT, 'A part.'), 'The parts of the score.'),
    events: integer('Recorded events of the last 90 days.'),
    requests: integer('Answers of real models in the last 30 days.'),
    usageProvenance: code(PROVENANCES, '`live_measured`: counted from the usage of the account.'),
    openSignals: integer('Signals of the account that nobody has closed.'),
    from: instant('Since when events count.'),
    to: instant('The moment of the score.'),
    reason: optional(text('Why there is no score; null where there is one.')),
    needed: list(text('A missing part.'), 'What would give it a score; empty where it has one.'),
  },
);

/** The score of an account. */
export type Score = ValuesOf<typeof SCORE.fields>;

/** What a stored signal says of itself. */
export const SIGNAL_FIELDS = {
  accountRef: ACCOUNT,
  rule: code(SIGNAL_RULES, 'The rule that events have met.'),
  status: code(SIGNAL_STATUSES, 'How the signal stands.'),
  evidence: list(uuid('An event.'), 'The events that met the rule, in the order of time.'),
  completedBy: uuid('The event that completed the rule.'),
  note: optional(text('What was said when it was closed; null where nothing was.')),
  resolvedBy: optional(uuid('The member or key that closed it; null while it is open.')),
  resolvedAt: optional(instant('When it was closed; null while it is open.')),
  createdAt: instant('When it was derived.'),
} as const;

const CRM_PAYLOAD = fieldTable('RevenueCrmPayload', 'What a CRM needs for a task.', {
  externalId: uuid('The id of the signal, by which a CRM knows it again.'),
  accountRef: ACCOUNT,
  title: text('What the task is called.'),
  task: code(SALES_TASKS, 'What to do about it.'),
  dueAt: instant('By when it should be done.'),
  eventCount: integer('How many events stand behind it.'),
  source: text('Which system it comes from.'),
});

/** What follows from a signal by the published rules. */
export const SIGNAL_ADVICE = {
  reason: text('What the events amount to.'),
  recommendedAction: code(SALES_TASKS, 'What to do about it.'),
  crmPayload: object(CRM_PAYLOAD, 'The same for a CRM.'),
} as const;

/** How a signal is closed. */
export const RESOLVE_INPUT = fieldTable('RevenueSignalResolveInput', 'How a signal is closed.', {
  resolution: code(RESOLUTIONS, 'What became of it.'),
  note: optional(text('What there is to say about it.', { max: 1_000 })),
});

const MONEY_BOUNDS = { min: 0n, max: MICRO_MAX } as const;
const PRICE_BOUNDS = { min: MICRO_PER_RUB, max: MICRO_MAX } as const;

/** A quote to make. */
export const QUOTE_INPUT = fieldTable('RevenueQuoteInput', 'A package for an account.', {
  package: code(PACKAGES, 'What is offered.'),
  accountRef: defaulting(ACCOUNT, OWN_ACCOUNT),
  priceMicro: optional(
    money('The price of a month, VAT included; that of the list unless stated.', PRICE_BOUNDS),
  ),
  costMicro: optional(
    money(
      'What a month costs. Unless stated, it is measured from the history of the account; where ' +
        'that is too short, it is the usage that the package is made for.',
      MONEY_BOUNDS,
    ),
  ),
});

/** What a quote says. */
export const QUOTE_FIELDS = {
  accountRef: ACCOUNT,
  package: code(PACKAGES, 'What is offered.'),
  priceMicro: money('The price of a month, VAT included.'),
  listPriceMicro: money('The price of the list.'),
  costMicro: money('What a month costs.'),
  costProvenance: code(
    PROVENANCES,
    '`declared`: as stated; `live_measured`: what the ledger charged in up to 30 days, scaled to ' +
      'a month; `estimated`: the usage that the package is made for.',
  ),
  priceRows: optional(PRICE_ROWS),
  priceChangeMicro: optional(
    money(
      'What the price rows of the next 30 days change of the measured cost, which holds it; null ' +
        'where a row has no price for what is used, so that nothing certifies the margin, and in ' +
        'quotes of before.',
    ),
  ),
  marginMicro: money('The price minus the cost; negative is a loss.'),
  marginEstimatePercent: number('The margin in percent of the price, rounded down to two places.'),
  guardrail: code(GUARDRAILS, 'What to think of the margin.'),
  minimumPriceMicro: money('The lowest price with a margin of 25 percent.'),
  validUntil: instant('Until when the quote holds.'),
} as const;

/** What a quote says. */
export type Quote = ValuesOf<typeof QUOTE_FIELDS>;

/** An attribution to record. */
export const ATTRIBUTION_INPUT = fieldTable(
  'PartnerAttributionInput',
  'What a partner did for a client.',
  {
    partnerRef: PARTNER,
    clientRef: CLIENT,
    source: code(SOURCES, 'What the partner did; once for each client.'),
    activated: defaulting(flag('The client uses what it has bought.'), false),
    paid: defaulting(flag('The client has paid.'), false),
    mrrMicro: defaulting(money('What the client pays in a month, VAT included.', MONEY_BOUNDS), 0n),
    commissionPercent: optional(
      number('The agreed commission in percent; that of the source unless stated.', {
        min: 0,
        max: 100,
      }),
    ),
  },
);

/** What is kept of an attribution. */
export const ATTRIBUTION_BODY = {
  partnerRef: PARTNER,
  clientRef: CLIENT,
  activated: flag('The client uses what it has bought.'),
  paid: flag('The client has paid.'),
  mrrMicro: money('What the client pays in a month, as stated.'),
  commissionPercent: number('The commission in percent, of this source or as agreed.'),
  commissionDueMicro: money('What is due to the partner for a month.'),
} as const;

/** An attribution as it was recorded. */
export const RECORDED_ATTRIBUTION = fieldTable(
  'PartnerAttribution',
  'What a partner did for a client, with what is due for a month: nothing until the client is ' +
    'activated and has paid. It is never changed.',
  {
    id: uuid('The id of the attribution.'),
    ...ATTRIBUTION_BODY,
    source: code(SOURCES, 'What the partner did.'),
    provenance: DECLARED,
    recordedAt: instant('When it was recorded.'),
  },
);

/** What a partner amounts to. */
export const PARTNER_SUMMARY = fieldTable('PartnerSummary', 'What a partner amounts to.', {
  partnerRef: PARTNER,
  clients: integer('Clients that are attributed to it, each once.'),
  activatedClients: integer('How many of these use what they have bought.'),
  paidClients: integer('How many of these have paid.'),
  mrrMicro: money('What its clients that have paid pay in a month.'),
  expansionMrrMicro: money('How much of it the partner has made them buy more.'),
  commissionDueMicro: money('What is due to it for a month.'),
  attributions: integer('The attributions that this is the sum of.'),
  provenance: DECLARED,
});

const PIPELINE_ACCOUNT = fieldTable('RevenuePipelineAccount', 'An account of the pipeline.', {
  accountRef: ACCOUNT,
  stage: code(STAGES, 'How far the account is.'),
  score: integer('Its score, 0 to 100.'),
  probabilityPercent: integer('The published probability of the stage.'),
  openSignals: integer('Its signals that nobody has closed.'),
  quoteVersion: optional(integer('Its latest quote; null where it has none.')),
  quotePriceMicro: optional(money('The price of that quote; null where it has none.')),
  forecastMicro: optional(
    money('Price times probability, half up; null where the account has no quote that holds.'),
  ),
});

const FORECAST = fieldTable('RevenueForecast', 'What may be sold.', {
  monthlyMicro: money('The forecast of all accounts together, for a month.'),
  accounts: integer('How many accounts are in it.'),
  formula: text('How it is computed.'),
  provenance: code(
    PROVENANCES,
    '`declared`: prices are those of your quotes, and probabilities are published assumptions.',
  ),
});

/** The pipeline, without its signals. */
export const PIPELINE_FIELDS = {
  accounts: list(
    object(PIPELINE_ACCOUNT, 'An account.'),
    'Accounts with events in the last 90 days, the nearest to buying first; at most 200.',
  ),
  accountsLeftOut: flag('There are more accounts than are told one by one, and forecast.'),
  partnerMrrMicro: money('What attributed clients that have paid pay in a month, as declared.'),
  forecast: object(FORECAST, 'What may be sold.'),
} as const;

/** The pipeline, without its signals. */
export type Pipeline = ValuesOf<typeof PIPELINE_FIELDS>;
