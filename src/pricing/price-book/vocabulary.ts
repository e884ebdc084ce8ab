import { MICRO_PER_RUB } from '../../kernel/money.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** Whether a plan may stand in a contract. */
export const PLAN_STATUSES = vocabulary('PricePlanStatus', 'Whether a plan may be sold.', [
  { code: 'canonical', description: 'May stand in a contract.' },
  { code: 'hypothesis', description: 'Tried out on paper; a quote of it is not for a contract.' },
]);

/** What a floor gate or a receipt decides. */
export const FLOOR_VERDICTS = vocabulary('PriceFloorVerdict', 'What the floor gate decides.', [
  { code: 'PASS', description: 'The price is at or above the floor of the recorded plan.' },
  { code: 'BLOCKED', description: 'The price is below the floor, or there is no recorded plan.' },
  { code: 'NOT_FOR_CONTRACT', description: 'The plan is a hypothesis; its price binds nobody.' },
]);

/** A verdict of the floor gate. */
export type FloorVerdict = CodeOf<typeof FLOOR_VERDICTS>;

/** What a quote decides. */
export const QUOTE_VERDICTS = vocabulary('PriceQuoteVerdict', 'Whether a quote could be made.', [
  { code: 'quoted', description: 'The projection follows from the recorded plan.' },
  { code: 'cannot_quote', description: 'No recorded plan has this code, so there is no price.' },
]);

/** What the gates of discounts, pilots and rebates decide. */
export const DEAL_VERDICTS = vocabulary('PriceDealVerdict', 'What a commercial gate decides.', [
  { code: 'APPROVED', description: 'No hard rule stands against it.' },
  { code: 'BLOCKED', description: 'At least one hard rule stands against it, or facts lack.' },
]);

/**
 * The scenarios of a quote: how far up the distribution of the monthly usage cost they stand. `z`
 * is the quantile of the standard normal distribution; null is the mean.
 */
export const SCENARIOS = vocabulary('PriceScenarioName', 'A scenario of a quote.', [
  { code: 'expected', description: 'The mean of the monthly usage cost.', z: null },
  { code: 'p80', description: 'Four of five months cost at most this.', z: 0.841621 },
  { code: 'p95', description: 'Nineteen of twenty months cost at most this.', z: 1.644854 },
  {
    code: 'worst',
    description: 'All but one of a thousand months cost at most this.',
    z: 3.090232,
  },
]);

/** What a discount can be given on. */
export const COMPONENTS = vocabulary('PriceComponent', 'A part of a price.', [
  { code: 'platform_fee', description: 'The monthly fee; the only part with a discount.' },
  { code: 'usage', description: 'Usage passed through; its cost is paid to others.' },
]);

/** What a customer can give for a discount. */
export const GIVES = vocabulary('PriceGive', 'What a customer gives in return for a discount.', [
  { code: 'annual_prepayment', description: 'A year paid in advance.' },
  { code: 'multi_year_term', description: 'A term of two years or more.' },
  { code: 'committed_volume', description: 'A minimum of paid usage.' },
  { code: 'public_reference', description: 'A public reference or case study.' },
]);

/** What a partner's rebate is asked for. */
export const REBATE_BASES = vocabulary('PartnerRebateBasis', 'What a rebate is computed from.', [
  { code: 'gross_profit', description: 'The profit that the partner has brought in.' },
  { code: 'volume', description: 'Turnover, whether it earned anything or not; never accepted.' },
]);

/** The rules that no caller can move, each with a code that answers name. */
export const HARD_RULES = vocabulary('PriceHardRule', 'A rule of the price book.', [
  {
    code: 'plan_is_recorded',
    description: 'A price comes from a recorded plan, or there is none.',
  },
  { code: 'quote_is_projection', description: 'A quote looks forward; it is never a bill.' },
  { code: 'floor_from_plan', description: 'The floor comes from the plan, never from a request.' },
  { code: 'floor_blocks', description: 'A price below the floor is blocked.' },
  { code: 'hypothesis_binds_nobody', description: 'A plan on trial is not for a contract.' },
  { code: 'versions_only_grow', description: 'A published version of a plan is never changed.' },
  { code: 'sealed_once', description: 'A quote reference is sealed once.' },
  { code: 'discount_on_fee_only', description: 'Usage passed through has no discount.' },
  { code: 'discount_needs_give', description: 'A discount is given for something in return.' },
  { code: 'discount_within_cap', description: 'A discount is at most what the plan allows.' },
  {
    code: 'discount_above_floor',
    description: 'The fee after a discount is at or above its floor.',
  },
  { code: 'pilot_is_paid', description: 'A pilot costs at least the pilot fee of its plan.' },
  { code: 'pilot_has_decision_date', description: 'A pilot names the day of the decision.' },
  { code: 'pilot_is_bounded', description: 'The decision comes within 90 days of the start.' },
  { code: 'rebate_from_profit', description: 'A rebate comes from positive gross profit alone.' },
  { code: 'rebate_not_for_volume', description: 'Volume alone earns no rebate.' },
  { code: 'rebate_without_debt', description: 'A partner in debt gets no rebate.' },
]);

/** A code of a hard rule. */
export type HardRule = CodeOf<typeof HARD_RULES>;

/** Shares of a whole are in basis points: 10,000 are all of it. */
export const BASIS_POINTS = 10_000;
/** The relative spread of monthly cost where a caller states none. */
export const VARIATION_DEFAULT = 0.3;
/** Above it the mean would pass P80, so that scenarios would not be ordered. */
export const VARIATION_MAX = 1;
/** The most days from the start of a pilot to its decision. */
export const PILOT_DAYS_MAX = 90;
/** The share of gross profit that a partner gets. */
export const REBATE_BASIS_POINTS = 1_000;
/** Fewer recorded requests than this make no cost distribution. */
export const RECORDED_REQUESTS_MIN = 100;
/** Recorded cost is taken from so many days. */
export const RECORDED_DAYS = 30;
/** The most money that a field takes: ten billion rubles. */
export const MICRO_MAX = 10_000_000_000n * MICRO_PER_RUB;
