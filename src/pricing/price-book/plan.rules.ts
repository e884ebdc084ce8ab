import type { Fault } from '../../kernel/errors/fail.js';
import { fault, present, range } from '../../kernel/errors/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { formatRub } from '../../kernel/money.js';
import { CANONICAL_VERSION, type Plan } from './plans.js';
import type { PLAN_INPUT } from './tables.js';
import { BASIS_POINTS } from './vocabulary.js';

/** A plan as a caller states it; null leaves a term as it was. */
export type PlanStated = ValuesOf<typeof PLAN_INPUT.fields>;

/**
 * The plan that is published: stated terms over those of the version before. A plan that has none
 * and is not canonical has no lower floor, no discount and no cheaper pilot than its fee.
 */
export function planFrom(stated: PlanStated, before: Plan | undefined): Plan {
  const given = Object.entries(stated).filter(([, value]) => value !== null);
  return { ...(before ?? strictPlan(stated)), ...Object.fromEntries(given) };
}

function strictPlan({ plan, platformFeeMicro }: PlanStated): Plan {
  const feeMicro = platformFeeMicro ?? 0n;
  return {
    plan,
    priceBookVersion: CANONICAL_VERSION,
    name: plan,
    status: 'canonical',
    platformFeeMicro: feeMicro,
    platformFeeFloorMicro: feeMicro,
    includedUsageMicro: 0n,
    markupBasisPoints: 0,
    markupFloorBasisPoints: 0,
    serviceCostMicro: 0n,
    discountMaxBasisPoints: 0,
    pilotFeeMicro: feeMicro,
    pilotCreditBasisPoints: BASIS_POINTS,
  };
}

/** Every fault that a plan has as a whole. */
export function planFaults(stated: PlanStated, before: Plan | undefined): Fault[] {
  if (!before && stated.platformFeeMicro === null) {
    return present('input.platformFeeRub', null, 'is needed for a plan that has no version yet');
  }
  const plan = planFrom(stated, before);
  const { platformFeeMicro, platformFeeFloorMicro: floorMicro } = plan;
  const isCheap = plan.markupFloorBasisPoints <= plan.markupBasisPoints;
  const what = 'must be at most the mark-up itself';
  return [
    ...range('input.platformFeeFloorRub', floorMicro, { max: platformFeeMicro }, formatRub),
    ...(isCheap ? [] : [fault('input.markupFloorBasisPoints', 'out_of_range', what)]),
  ];
}
