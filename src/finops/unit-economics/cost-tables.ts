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
  periodBegin,
  periodEnd,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { REPORT_DAYS } from '../../kernel/window.rules.js';
import { LEAKAGE_FIELDS, MAP_FIELDS, SHARE, VELOCITY_FIELDS } from './tables.js';
import {
  CATEGORIES,
  CERTIFICATIONS,
  CONFIDENCES,
  CONSUMERS_MAX,
  COST_KINDS,
  COST_SOURCES,
  DRIVERS,
  GATEWAY_SUPPLIER,
  MICRO_MAX,
  VELOCITY_HOURS_DEFAULT,
} from './vocabulary.js';

/** The longest look back at spend: 366 days. */
export const HOURS = { min: 1, max: 8_784 } as const;
const AMOUNT = { min: 0n, max: MICRO_MAX };
const NAME = { max: 128 };
const REASON = optional(text('Why nothing is certified; null where something is.'));
const NEEDED = list(text('A missing part.'), 'What would have to be there; empty where all is.');
const MEASURED = code(PROVENANCES, '`live_measured`: from recorded rows of the organization.');

const REQUEST = optional(uuid('The request that it was paid for; joined with recorded usage.'));
const TAG = optional(
  text("The caller's own word for whose cost it is; never more than that.", NAME),
);
const DRIVER = optional(
  code(DRIVERS, 'For a shared cost: the measured driver by which it is split over clients.'),
);

/** A cost to record. */
export const COST_INPUT = fieldTable('CostEventInput', 'A cost to record, or an invoice.', {
  eventId: optional(
    text("The caller's own id: recording it again changes nothing. One is given by default.", NAME),
  ),
  kind: defaulting(code(COST_KINDS, 'What it was paid for.'), 'other'),
  netMicro: money('What it costs, net of VAT.', AMOUNT),
  vatMicro: defaulting(money('The VAT on it, apart from the net.', AMOUNT), 0n),
  occurredAt: optional(instant('When it was incurred; now by default.')),
  requestId: REQUEST,
  driver: DRIVER,
  clientTag: TAG,
  category: optional(
    code(CATEGORIES, 'What became of the work; not known by default, and never assumed.'),
  ),
  supplier: optional(
    text(`Who is paid for it. An invoice without one is of \`${GATEWAY_SUPPLIER}\`.`, NAME),
  ),
  billedMonth: optional(text('For an invoice: the month that it bills, as `2026-10`.', { max: 7 })),
  note: optional(text('Anything that those who read it later should know.', { max: 500 })),
  replacesId: optional(uuid('The `id` of a wrong event, which then no longer counts.')),
});
export type CostStated = ValuesOf<typeof COST_INPUT.fields>;

const WHOSE = {
  confidence: code(CONFIDENCES, 'How sure it is whose cost it is; decided by the server.'),
  why: text('Why it is as sure as that.'),
  clientId: optional(text('The client: of the request, else the tag; null where nobody is known.')),
  feature: optional(text('The feature of the request; null without a request.')),
  projectId: optional(uuid('The project of the request; null without a request.')),
} as const;

/** A recorded cost. */
export const COST_FIELDS = {
  eventId: text("The caller's own id of the event."),
  kind: code(COST_KINDS, 'What it was paid for.'),
  category: optional(code(CATEGORIES, 'What became of the work; null where it is not known.')),
  netMicro: money('What it costs, net of VAT.'),
  vatMicro: money('The VAT on it, apart from the net.'),
  grossMicro: money('Net and VAT together.'),
  occurredAt: instant('When it was incurred.'),
  ...WHOSE,
  requestId: optional(uuid('The request that was named; null without one.')),
  driver: optional(code(DRIVERS, 'The driver of a shared cost; null for any other.')),
  clientTag: optional(text('The tag that the caller gave; null without one.')),
  supplier: optional(text('Who is paid for it; null where nobody said.')),
  billedMonth: optional(text('The month that an invoice bills; null for a cost.')),
  note: optional(text('What those who read it later should know; null without it.')),
  replacesId: optional(uuid('The event that no longer counts; null where it replaces none.')),
  recordedAt: instant('When it was recorded first.'),
} as const;

/** A cost as it was recorded, now or before. */
export const RECORDED_COST = fieldTable('RecordedCostEvent', 'A cost as it was recorded.', {
  id: uuid('The id of the event.'),
  ...COST_FIELDS,
  duplicate: flag('Whether the same event had been recorded before.'),
});

/** A cost to attribute. */
export const ALLOCATION_INPUT = fieldTable('CostAllocationInput', 'A cost to attribute.', {
  requestId: REQUEST,
  driver: DRIVER,
  clientTag: TAG,
  netMicro: optional(
    money('The cost to split, net of VAT; without it no shares are told.', AMOUNT),
  ),
  occurredAt: optional(instant('When it was incurred; its month is that of the units.')),
});

const ALLOCATION_REASON = fieldTable('CostAllocationReason', 'What speaks for a confidence.', {
  confidence: code(CONFIDENCES, 'The confidence that it speaks for.'),
  why: text('What was joined.'),
});

/** How sure it is whose cost something is. */
export const ALLOCATION = fieldTable('CostAllocation', 'How sure it is whose cost something is.', {
  ...WHOSE,
  reasons: list(
    object(ALLOCATION_REASON, 'A reason.'),
    'All that applies, the deciding one first.',
  ),
  shares: list(
    object(SHARE, 'A share.'),
    `For ALLOCATED: what clients bear, the ${CONSUMERS_MAX} with most units by their names; all ` +
      'others and requests without a client share the one that has no name.',
  ),
  provenance: MEASURED,
});

/** A window of recorded costs. */
export const WINDOW = {
  from: optional(
    periodBegin(`Begin of the window; ${REPORT_DAYS.default} days before its end by default.`),
  ),
  to: optional(periodEnd('End of the window; now unless it is stated.')),
} as const;

const WINDOW_SHOWN = {
  from: instant('Begin of the window.'),
  to: instant('End of the window; what happens at this moment is outside.'),
} as const;

const SOURCE_SUM = fieldTable('CostSourceSum', 'Recorded costs of one source.', {
  source: code(COST_SOURCES, 'Where they come from.'),
  isCounted: flag('Whether they are in the total.'),
  events: integer('How many charges or events they are.'),
  netMicro: money('Their sum, net of VAT and less refunds.'),
});

/** What recorded costs add up to. */
const COVERAGE_FIELDS = {
  verdict: code(CERTIFICATIONS, 'Whether there is any cost to measure.'),
  reason: REASON,
  needed: NEEDED,
  coverageBasisPoints: optional(integer('DIRECT of the total, rounded down; null without one.')),
  totalMicro: money('All recorded cost, net of VAT; what the ledger knows is counted once.'),
  directMicro: money('What of it is DIRECT.'),
  allocatedMicro: money('What of it is ALLOCATED.'),
  estimatedMicro: money('What of it is ESTIMATED.'),
  unallocatedMicro: money('What of it is UNALLOCATED.'),
  sources: list(object(SOURCE_SUM, 'A source.'), 'Where the costs come from.'),
} as const;
export type Coverage = ValuesOf<typeof COVERAGE_FIELDS>;

/** How much of recorded cost is attributed. */
export const COVERAGE = fieldTable('CostCoverage', 'How much of recorded cost is attributed.', {
  ...COVERAGE_FIELDS,
  ...WINDOW_SHOWN,
  provenance: MEASURED,
});

/** What of recorded cost leaked. */
export const LEAKAGE_MEASURED = fieldTable(
  'MarginLeakageMeasured',
  'What of recorded cost went into work that nobody had any use of.',
  { ...LEAKAGE_FIELDS, ...WINDOW_SHOWN, provenance: MEASURED },
);

/** Over how many hours recorded spend is looked at. */
export const VELOCITY_QUESTION = {
  hours: defaulting(
    number('The last so many hours, 1 to 8,784; a day, 24, unless stated.', HOURS),
    VELOCITY_HOURS_DEFAULT,
  ),
} as const;

/** How fast the funds go. */
export const VELOCITY_MEASURED = fieldTable(
  'CostVelocityMeasured',
  'How fast the funds of the account go, VAT included, as the ledger shows it.',
  {
    verdict: code(CERTIFICATIONS, 'Whether anything was charged in the window.'),
    reason: REASON,
    needed: NEEDED,
    ...VELOCITY_FIELDS,
    burnPerHourMicro: optional(money('Spend an hour, rounded half up; null without a charge.')),
    ...WINDOW_SHOWN,
    provenance: MEASURED,
  },
);

const REVENUE = fieldTable('CustomerRevenueInput', 'What a customer has paid.', {
  customer: text('The client, as `metadata.client_id` of requests names it.', NAME),
  revenueMicro: money('What it has paid in the window, net of VAT.', AMOUNT),
});

/** Customers whose cost the ledger shows. */
export const MEASURED_MAP_INPUT = fieldTable(
  'CustomerProfitabilityInput',
  'What customers have paid; what they have cost is measured.',
  {
    customers: list(object(REVENUE, 'A customer.'), 'The customers, with what they have paid.', {
      min: 1,
      max: CONSUMERS_MAX,
    }),
    ...WINDOW,
  },
);

/** How profitable customers are by recorded cost. */
export const MEASURED_MAP = fieldTable(
  'CustomerProfitabilityMap',
  'How profitable customers are: stated revenue against recorded cost.',
  {
    ...MAP_FIELDS,
    ...WINDOW_SHOWN,
    revenueProvenance: code(PROVENANCES, '`declared`: stated by the caller.'),
    costProvenance: MEASURED,
  },
);

const METRIC = fieldTable('FinopsMetric', 'A metric with where it comes from.', {
  verdict: code(CERTIFICATIONS, 'Whether the metric is certified.'),
  provenance: optional(code(PROVENANCES, 'Where it comes from; null where it is not certified.')),
  valueBasisPoints: optional(integer('The part of the whole; null where it is not certified.')),
  partMicro: optional(
    money('The part, net of VAT unless `basis` says otherwise; null where it is not certified.'),
  ),
  wholeMicro: optional(
    money('The whole, net of VAT unless `basis` says otherwise; null where it is not certified.'),
  ),
  basis: text('What is compared with what.'),
  reason: REASON,
  needed: NEEDED,
});
export type Metric = ValuesOf<typeof METRIC.fields>;

/** A period to seal. */
export const RECEIPT_INPUT = fieldTable('FinopsReceiptInput', 'A period that is to be sealed.', {
  period: optional(
    text('A month in Moscow, as `2026-10`; the one that goes on by default.', { max: 7 }),
  ),
});

/** What a FinOps receipt says. */
export const RECEIPT_FIELDS = {
  period: text('The month in Moscow.'),
  isFinal: flag('Whether the month was over. One that goes on is sealed once a day, as it stands.'),
  from: instant('Begin of the period.'),
  to: instant('End of the period, or the moment of sealing while it goes on.'),
  totalMicro: money('All recorded cost, net of VAT.'),
  allocatedCoverage: object(METRIC, 'The share of cost that is DIRECT.'),
  invoiceVariance: object(METRIC, 'How far invoices are from recorded cost.'),
  forecastError: object(METRIC, 'How far forecasts were from the cost; `basis` says which.'),
  marginLeakage: object(METRIC, 'The share of cost that nobody had any use of.'),
} as const;
export type FinopsContent = ValuesOf<typeof RECEIPT_FIELDS>;
