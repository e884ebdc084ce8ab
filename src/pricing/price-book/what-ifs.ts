import { type FailClosed, whatIf } from '../../records/what-if.js';
import { discountGate, floorGate, pilotGate, rebateGate } from './gates.rules.js';
import { CANONICAL_PLANS, canonicalPlan, type Plan } from './plans.js';
import { demandFaults, project } from './quote.rules.js';
import {
  DISCOUNT,
  DISCOUNT_INPUT,
  FLOOR,
  FLOOR_INPUT,
  PILOT,
  PILOT_INPUT,
  QUOTE,
  QUOTE_INPUT,
  REBATE,
  REBATE_INPUT,
} from './tables.js';

const KNOWN = CANONICAL_PLANS.map(({ plan }) => plan).join(', ');

/** Without a recorded plan there is no price, and nothing is approved. */
function withPlan(otherwise: string): FailClosed<{ readonly plan: string }> {
  return {
    otherwise,
    reason: 'No canonical plan has this code.',
    missing: ({ plan }) => (canonicalPlan(plan) ? [] : [`plan: one of ${KNOWN}`]),
  };
}

function planOf(code: string): Plan {
  const plan = canonicalPlan(code);
  if (!plan) throw new TypeError(`${code} has passed as a plan`);
  return plan;
}

whatIf({
  field: 'priceQuote',
  description: 'Projects a month of a canonical plan: expected, P80, P95 and worst, with margin.',
  input: QUOTE_INPUT,
  output: QUOTE,
  faults: demandFaults,
  failClosed: withPlan('cannot_quote'),
  rule: (demand, today) => {
    const plan = planOf(demand.plan);
    const projection = project(plan, demand, demand.supplyDay ?? today);
    const { priceBookVersion } = plan;
    return { verdict: 'quoted' as const, plan: plan.plan, priceBookVersion, ...projection };
  },
});

whatIf({
  field: 'priceFloorGate',
  description: 'Judges a price against the floor of its canonical plan; below it is blocking.',
  input: FLOOR_INPUT,
  output: FLOOR,
  failClosed: withPlan('BLOCKED'),
  rule: ({ plan: code, netMicro, usageCostMicro }) => {
    const plan = planOf(code);
    const { priceBookVersion } = plan;
    return { plan: code, priceBookVersion, ...floorGate(plan, netMicro, usageCostMicro) };
  },
});

whatIf({
  field: 'priceDiscount',
  description: 'Whether a discount may be given: on the fee alone, for a give, within the cap.',
  input: DISCOUNT_INPUT,
  output: DISCOUNT,
  failClosed: withPlan('BLOCKED'),
  rule: ({ plan, ...asked }) => discountGate(planOf(plan), asked),
});

whatIf({
  field: 'pricePaidPilot',
  description: 'Whether a pilot may be sold: paid, with a decision date and a credit on signing.',
  input: PILOT_INPUT,
  output: PILOT,
  failClosed: withPlan('BLOCKED'),
  rule: ({ plan, ...asked }, today) => pilotGate(planOf(plan), asked, today),
});

whatIf({
  field: 'pricePartnerRebate',
  description: 'A partner rebate: a share of positive gross profit, never of volume or in debt.',
  input: REBATE_INPUT,
  output: REBATE,
  failClosed: {
    otherwise: 'BLOCKED',
    reason: 'Gross profit is put together from its parts, and parts are missing.',
    missing: ({ revenueMicro, usageCostMicro }) => [
      ...(revenueMicro === null ? ['revenue_rub'] : []),
      ...(usageCostMicro === null ? ['usage_cost_rub'] : []),
    ],
  },
  rule: rebateGate,
});
