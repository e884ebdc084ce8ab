import { MICRO_PER_RUB } from '../../kernel/money.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What is sold for a month, VAT included. `usageMicro` is the usage that the price is for. */
export const PACKAGES = vocabulary('RevenuePackage', 'What is sold for a month.', [
  {
    code: 'pilot',
    description: 'One workflow, to see whether it pays.',
    priceMicro: 90_000n * MICRO_PER_RUB,
    usageMicro: 40_000n * MICRO_PER_RUB,
  },
  {
    code: 'team',
    description: 'A team with its workflows.',
    priceMicro: 180_000n * MICRO_PER_RUB,
    usageMicro: 100_000n * MICRO_PER_RUB,
  },
  {
    code: 'business',
    description: 'Several departments with their workflows.',
    priceMicro: 450_000n * MICRO_PER_RUB,
    usageMicro: 270_000n * MICRO_PER_RUB,
  },
  {
    code: 'enterprise',
    description: 'An organization, with its own routes and terms.',
    priceMicro: 1_500_000n * MICRO_PER_RUB,
    usageMicro: 1_000_000n * MICRO_PER_RUB,
  },
]);

/** What a quote is warned of. */
export const GUARDRAILS = vocabulary('RevenueGuardrail', 'What a quote is warned of.', [
  { code: 'ok', description: 'The margin is 25 percent of the price or more.' },
  {
    code: 'below_minimum',
    description: 'The margin is below 25 percent of the price.',
  },
  { code: 'loss', description: 'The cost is above the price.' },
  {
    code: 'cannot_certify',
    description:
      'The margin would be 25 percent or more by the usage that the package is made for, but the ' +
      'account has too little history to measure its cost, and no cost was stated.',
  },
]);

/** Where a partner's client comes from, with the commission unless another one is agreed. */
export const SOURCES = vocabulary('RevenuePartnerSource', 'What a partner did for a client.', [
  { code: 'referral', description: 'Named the client to us.', commissionBasisPoints: 1_000 },
  {
    code: 'co_sell',
    description: 'Sold to the client together with us.',
    commissionBasisPoints: 1_500,
  },
  {
    code: 'resale',
    description: 'Sold to the client under a contract of its own.',
    commissionBasisPoints: 2_000,
  },
  {
    code: 'marketplace',
    description: 'Was found by the client in the marketplace.',
    commissionBasisPoints: 500,
  },
  {
    code: 'expansion',
    description: 'Made the client buy more than before.',
    commissionBasisPoints: 1_000,
  },
]);

/** What a partner did for a client. */
export type PartnerSource = CodeOf<typeof SOURCES>;

/** Where what belongs to revenue is read and written. */
export const LINKS = vocabulary('RevenueLink', 'Where revenue is read and written.', [
  { code: 'events', description: 'Record an event of a lead.', href: 'POST /v1/gw/revenue/events' },
  { code: 'score', description: 'Score an account.', href: 'GET /v1/gw/revenue/pql/{accountRef}' },
  {
    code: 'derive',
    description: 'Derive the signals of an account.',
    href: 'POST /v1/gw/revenue/signals/derive/{accountRef}',
  },
  { code: 'signals', description: 'Read open signals.', href: 'GET /v1/gw/revenue/signals' },
  { code: 'quotes', description: 'Make a quote.', href: 'POST /v1/gw/revenue/quotes' },
  {
    code: 'attributions',
    description: 'Attribute a client to a partner.',
    href: 'POST /v1/gw/revenue/partners/attributions',
  },
  { code: 'pipeline', description: 'Read the pipeline.', href: 'GET /v1/gw/revenue/pipeline' },
]);

/** A margin below this is warned of, in hundredths of a percent of the price. */
export const MARGIN_BASIS_POINTS_MIN = 2_500n;
/** The least history of a measured cost: answers of real models, and days since the first. */
export const QUOTE_HISTORY_MIN = { requests: 100, days: 7 } as const;
/** All of a whole, in basis points. */
export const BASIS_POINTS = 10_000n;
/** For how many days a quote holds. */
export const QUOTE_DAYS = 30;
/** The highest price, cost or recurring revenue. */
export const MICRO_MAX = 1_000_000_000n * MICRO_PER_RUB;
/** The most clients of a partner that are told apart. */
export const PARTNER_CLIENTS_MAX = 10_000;
