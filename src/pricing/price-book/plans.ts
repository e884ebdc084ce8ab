import { code, integer, money, text, type ValuesOf } from '../../kernel/fields/field.js';
import { MICRO_PER_RUB, type MicroRub } from '../../kernel/money.js';
import { BASIS_POINTS, MICRO_MAX, PLAN_STATUSES } from './vocabulary.js';

const SHARE = { min: 0, max: BASIS_POINTS };
const AMOUNT = { min: 0n, max: MICRO_MAX };

/** What a version of a plan says. */
export const PLAN_FIELDS = {
  plan: text('The code of the plan, such as `team`.', { max: 64 }),
  priceBookVersion: text('The edition of the price book, such as `2026.1`.', { max: 32 }),
  name: text('The name of the plan, as customers see it.', { max: 120 }),
  status: code(PLAN_STATUSES, 'Whether the plan may stand in a contract.'),
  platformFeeMicro: money('The monthly platform fee, net of VAT.', AMOUNT),
  platformFeeFloorMicro: money('The lowest platform fee, net of VAT.', AMOUNT),
  includedUsageMicro: money('Usage at its price that the fee includes each month.', AMOUNT),
  markupBasisPoints: integer('What is added to the cost of usage, in basis points.', SHARE),
  markupFloorBasisPoints: integer('The lowest such mark-up, in basis points.', SHARE),
  serviceCostMicro: money('What serving a customer costs each month beside usage.', AMOUNT),
  discountMaxBasisPoints: integer('The highest discount on the fee, in basis points.', SHARE),
  pilotFeeMicro: money('The lowest fee of a paid pilot, net of VAT.', AMOUNT),
  pilotCreditBasisPoints: integer('The part of it that is credited on signing.', SHARE),
} as const;

/** A plan as it is recorded. */
export type Plan = ValuesOf<typeof PLAN_FIELDS>;

/** The edition of the canonical plans. */
export const CANONICAL_VERSION = '2026.1';

const rub = (whole: number): MicroRub => BigInt(whole) * MICRO_PER_RUB;

/** The canonical plans: one truth for quotes, gates and the reference. Prices are net of VAT. */
export const CANONICAL_PLANS: readonly Plan[] = [
  {
    plan: 'start',
    priceBookVersion: CANONICAL_VERSION,
    name: 'Start',
    status: 'canonical',
    platformFeeMicro: rub(9_900),
    platformFeeFloorMicro: rub(7_900),
    includedUsageMicro: rub(0),
    markupBasisPoints: 2_000,
    markupFloorBasisPoints: 1_000,
    serviceCostMicro: rub(1_500),
    discountMaxBasisPoints: 500,
    pilotFeeMicro: rub(15_000),
    pilotCreditBasisPoints: 5_000,
  },
  {
    plan: 'team',
    priceBookVersion: CANONICAL_VERSION,
    name: 'Team',
    status: 'canonical',
    platformFeeMicro: rub(49_000),
    platformFeeFloorMicro: rub(39_000),
    includedUsageMicro: rub(10_000),
    markupBasisPoints: 1_500,
    markupFloorBasisPoints: 800,
    serviceCostMicro: rub(9_000),
    discountMaxBasisPoints: 1_000,
    pilotFeeMicro: rub(50_000),
    pilotCreditBasisPoints: 10_000,
  },
  {
    plan: 'business',
    priceBookVersion: CANONICAL_VERSION,
    name: 'Business',
    status: 'canonical',
    platformFeeMicro: rub(190_000),
    platformFeeFloorMicro: rub(149_000),
    includedUsageMicro: rub(50_000),
    markupBasisPoints: 1_200,
    markupFloorBasisPoints: 600,
    serviceCostMicro: rub(38_000),
    discountMaxBasisPoints: 1_500,
    pilotFeeMicro: rub(150_000),
    pilotCreditBasisPoints: 10_000,
  },
  {
    plan: 'sovereign',
    priceBookVersion: CANONICAL_VERSION,
    name: 'Sovereign',
    status: 'hypothesis',
    platformFeeMicro: rub(690_000),
    platformFeeFloorMicro: rub(590_000),
    includedUsageMicro: rub(0),
    markupBasisPoints: 1_000,
    markupFloorBasisPoints: 500,
    serviceCostMicro: rub(160_000),
    discountMaxBasisPoints: 1_000,
    pilotFeeMicro: rub(400_000),
    pilotCreditBasisPoints: 10_000,
  },
];

/** The canonical plan of a code, or undefined. */
export function canonicalPlan(planCode: string): Plan | undefined {
  return CANONICAL_PLANS.find((each) => each.plan === planCode);
}
