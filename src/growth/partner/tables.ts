import { CATEGORIES, PLATFORMS } from '../../delivery/blueprints/vocabulary.js';
import { WINDOW_QUESTION } from '../../finops/reports/tables.js';
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
  sha256,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { VERTICALS } from '../value/vocabulary.js';
import {
  BILLING_MODES,
  CLIENT_LENGTH_MAX,
  FEE_MICRO_MAX,
  LAUNCH_CATEGORIES,
  MARGIN_STATUSES,
  MARKUP_BASIS_POINTS_MAX,
  PARTNER_TIERS,
  REPORT_ITEMS,
  REPORT_LANGUAGES,
  ROWS_MAX,
} from './vocabulary.js';

const CLIENT = text('The client, which is `metadata.client_id` of its requests.', {
  max: CLIENT_LENGTH_MAX,
});
const REASON = optional(text('Why something is not known; null where all is.'));
const NEEDED = list(text('A missing part.'), 'What would lift it; empty where nothing is missing.');

/** What the terms of a client say. */
export const TERMS_FIELDS = {
  clientId: CLIENT,
  billingMode: code(BILLING_MODES, 'How the client is billed.'),
  markupBasisPoints: optional(
    integer('What is added to the cost of usage, in hundredths of a percent; 2,500 are 25 %.', {
      min: 0,
      max: MARKUP_BASIS_POINTS_MAX,
    }),
  ),
  monthlyFeeMicro: optional(
    money('The fee of a month, VAT included.', { min: 0n, max: FEE_MICRO_MAX }),
  ),
  clientName: optional(text('How the client is called in its report.', { max: 200 })),
  brand: optional(text('Whose report the client gets: the name of the partner.', { max: 200 })),
  effectiveFrom: optional(
    instant('From when on the terms hold: now or later; from their publication on by default.'),
  ),
} as const;

/** The terms of a client. */
export type PartnerTerms = ValuesOf<typeof TERMS_FIELDS>;

/** Terms to publish. */
export const TERMS_INPUT = fieldTable('PartnerTermsInput', 'Terms that a client is billed by.', {
  ...TERMS_FIELDS,
  billingMode: defaulting(TERMS_FIELDS.billingMode, 'cost_plus'),
});

/** Whose margins are asked for. */
export const MARGIN_QUESTION = { ...WINDOW_QUESTION, clientId: optional(CLIENT) } as const;

/** What a price says; null where no terms were in force. */
const PRICE_FIELDS = {
  status: code(MARGIN_STATUSES, 'Whether a margin is known.'),
  costMicro: money('What was paid for its requests, VAT included: charges less refunds.'),
  costNetMicro: money('The cost without VAT.'),
  costVatMicro: money('The VAT inside the cost.'),
  unpricedCostMicro: money('How much of the cost came before the terms, and has no price.'),
  usagePriceMicro: optional(money('What usage is billed; null where it is not billed.')),
  feeMicro: optional(money('The fee for the days of the terms; null where there is none.')),
  clientPriceMicro: optional(money('What the client is billed, VAT included; null without terms.')),
  clientPriceNetMicro: optional(money('The same without VAT.')),
  clientPriceVatMicro: optional(money('The VAT inside it, at the general rate of the days.')),
  marginMicro: optional(money('The client price minus the cost of what it is for.')),
  marginNetMicro: optional(money('The same without VAT: what stays with a payer of VAT.')),
  marginVatMicro: optional(money('The VAT of the price minus that of the cost.')),
  marginPercent: optional(
    number('The margin in percent of the client price, to two places; null where it is not known.'),
  ),
} as const;

/** What a client is billed. */
export type ClientPrice = ValuesOf<typeof PRICE_FIELDS>;

/** The margin of a client. */
export const MARGIN_RECEIPT = fieldTable(
  'PartnerMarginReceipt',
  'What a client has cost and what it is billed, by the rows that the client sees.',
  {
    clientId: CLIENT,
    from: instant('The begin of the window.'),
    to: instant('The end of the window, which is outside of it.'),
    ...PRICE_FIELDS,
    billingMode: optional(code(BILLING_MODES, 'How the client is billed; null without terms.')),
    markupBasisPoints: optional(integer('The mark-up of the terms, in hundredths of a percent.')),
    termsVersion: optional(
      integer('The version of the terms that was in force at the end of the window.'),
    ),
    requests: integer('Answers to its requests.'),
    simulatedRequests: integer('How many of these a simulated model gave.'),
    simulatedCostMicro: money('How much of the cost these were charged.'),
    costProvenance: code(PROVENANCES, '`live_measured`: from the usage that the ledger charged.'),
    priceProvenance: code(PROVENANCES, '`declared`: by the terms that the partner has recorded.'),
    reason: REASON,
    needed: NEEDED,
  },
);

/** The margin of a client. */
export type MarginReceipt = ValuesOf<typeof MARGIN_RECEIPT.fields>;

/** The margins of a partner. */
export const PARTNER_MARGIN = fieldTable('PartnerMargin', 'The margins of a partner.', {
  from: instant('The begin of the window.'),
  to: instant('The end of the window, which is outside of it.'),
  tier: code(PARTNER_TIERS, 'How far the partner has come, by its usage of the window.'),
  clients: integer('Clients with usage in the window.'),
  costMicro: money('What was paid for the requests of all clients, VAT included.'),
  costNetMicro: money('The same without VAT.'),
  costVatMicro: money('The VAT inside it.'),
  pricedCostMicro: money('How much of it is of clients with terms.'),
  clientPriceMicro: money('What clients with terms are billed.'),
  clientPriceNetMicro: money('The same without VAT.'),
  clientPriceVatMicro: money('The VAT inside it.'),
  marginMicro: money('Their price minus the cost of what it is for.'),
  marginNetMicro: money('The same without VAT.'),
  marginVatMicro: money('The VAT of the price minus that of the cost.'),
  unassignedCostMicro: money('What was paid for requests that name no client.'),
  receipts: list(
    object(MARGIN_RECEIPT, 'A client.'),
    `The clients, the most expensive first; at most ${ROWS_MAX}.`,
  ),
});

/** What clients are shown is asked for: never cost or margin. */
export const CLIENT_QUESTION = {
  ...MARGIN_QUESTION,
  language: optional(
    code(
      REPORT_LANGUAGES,
      'The language of what clients read; by `accept-language`, else Russian, unless stated.',
    ),
  ),
} as const;

/** A row of a report as a table. */
export const CLIENT_ROW = fieldTable(
  'PartnerReportRow',
  'A row of a report that goes to a client: it shows prices, and never cost or margin.',
  {
    clientId: CLIENT,
    clientName: text('How the client is called.'),
    brand: optional(text('Whose report it is; null where the terms name nobody.')),
    from: text('The begin of the period in the time zone, such as 2026-11-01 00:00.'),
    to: text('The end of the period in the time zone, which is outside of it.'),
    timeZone: text('The time zone of the period.'),
    item: code(REPORT_ITEMS, 'What the row tells.'),
    vertical: optional(code(VERTICALS, 'The line of work; null but for usage.')),
    title: text('The same in the words of the language.'),
    requests: optional(integer('Answers to requests; null for a fee.')),
    priceMicro: optional(money('What is billed, VAT included; null where no price is known.')),
    netMicro: optional(money('The same without VAT.')),
    vatMicro: optional(money('The VAT inside it.')),
  },
);

/** A row of a report as a table. */
export type ClientRow = ValuesOf<typeof CLIENT_ROW.fields>;

/** What a report is asked for. */
export const REPORT_QUESTION = {
  ...MARGIN_QUESTION,
  showMargin: defaulting(
    flag(
      'Whether cost and margin are shown. Tables and pages, which go to clients, never show them.',
    ),
    true,
  ),
} as const;

/** A line of a client report. */
const REPORT_LINE = fieldTable('PartnerReportLine', 'Usage of a client in one vertical.', {
  clientId: CLIENT,
  vertical: code(VERTICALS, 'The line of work.'),
  requests: integer('Answers to its requests.'),
  usagePriceMicro: optional(money('What this usage is billed; null where usage is not billed.')),
  usagePriceVatMicro: optional(money('The VAT inside it.')),
  costMicro: optional(money('What the ledger charged for it; null where it is not shown.')),
  marginMicro: optional(money('The price minus the cost; null where it is not known or shown.')),
});

/** A line of a client report. */
export type ReportLine = ValuesOf<typeof REPORT_LINE.fields>;

const REPORT_CLIENT = fieldTable('PartnerReportClient', 'A client of a report.', {
  clientId: CLIENT,
  clientName: text('How the client is called.'),
  brand: optional(text('Whose report it is; null where the terms name nobody.')),
  requests: integer('Answers to its requests.'),
  feeMicro: optional(money('The fee for the days of the terms; null where there is none.')),
  feeVatMicro: optional(money('The VAT inside it.')),
  clientPriceMicro: optional(money('What the client is billed, VAT included; null without terms.')),
  clientPriceNetMicro: optional(money('The same without VAT.')),
  clientPriceVatMicro: optional(money('The VAT inside it.')),
  costMicro: optional(money('What the ledger charged; null where it is not shown.')),
  marginMicro: optional(money('The price minus the cost; null where it is not known or shown.')),
  lines: list(object(REPORT_LINE, 'A line.'), 'Its usage by vertical.'),
  reason: REASON,
  needed: NEEDED,
});

/** A client of a report. */
export type ReportClient = ValuesOf<typeof REPORT_CLIENT.fields>;

/** A white-label report. */
export const PARTNER_REPORT = fieldTable(
  'PartnerReport',
  'Usage of clients by vertical under the name of the partner, with its margin where it is shown.',
  {
    from: instant('The begin of the window.'),
    to: instant('The end of the window, which is outside of it.'),
    showsMargin: flag('Whether cost and margin are shown.'),
    provenance: code(PROVENANCES, '`live_measured`: from the usage that the ledger charged.'),
    clients: list(object(REPORT_CLIENT, 'A client.'), 'The clients, the most expensive first.'),
  },
);

/** A white-label report. */
export type PartnerReport = ValuesOf<typeof PARTNER_REPORT.fields>;

/** Which deployments of the launch kit are asked for. */
export const KIT_QUESTION = {
  category: optional(
    code(CATEGORIES, `Only blueprints of this category: ${LAUNCH_CATEGORIES.join(', ')}.`),
  ),
} as const;

/** A deployment of the launch kit. */
export const LAUNCH_BLUEPRINT = fieldTable(
  'PartnerLaunchBlueprint',
  'A blueprint of this server that a partner can deploy for a client.',
  {
    id: text('The id of the blueprint.'),
    name: text('What it is called.'),
    description: text('What it does for a client.'),
    category: code(CATEGORIES, 'What it is for.'),
    vertical: code(VERTICALS, 'Where its usage stands in reports.'),
    version: text('The version of the manifest.'),
    manifestHash: sha256('SHA-256 of the manifest as canonical JSON.'),
    feature: text('`metadata.feature` of its requests.'),
    platforms: list(code(PLATFORMS, 'A platform.'), 'Where it can be called from.'),
    stepCount: integer('How many steps it has.'),
    monthlyBudgetMicro: money('A monthly budget to begin with.'),
    readinessScore: integer('How ready it is on this server, 0 to 100.'),
    lintErrors: integer('What keeps it from running; none in what is published.'),
    launchCalls: list(text('A call.'), 'The calls that launch it, in their order.'),
  },
);
