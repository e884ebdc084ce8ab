import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { divide, formatRub, type MicroRub } from '../../kernel/money.js';
import { vatRateOn } from '../../kernel/time.js';
import type { Plan } from './plans.js';
import type { Projection, Scenario } from './tables.js';
import { BASIS_POINTS, MICRO_MAX, SCENARIOS } from './vocabulary.js';

const WHOLE = BigInt(BASIS_POINTS);
const MILLION = 1_000_000n;

/** The figures that a projection is made from. */
export interface Demand {
  readonly monthlyRequests: number;
  readonly costPerRequestMicro: MicroRub;
  /** The standard deviation of the monthly cost as a share of its mean, 0 to 1. */
  readonly variation: number;
  /** The offered monthly fee, net of VAT; that of the plan when null. */
  readonly platformFeeMicro: MicroRub | null;
}

/** The fault of a demand whose month costs more than any amount that the book takes. */
export function demandFaults(
  demand: Pick<Demand, 'monthlyRequests' | 'costPerRequestMicro'>,
): Fault[] {
  const costMicro = demand.costPerRequestMicro * BigInt(demand.monthlyRequests);
  const what = `make usage that costs more than ${formatRub(MICRO_MAX)} rubles a month`;
  return costMicro <= MICRO_MAX ? [] : [fault('input.monthlyRequests', 'out_of_range', what)];
}

/**
 * Projects a month of a plan. The monthly usage cost is taken to be log-normal with the stated mean
 * and variation v: with s² = ln(1 + v²) its quantile at z is mean × exp(z × s − s² / 2). Factors
 * are whole millionths; every amount is rounded up to the next micro-ruble, so no scenario is told
 * too low.
 * @param day the day of supply, YYYY-MM-DD, which names the rate of VAT
 */
export function project(plan: Plan, demand: Demand, day: string): Projection {
  const meanMicro = demand.costPerRequestMicro * BigInt(demand.monthlyRequests);
  const scenarios = SCENARIOS.rows.map(({ code, z }) => [
    code,
    scenarioOf(plan, demand, costAt(meanMicro, demand.variation, z), day),
  ]);
  const projected = Object.fromEntries(scenarios) as Omit<Projection, 'vatRateBasisPoints'>;
  return { ...projected, vatRateBasisPoints: vatRateOn(day) };
}

function costAt(meanMicro: MicroRub, variation: number, z: number | null): MicroRub {
  if (z === null) return meanMicro;
  const square = Math.log(1 + variation * variation);
  const factor = Math.exp(z * Math.sqrt(square) - square / 2);
  return divide(meanMicro * BigInt(Math.ceil(factor * Number(MILLION))), MILLION, 'ceil');
}

function scenarioOf(
  plan: Plan,
  { platformFeeMicro }: Demand,
  usageCostMicro: MicroRub,
  day: string,
): Scenario {
  const feeMicro = platformFeeMicro ?? plan.platformFeeMicro;
  const usagePriceMicro = usagePrice(usageCostMicro, plan.markupBasisPoints);
  const billed = usagePriceMicro - plan.includedUsageMicro;
  const usageBilledMicro = billed > 0n ? billed : 0n;
  const netMicro = feeMicro + usageBilledMicro;
  const vatMicro = divide(netMicro * BigInt(vatRateOn(day)), WHOLE, 'half_up');
  const marginMicro = netMicro - usageCostMicro - plan.serviceCostMicro;
  return {
    usageCostMicro,
    usageBilledMicro,
    netMicro,
    vatMicro,
    grossMicro: netMicro + vatMicro,
    contributionMarginMicro: marginMicro,
    contributionMarginBasisPoints:
      netMicro > 0n ? Number(divide(marginMicro * WHOLE, netMicro, 'floor')) : null,
  };
}

/** The price of usage at a mark-up, rounded up to the next micro-ruble. */
export function usagePrice(costMicro: MicroRub, markupBasisPoints: number): MicroRub {
  return divide(costMicro * BigInt(BASIS_POINTS + markupBasisPoints), WHOLE, 'ceil');
}
