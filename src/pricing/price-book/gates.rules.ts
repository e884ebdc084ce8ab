import { divide, type MicroRub } from '../../kernel/money.js';
import type { Plan } from './plans.js';
import { usagePrice } from './quote.rules.js';
import type { DiscountAsked, FloorFound, PilotAsked, RebateAsked } from './tables.js';
import {
  BASIS_POINTS,
  type FloorVerdict,
  type HardRule,
  PILOT_DAYS_MAX,
  REBATE_BASIS_POINTS,
} from './vocabulary.js';

const WHOLE = BigInt(BASIS_POINTS);

/** A hard rule with the test whether a case breaks it. */
interface Rule<I> {
  readonly rule: HardRule;
  readonly isBroken: (input: I) => boolean;
}

function broken<I>(rules: readonly Rule<I>[], input: I): HardRule[] {
  return rules.filter(({ isBroken }) => isBroken(input)).map(({ rule }) => rule);
}

function shareOf(micro: MicroRub, basisPoints: number): MicroRub {
  return divide(micro * BigInt(basisPoints), WHOLE, 'floor');
}

/**
 * The floor of a month: the lowest fee of the recorded plan, and usage at the lowest mark-up as far
 * as the fee does not include it. A plan on trial is for no contract, above its floor too.
 */
export function floorGate(plan: Plan, netMicro: MicroRub, usageCostMicro: MicroRub): FloorFound {
  const usage = usagePrice(usageCostMicro, plan.markupFloorBasisPoints) - plan.includedUsageMicro;
  const floorMicro = plan.platformFeeFloorMicro + (usage > 0n ? usage : 0n);
  const isBelow = netMicro < floorMicro;
  const isTrial = plan.status === 'hypothesis';
  const verdict: FloorVerdict = isBelow ? 'BLOCKED' : isTrial ? 'NOT_FOR_CONTRACT' : 'PASS';
  const brokenRules: HardRule[] = [
    ...(isBelow ? (['floor_blocks'] as const) : []),
    ...(isTrial ? (['hypothesis_binds_nobody'] as const) : []),
  ];
  return { verdict, floorMicro, headroomMicro: netMicro - floorMicro, brokenRules };
}

/** An offered month as the gates look at it. */
interface Offered {
  readonly netMicro: MicroRub;
  readonly usageCostMicro: MicroRub;
  readonly feeMicro: MicroRub;
  readonly gives: DiscountAsked['gives'];
}

/**
 * The gate of a quote: its month against the floor, and a fee below that of the plan against every
 * rule of discounts, so that no quote gives what a discount could not.
 */
export function quoteGate(plan: Plan, { netMicro, usageCostMicro, feeMicro, gives }: Offered) {
  const floor = floorGate(plan, netMicro, usageCostMicro);
  const lessMicro = plan.platformFeeMicro - feeMicro;
  if (lessMicro <= 0n) return floor;
  const share = Number(divide(lessMicro * WHOLE, plan.platformFeeMicro, 'ceil'));
  const asked = { component: 'platform_fee', discountBasisPoints: share, gives } as const;
  const against = broken(DISCOUNT_RULES, { ...asked, plan, feeMicro });
  const brokenRules = [...floor.brokenRules, ...against];
  return {
    ...floor,
    verdict: against.length > 0 ? ('BLOCKED' as const) : floor.verdict,
    brokenRules,
  };
}

type Discounted = DiscountAsked & { readonly plan: Plan; readonly feeMicro: MicroRub };

const DISCOUNT_RULES: readonly Rule<Discounted>[] = [
  { rule: 'discount_on_fee_only', isBroken: ({ component }) => component !== 'platform_fee' },
  { rule: 'discount_needs_give', isBroken: ({ gives }) => gives.length === 0 },
  {
    rule: 'discount_within_cap',
    isBroken: ({ plan, discountBasisPoints }) => discountBasisPoints > plan.discountMaxBasisPoints,
  },
  {
    rule: 'discount_above_floor',
    isBroken: ({ plan, feeMicro }) => feeMicro < plan.platformFeeFloorMicro,
  },
];

/** Whether a discount may be given, and what the fee is then; rounded in the seller's favour. */
export function discountGate(plan: Plan, asked: DiscountAsked) {
  const { discountBasisPoints } = asked;
  const isOnFee = asked.component === 'platform_fee';
  const fullMicro = plan.platformFeeMicro;
  const feeMicro = isOnFee ? fullMicro - shareOf(fullMicro, discountBasisPoints) : fullMicro;
  const brokenRules = broken(DISCOUNT_RULES, { ...asked, plan, feeMicro });
  return {
    verdict: brokenRules.length === 0 ? ('APPROVED' as const) : ('BLOCKED' as const),
    brokenRules,
    discountMaxBasisPoints: plan.discountMaxBasisPoints,
    platformFeeMicro: brokenRules.length === 0 ? feeMicro : fullMicro,
    platformFeeFloorMicro: plan.platformFeeFloorMicro,
  };
}

type Pilot = PilotAsked & { readonly plan: Plan; readonly days: number | null };

const PILOT_RULES: readonly Rule<Pilot>[] = [
  {
    rule: 'pilot_is_paid',
    isBroken: ({ plan, feeMicro }) => feeMicro <= 0n || feeMicro < plan.pilotFeeMicro,
  },
  { rule: 'pilot_has_decision_date', isBroken: ({ decisionOn }) => decisionOn === null },
  {
    rule: 'pilot_is_bounded',
    isBroken: ({ days }) => days !== null && (days < 1 || days > PILOT_DAYS_MAX),
  },
];

/** Whether a pilot may be sold, and what of its fee is credited when the contract is signed. */
export function pilotGate(plan: Plan, asked: PilotAsked, today: string) {
  const startsOn = asked.startsOn ?? today;
  const days = asked.decisionOn === null ? null : daysBetween(startsOn, asked.decisionOn);
  const brokenRules = broken(PILOT_RULES, { ...asked, plan, days });
  const isApproved = brokenRules.length === 0;
  return {
    verdict: isApproved ? ('APPROVED' as const) : ('BLOCKED' as const),
    brokenRules,
    feeMicroMin: plan.pilotFeeMicro,
    startsOn,
    decisionOn: asked.decisionOn,
    days,
    creditMicro: isApproved ? shareOf(asked.feeMicro, plan.pilotCreditBasisPoints) : 0n,
  };
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

type Rebated = RebateAsked & { readonly grossProfitMicro: MicroRub };

const REBATE_RULES: readonly Rule<Rebated>[] = [
  { rule: 'rebate_from_profit', isBroken: ({ grossProfitMicro }) => grossProfitMicro <= 0n },
  { rule: 'rebate_not_for_volume', isBroken: ({ basis }) => basis === 'volume' },
  { rule: 'rebate_without_debt', isBroken: ({ debtMicro }) => debtMicro > 0n },
];

/** A partner's rebate: a share of the gross profit that its parts add up to, rounded down. */
export function rebateGate(asked: RebateAsked) {
  const { revenueMicro, usageCostMicro, serviceCostMicro } = asked;
  const costs = (usageCostMicro ?? 0n) + serviceCostMicro;
  const grossProfitMicro = (revenueMicro ?? 0n) - costs;
  const brokenRules = broken(REBATE_RULES, { ...asked, grossProfitMicro });
  const isApproved = brokenRules.length === 0;
  return {
    verdict: isApproved ? ('APPROVED' as const) : ('BLOCKED' as const),
    brokenRules,
    grossProfitMicro,
    rebateBasisPoints: REBATE_BASIS_POINTS,
    rebateMicro: isApproved ? shareOf(grossProfitMicro, REBATE_BASIS_POINTS) : 0n,
  };
}
