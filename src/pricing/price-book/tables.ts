import {
  allOptional,
  code,
  day,
  defaulting,
  fieldTable,
  integer,
  list,
  money,
  number,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PLAN_FIELDS } from './plans.js';
import {
  BASIS_POINTS,
  COMPONENTS,
  DEAL_VERDICTS,
  FLOOR_VERDICTS,
  GIVES,
  HARD_RULES,
  MICRO_MAX,
  QUOTE_VERDICTS,
  REBATE_BASES,
  VARIATION_DEFAULT,
  VARIATION_MAX,
} from './vocabulary.js';

const AMOUNT = { min: 0n, max: MICRO_MAX };
const PLAN = text('The code of a recorded plan, such as `team`.', { max: 64 });
const BROKEN = list(code(HARD_RULES, 'A hard rule.'), 'The hard rules that stand against it.');
const FEE = optional(
  money('The offered monthly fee, net of VAT; that of the plan where it is left out.', AMOUNT),
);
const VARIATION = defaulting(
  number('How far monthly cost spreads: its standard deviation as a share of its mean.', {
    min: 0,
    max: VARIATION_MAX,
  }),
  VARIATION_DEFAULT,
);
const GIVE = code(GIVES, 'Something that is given.');
const GIVEN = defaulting(list(GIVE, 'What is given in return for a discount.', { max: 10 }), []);
const REQUESTS = integer('Requests in a month.', { min: 0, max: 1_000_000_000 });

/** A plan as it is published: what is left out stays as it was, or as the canonical plan has it. */
export const PLAN_INPUT = fieldTable('PricePlanInput', 'A version of a plan to publish.', {
  ...allOptional(PLAN_FIELDS),
  plan: PLAN_FIELDS.plan,
});

/** A quote that is to be sealed. */
export const RECEIPT_INPUT = fieldTable('PriceBookReceiptInput', 'A quote that is to be sealed.', {
  quoteRef: text('What the quote is called; it is sealed once.', { max: 128 }),
  plan: PLAN,
  priceBookVersion: optional(
    text('The edition to quote from; the latest of the plan where it is left out.', { max: 32 }),
  ),
  monthlyRequests: REQUESTS,
  costPerRequestMicro: optional(
    money('What a request costs; as recorded in the last 30 days where it is left out.', AMOUNT),
  ),
  variation: VARIATION,
  platformFeeMicro: FEE,
  gives: GIVEN,
});

const SCENARIO = fieldTable('PriceScenario', 'A month of a plan at one usage cost.', {
  usageCostMicro: money('What the usage costs.'),
  usageBilledMicro: money('Usage at its price, beyond what the fee includes; net of VAT.'),
  netMicro: money('The whole month, net of VAT.'),
  vatMicro: money('The value added tax on it, half up.'),
  grossMicro: money('The whole month with tax.'),
  contributionMarginMicro: money('What remains of the net after usage and service cost.'),
  contributionMarginBasisPoints: optional(
    number('The same as a share of the net, rounded down; null where the net is nothing.'),
  ),
});

/** A month of a plan at one usage cost. */
export type Scenario = ValuesOf<typeof SCENARIO.fields>;

/** What a projection says. */
export const PROJECTION_FIELDS = {
  expected: object(SCENARIO, 'The month at its mean usage cost.'),
  p80: object(SCENARIO, 'The month at the usage cost that four of five months stay within.'),
  p95: object(SCENARIO, 'The month at the cost that nineteen of twenty months stay within.'),
  worst: object(SCENARIO, 'The month at the cost that all but one of a thousand stay within.'),
  vatRateBasisPoints: integer('The rate of value added tax on the day of supply.'),
} as const;

/** A projection of a month. */
export type Projection = ValuesOf<typeof PROJECTION_FIELDS>;

/** A month to price. */
export const QUOTE_INPUT = fieldTable('PriceQuoteInput', 'A month that is to be priced.', {
  plan: PLAN,
  monthlyRequests: REQUESTS,
  costPerRequestMicro: money('What a request costs on average.', AMOUNT),
  variation: VARIATION,
  platformFeeMicro: FEE,
  supplyDay: optional(day('The day of supply, which names the VAT rate; today if left out.')),
});

/** A forward projection. */
export const QUOTE = fieldTable(
  'PriceQuote',
  'A forward projection of a month: log-normal usage cost with the stated mean and variation.',
  {
    verdict: code(QUOTE_VERDICTS, 'Whether there is a recorded plan to quote from.'),
    plan: text('The code of the plan.'),
    priceBookVersion: text('The edition of the price book that the plan stands in.'),
    ...PROJECTION_FIELDS,
  },
);

/** A price to judge. */
export const FLOOR_INPUT = fieldTable('PriceFloorInput', 'A price that is to be judged.', {
  plan: PLAN,
  netMicro: money('The offered price of a month, net of VAT.', AMOUNT),
  usageCostMicro: defaulting(money('What the usage of the month costs.', AMOUNT), 0n),
});

/** What the floor gate finds. */
export const FLOOR_FIELDS = {
  verdict: code(FLOOR_VERDICTS, 'Whether the price may be offered.'),
  floorMicro: money('The floor of the month by the recorded plan, net of VAT.'),
  headroomMicro: money('How far the price is above the floor; negative below it.'),
  brokenRules: BROKEN,
} as const;

/** What the floor gate finds. */
export type FloorFound = ValuesOf<typeof FLOOR_FIELDS>;

/** A price against its floor. */
export const FLOOR = fieldTable('PriceFloor', 'A price against its floor.', {
  plan: text('The code of the plan.'),
  priceBookVersion: text('The edition of the price book that the plan stands in.'),
  ...FLOOR_FIELDS,
});

/** A discount to judge. */
export const DISCOUNT_INPUT = fieldTable('PriceDiscountInput', 'A discount that is asked for.', {
  plan: PLAN,
  component: defaulting(code(COMPONENTS, 'What the discount is on.'), 'platform_fee'),
  discountBasisPoints: integer('The discount in basis points.', { min: 1, max: BASIS_POINTS }),
  gives: GIVEN,
});

/** A discount that is asked for. */
export type DiscountAsked = Omit<ValuesOf<typeof DISCOUNT_INPUT.fields>, 'plan'>;

/** A discount against its rules. */
export const DISCOUNT = fieldTable('PriceDiscount', 'A discount against the rules of its plan.', {
  verdict: code(DEAL_VERDICTS, 'Whether the discount may be given.'),
  brokenRules: BROKEN,
  discountMaxBasisPoints: integer('The highest discount that the plan allows.'),
  platformFeeMicro: money('The monthly fee: with the discount if approved, else in full.'),
  platformFeeFloorMicro: money('The lowest monthly fee of the plan.'),
});

/** A pilot to judge. */
export const PILOT_INPUT = fieldTable('PaidPilotInput', 'A pilot that is to be sold.', {
  plan: PLAN,
  feeMicro: money('The fee of the pilot, net of VAT.', AMOUNT),
  startsOn: optional(day('The first day; today in Moscow where it is left out.')),
  decisionOn: optional(day('The day on which production is decided.')),
});

/** A pilot that is to be sold. */
export type PilotAsked = Omit<ValuesOf<typeof PILOT_INPUT.fields>, 'plan'>;

/** A pilot against its rules. */
export const PILOT = fieldTable('PaidPilot', 'A pilot against the rules of its plan.', {
  verdict: code(DEAL_VERDICTS, 'Whether the pilot may be sold.'),
  brokenRules: BROKEN,
  feeMicroMin: money('The lowest fee of a pilot of the plan, net of VAT.'),
  startsOn: day('The first day of the pilot.'),
  decisionOn: optional(day('The day on which production is decided; null where none is named.')),
  days: optional(integer('Days from the start to the decision; null without one.')),
  creditMicro: money('What of the fee is credited when the contract is signed.'),
});

/** A rebate to judge. */
export const REBATE_INPUT = fieldTable('PartnerRebateInput', 'A rebate that is asked for.', {
  revenueMicro: optional(money('What the customers of the partner paid, net of VAT.', AMOUNT)),
  usageCostMicro: optional(money('What their usage cost.', AMOUNT)),
  serviceCostMicro: defaulting(money('What serving them cost.', AMOUNT), 0n),
  debtMicro: defaulting(money('What the partner owes.', AMOUNT), 0n),
  basis: defaulting(code(REBATE_BASES, 'What the rebate is asked for.'), 'gross_profit'),
});

/** A rebate that is asked for. */
export type RebateAsked = ValuesOf<typeof REBATE_INPUT.fields>;

/** A rebate against its rules. */
export const REBATE = fieldTable('PartnerRebate', 'A rebate against its rules.', {
  verdict: code(DEAL_VERDICTS, 'Whether there is a rebate.'),
  brokenRules: BROKEN,
  grossProfitMicro: money('Revenue less the cost of usage and service.'),
  rebateBasisPoints: integer('The share of the gross profit that a partner gets.'),
  rebateMicro: money('The rebate, rounded down; nothing when blocked.'),
});
