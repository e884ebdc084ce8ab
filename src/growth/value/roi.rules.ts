import { divide } from '../../kernel/money.js';
import type { Provenance } from '../../kernel/provenance.js';
import type { Window } from '../../kernel/window.rules.js';
import type { RoiReceipt, ValueDashboard } from './tables.js';
import {
  CONFIDENCES,
  DECISIONS,
  type Decision,
  ROI_STATUSES,
  type RoiStatus,
  USE_CASES_MAX,
} from './vocabulary.js';

/** What is recorded of a use case in a window. */
export interface UseCaseFacts {
  readonly useCase: string;
  readonly events: number;
  readonly results: number;
  readonly eventsWithoutValue: number;
  readonly evidencedEvents: number;
  /** What events that state a value state, together. */
  readonly valueMicro: bigint;
  readonly costMicro: bigint;
  readonly requests: number;
  readonly simulatedRequests: number;
  readonly simulatedCostMicro: bigint;
}

/** What to do with a use case, by the published thresholds. The cost is above zero. */
export function decisionOf(valueMicro: bigint, costMicro: bigint): Decision {
  const net = valueMicro - costMicro;
  const row = DECISIONS.rows.find(
    ({ roiPercentMin: min }) => min === null || net * 100n >= BigInt(min) * costMicro,
  );
  if (!row) throw new RangeError('the last decision has no threshold');
  return row.code;
}

/** The return in percent to two places, half to even. The cost is above zero. */
function roiPercentOf(valueMicro: bigint, costMicro: bigint): number {
  return Number(divide((valueMicro - costMicro) * 10_000n, costMicro, 'half_even')) / 100;
}

/** How much a return rests on, and what the next higher confidence would take. */
export function confidenceOf(facts: UseCaseFacts) {
  const { events, requests, evidencedEvents, eventsWithoutValue } = facts;
  const valued = events - eventsWithoutValue;
  const misses = CONFIDENCES.rows.map((row) => [
    ...(events < row.eventsMin ? [`${row.eventsMin - events} more events`] : []),
    ...(requests < row.requestsMin ? [`${row.requestsMin - requests} more requests`] : []),
    ...(evidencedEvents * 100 < row.evidencedPercentMin * events
      ? [`an external reference or a request in ${row.evidencedPercentMin} % of the events`]
      : []),
    ...(valued * 100 < row.valuedPercentMin * events
      ? [`a value in ${row.valuedPercentMin} % of the events`]
      : []),
  ]);
  const reached = misses.findIndex((each) => each.length === 0);
  const { code } = CONFIDENCES.rows[reached] ?? { code: 'low' as const };
  return { confidence: code, confidenceLimits: misses[reached - 1] ?? [] };
}

function statusOf({ events, eventsWithoutValue, costMicro }: UseCaseFacts): RoiStatus {
  if (events === 0) return costMicro > 0n ? 'cost_without_value' : 'nothing_recorded';
  // Refunds of earlier charges may outweigh what was charged.
  if (costMicro <= 0n) return 'value_without_cost';
  return eventsWithoutValue === events ? 'value_not_stated' : 'computed';
}

const NEEDED: Readonly<Record<RoiStatus, readonly string[]>> = {
  computed: [],
  value_without_cost: ['requests to a real model with this use case as metadata.feature'],
  cost_without_value: ['value events of this use case: POST /v1/gw/value/events'],
  value_not_stated: ['value_rub in value events of this use case'],
  nothing_recorded: [
    'requests to a real model with this use case as metadata.feature',
    'value events of this use case: POST /v1/gw/value/events',
  ],
};

/**
 * The return of a use case. Value without cost, and cost without value, say so: there is no ratio
 * of them and no recommendation.
 */
export function roiOf(
  facts: UseCaseFacts,
  { from, to }: Window,
  costProvenance: Provenance,
): RoiReceipt {
  const { events, eventsWithoutValue, results, costMicro } = facts;
  const status = statusOf(facts);
  const isKnown = status === 'computed';
  const isValued = events > eventsWithoutValue;
  const value = facts.valueMicro;
  const judged = isKnown
    ? { ...confidenceOf(facts), recommendation: decisionOf(value, costMicro) }
    : { confidence: null, confidenceLimits: [], recommendation: null };
  return {
    ...facts,
    from,
    to,
    status,
    valueMicro: isValued ? value : null,
    valueProvenance: 'declared',
    costProvenance,
    netMicro: isKnown ? value - costMicro : null,
    roiPercent: isKnown ? roiPercentOf(value, costMicro) : null,
    roiProvenance: 'declared',
    ...judged,
    costPerResultMicro: costPerResult(costMicro, results),
    reason: isKnown ? null : reasonOf(status, facts),
    needed: NEEDED[status],
  };
}

function reasonOf(status: RoiStatus, { simulatedRequests }: UseCaseFacts): string {
  const reason = ROI_STATUSES.find(status)?.description ?? '';
  const isSandbox = simulatedRequests > 0 && status !== 'cost_without_value';
  return isSandbox ? `${reason} Answers of simulated models are evidence of neither.` : reason;
}

/** Cost divided by results, half up; null where one of them is missing. */
export function costPerResult(costMicro: bigint, results: number): bigint | null {
  if (results === 0 || costMicro <= 0n) return null;
  return divide(costMicro, BigInt(results), 'half_up');
}

/** Use cases as they are told: the most expensive first, and then by their names. */
export function inOrder(facts: readonly UseCaseFacts[]): UseCaseFacts[] {
  return [...facts].sort((one, other) => {
    if (one.costMicro !== other.costMicro) return one.costMicro > other.costMicro ? -1 : 1;
    return one.useCase < other.useCase ? -1 : 1;
  });
}

/** The portfolio: returns only of what can be compared, and sums over everything. */
export function dashboardOf(
  facts: readonly UseCaseFacts[],
  window: Window,
  costProvenance: Provenance,
): ValueDashboard {
  const receipts = inOrder(facts).map((each) => roiOf(each, window, costProvenance));
  const known = receipts.filter(({ status }) => status === 'computed');
  const [value, cost] = [valueIn(known), costIn(known)];
  return {
    ...window,
    useCases: receipts.length,
    costMicro: costIn(receipts),
    valueMicro: valueIn(receipts),
    comparableCostMicro: cost,
    comparableValueMicro: value,
    comparableNetMicro: known.length > 0 ? value - cost : null,
    roiPercent: known.length > 0 ? roiPercentOf(value, cost) : null,
    roiProvenance: 'declared',
    costProvenance,
    unknownReturns: receipts.length - known.length,
    decisions: DECISIONS.codes.map((recommendation) => {
      const those = known.filter((each) => each.recommendation === recommendation);
      const [valueMicro, costMicro] = [valueIn(those), costIn(those)];
      return { recommendation, useCases: those.length, valueMicro, costMicro };
    }),
    portfolio: receipts.slice(0, USE_CASES_MAX),
    reason: known.length > 0 ? null : 'No use case has both value and cost of real models.',
    needed: known.length > 0 ? [] : NEEDED.nothing_recorded,
  };
}

function valueIn(receipts: readonly RoiReceipt[]): bigint {
  return receipts.reduce((sum, { valueMicro }) => sum + (valueMicro ?? 0n), 0n);
}

function costIn(receipts: readonly RoiReceipt[]): bigint {
  return receipts.reduce((sum, { costMicro }) => sum + costMicro, 0n);
}
