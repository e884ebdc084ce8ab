import type { Category } from '../../delivery/blueprints/vocabulary.js';
import { MICRO_PER_RUB } from '../../kernel/money.js';
import { vocabulary } from '../../kernel/vocabulary.js';
import type { Vertical } from '../value/vocabulary.js';

/** How a partner bills a client. */
export const BILLING_MODES = vocabulary('PartnerBillingMode', 'How a partner bills a client.', [
  {
    code: 'cost_plus',
    description: 'Usage at its cost with the mark-up on it.',
    hasMarkup: true,
    hasFee: false,
  },
  {
    code: 'fixed_fee',
    description: 'A monthly fee, whatever the usage costs.',
    hasMarkup: false,
    hasFee: true,
  },
  {
    code: 'fee_plus_usage',
    description: 'A monthly fee, and usage at its cost with the mark-up on it.',
    hasMarkup: true,
    hasFee: true,
  },
]);

/** What a margin is made of. */
export const MARGIN_MODEL = vocabulary('PartnerMarginTerm', 'A part of a margin.', [
  {
    code: 'cost',
    description: 'What the ledger charged for the requests of the client, VAT included.',
  },
  {
    code: 'usage_price',
    description: 'The cost with the mark-up on it, rounded up to the micro-ruble.',
  },
  {
    code: 'fee',
    description: 'The monthly fee for the days of the window, a month having 30, half up.',
  },
  { code: 'client_price', description: 'Usage price and fee, as the billing mode has them.' },
  {
    code: 'margin',
    description:
      'The client price minus the cost of what it is for; negative is a loss. Net is the rest ' +
      'of both without VAT.',
  },
]);

/** How far a partner has come, by what its clients use: the first row that is reached. */
export const PARTNER_TIERS = vocabulary('PartnerTier', 'How far a partner has come.', [
  {
    code: 'leading',
    description: 'Ten clients or more, with usage of half a million rubles in 30 days.',
    clientsMin: 10,
    costRubMin: 500_000,
  },
  {
    code: 'growing',
    description: 'Three clients or more, with usage of fifty thousand rubles in 30 days.',
    clientsMin: 3,
    costRubMin: 50_000,
  },
  {
    code: 'registered',
    description: 'Every organization that bills clients of its own.',
    clientsMin: 0,
    costRubMin: 0,
  },
]);

/** The languages of what clients read. */
export const REPORT_LANGUAGES = vocabulary('PartnerReportLanguage', 'A language of reports.', [
  { code: 'ru', description: 'Russian, as it is where nothing is wished.' },
  { code: 'en', description: 'English, for clients outside of Russia.' },
]);

/** What a row of a client report tells. */
export const REPORT_ITEMS = vocabulary('PartnerReportItem', 'What a row of a report tells.', [
  { code: 'usage', description: 'Usage in one line of work.' },
  { code: 'fee', description: 'The fee for the days of the window.' },
  { code: 'total', description: 'All that the client is billed, VAT included.' },
]);

/** Whether a margin is known. */
export const MARGIN_STATUSES = vocabulary('PartnerMarginStatus', 'Whether a margin is known.', [
  { code: 'computed', description: 'Usage and terms are recorded.' },
  {
    code: 'partly_priced',
    description: 'A part of the usage came before the terms, which never reach before their begin.',
  },
  { code: 'cannot_price', description: 'No terms were in force, so there is no client price.' },
]);

/** The categories of blueprints that a launch kit has, and the vertical of their features. */
export const LAUNCH_CATEGORIES: readonly Category[] = [
  'crm',
  'rag',
  'tenders',
  'documents',
  'calls',
];

/** The vertical that the feature of a blueprint stands in, by its category. */
export const VERTICAL_OF_CATEGORY: Readonly<Partial<Record<Category, Vertical>>> = {
  crm: 'calls',
  calls: 'calls',
  tenders: 'tenders',
  procurement: 'tenders',
  documents: 'documents',
  finance: 'documents',
  hr: 'documents',
  ecommerce: 'creatives',
  marketing: 'creatives',
  rag: 'knowledge',
  support: 'knowledge',
  employee: 'knowledge',
};

/** The highest mark-up: a hundred times the cost. */
export const MARKUP_BASIS_POINTS_MAX = 1_000_000;
/** Shares of a whole are in basis points: 10,000 are all of it. */
export const BASIS_POINTS = 10_000;
/** The longest name of a client: that of the metadata of a request. */
export const CLIENT_LENGTH_MAX = 512;
/** A fee is for so many days, and a tier is by the usage of so many. */
export const MONTH_DAYS = 30;
/** The highest monthly fee. */
export const FEE_MICRO_MAX = 1_000_000_000n * MICRO_PER_RUB;
/** The most periods of different terms or rates of tax that a window is made of. */
export const PERIODS_MAX = 40;
/** The most clients, or lines of a report, that an answer tells one by one. */
export const ROWS_MAX = 1_000;
