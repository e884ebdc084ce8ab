import { PRICE_ROWS } from '../../catalog/providers/price-ahead.js';
import {
  code,
  fieldTable,
  integer,
  money,
  object,
  optional,
  text,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { contractKind } from '../../records/contract-kinds.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import { PLAN_FIELDS } from './plans.js';
import { FLOOR_FIELDS, PROJECTION_FIELDS } from './tables.js';

/** The plans of an organization: versions only grow. */
export const PRICE_PLANS = contractKind({
  kind: 'price_plan',
  type: 'PricePlan',
  description: 'A version of a plan in the price book of the organization.',
  body: PLAN_FIELDS,
  key: 'plan',
  list: { field: 'pricePlans', permission: 'pricing.read', by: ['priceBookVersion', 'plan'] },
});

/** Where the cost of a request is taken from. */
const COST_FIELDS = {
  costPerRequestMicro: money('What a request costs on average.'),
  costProvenance: code(PROVENANCES, 'Recorded by the gateway, or stated by the caller.'),
  recordedRequests: integer('Requests of the last 30 days that the recorded cost comes from.'),
  priceRows: optional(PRICE_ROWS),
  priceChangeMicro: optional(
    money(
      'What the price rows of the next 30 days change of the recorded usage cost of a month, ' +
        'which holds it; null where a row has no price for what is used, so that the cost is ' +
        'as recorded, and in quotes of before.',
    ),
  ),
} as const;

const PLAN_TERMS = fieldTable('PriceBookTerms', 'The recorded plan, as it stood.', PLAN_FIELDS);

/** Receipts of quotes: once for a quote reference. */
export const PRICE_RECEIPTS = receiptKind({
  kind: 'price_quote',
  type: 'PriceBookReceipt',
  description: 'A quote with the floor gate of its recorded plan, sealed once for its reference.',
  queries: 'pricing.read',
  content: {
    quoteRef: text('What the caller calls the quote.'),
    plan: text('The code of the plan.'),
    planVersion: optional(
      integer("The version of the organization's plan; null for a canonical one."),
    ),
    terms: object(PLAN_TERMS, 'The plan as it was recorded when the quote was sealed.'),
    monthlyRequests: integer('Requests in a month.'),
    ...COST_FIELDS,
    ...PROJECTION_FIELDS,
    ...FLOOR_FIELDS,
  },
});
