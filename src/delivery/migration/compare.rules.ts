import { NO_USAGE, type PriceRow, unpricedDimensions } from '../../catalog/providers/price.js';
import {
  type PriceAhead,
  priceAhead,
  type Span,
} from '../../catalog/providers/price-ahead.rules.js';
import { type DecisionTable, decide } from '../../kernel/decision.js';
import { divide, type MicroRub } from '../../kernel/money.js';
import { nearestRank } from '../../kernel/nearest-rank.rules.js';
import type { Sourced } from '../../kernel/provenance.js';
import type { DecisionReason, Evidence, Latency, Quality } from './comparison-tables.js';
import { evidenceGaps } from './evidence.rules.js';
import type { Scan } from './tables.js';
import { COMPARISON, type CutoverDecision, type LatencyVerdict } from './vocabulary.js';

/** Shares are computed in ten-thousandths. */
const SHARE_UNITS = 10_000n;

/**
 * The price of a million tokens of a stated mix, in micro-rubles, half to even: input price ×
 * share + output price × (1 − share), uncached input and text output.
 * @returns undefined when a part that the mix has is without a price
 */
export function blendedPrice(price: PriceRow, inputShare: number): MicroRub | undefined {
  const worth = blendedWorth(price, inputShare);
  return worth === undefined ? undefined : divide(worth, SHARE_UNITS, 'half_even');
}

/** The same in ten-thousandths, without a rounding. */
function blendedWorth(price: PriceRow, inputShare: number): bigint | undefined {
  const { input_uncached: input, output_text: output } = price.microRubPerMillion;
  const share = BigInt(Math.round(inputShare * Number(SHARE_UNITS)));
  const rest = SHARE_UNITS - share;
  if ((share > 0n && input === undefined) || (rest > 0n && output === undefined)) return undefined;
  return (input ?? 0n) * share + (output ?? 0n) * rest;
}

/**
 * What the route costs more than the source, in percent with two places, half to even:
 * (route − source) ÷ source × 100. Negative where the route is cheaper.
 */
export function costDeltaPercent(routeMicro: MicroRub, sourceMicro: MicroRub): number {
  return Number(divide((routeMicro - sourceMicro) * 10_000n, sourceMicro, 'half_even')) / 100;
}

/** What a month would cost more, in micro-rubles, half to even. */
export function monthlyDelta(
  routeMicro: MicroRub,
  sourceMicro: MicroRub,
  tokens: bigint,
): MicroRub {
  return divide((routeMicro - sourceMicro) * tokens, 1_000_000n, 'half_even');
}

/** A model by its price rows, for a mix of tokens. */
export interface MixedRoute {
  readonly deployment: string;
  readonly rows: readonly PriceRow[];
  readonly inputShare: number;
}

/**
 * What price rows that begin within a month change of what its tokens cost with a route, which is
 * rounded half to even at the price of the begin.
 */
export function monthAhead(
  { deployment, rows, inputShare }: MixedRoute,
  { priceMicro, tokens, span }: { priceMicro: MicroRub; tokens: bigint; span: Span },
): PriceAhead {
  const worthAt = (row: PriceRow) => {
    const worth = blendedWorth(row, inputShare);
    return worth === undefined ? undefined : worth * tokens;
  };
  const costMicro = divide(priceMicro * tokens, 1_000_000n, 'half_even');
  const used = { ...NO_USAGE, input_uncached: inputShare, output_text: 1 - inputShare };
  const unpricedAt = (row: PriceRow) => unpricedDimensions(used, row);
  const unit = 1_000_000n * SHARE_UNITS;
  const part = { deployment, rows, weight: 1n, worthAt, unpricedAt, unit };
  return priceAhead(costMicro, [part], span);
}

/** The smallest value that at least this share of the samples do not pass (nearest rank). */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((one, other) => one - other);
  const value = sorted[nearestRank(share, sorted.length) - 1];
  if (value === undefined) throw new RangeError('no samples');
  return value;
}

/**
 * Latency from the recorded requests of one source; too few of them are not shown as a measurement,
 * and those of simulated answers are `simulated` and no measurement either.
 */
export function latencyOf(
  { value: samples, provenance }: Sourced<readonly number[]>,
  verdict: Exclude<LatencyVerdict, 'not_measured'>,
  sourceLatencyMs: number | null,
): Latency {
  const min = COMPARISON.latencySamplesMin;
  const counted = { samples: samples.length, sourceLatencyMs };
  if (samples.length < min) {
    const reason = `${samples.length} requests are fewer than the ${min} that a percentile needs`;
    const unknown = { p50Ms: null, p95Ms: null, provenance: null };
    return { verdict: 'not_measured', reason, ...unknown, ...counted };
  }
  return {
    verdict,
    reason: `nearest rank over ${samples.length} requests`,
    p50Ms: percentile(samples, 0.5),
    p95Ms: percentile(samples, 0.95),
    provenance: verdict === 'simulated' ? null : provenance,
    ...counted,
  };
}

/** What the cutover decision looks at. */
export interface ComparisonFacts {
  readonly scan: Scan | undefined;
  /** Undefined where no permitted model has a price. */
  readonly costDeltaPercent: number | undefined;
  /** The model of the route is simulated, or an answer of the evaluation set was. */
  readonly simulated: boolean;
  readonly quality: Pick<Quality, 'quality' | 'qualityDelta'> & {
    readonly qualityEvidence: Pick<
      Quality['qualityEvidence'],
      'share' | 'reason' | 'differenceLow'
    >;
  };
  readonly evidence: readonly Evidence[];
  readonly latency: Pick<Latency, 'p95Ms' | 'sourceLatencyMs'>;
}

const {
  scoreMin,
  costIncreasePercentMax,
  qualityShareMin,
  qualityLossMax,
  latencyFactorMax,
  evaluationItemsMin: itemsMin,
} = COMPARISON;

function blocking(scan: Scan | undefined): string[] {
  const gaps = (scan?.knownGaps ?? []).filter(({ severity }) => severity === 'blocking');
  return gaps.map(({ capability, code }) => `${capability} (${code})`);
}

/** The decision table of comparisons, in order: the first guard that applies decides. */
export const COMPARISON_GUARDS: DecisionTable<ComparisonFacts, CutoverDecision> = [
  {
    code: 'no_scan',
    outcome: 'hold',
    description: 'no compatibility scan was made',
    applies: ({ scan }) => scan === undefined,
    reason: () => 'no compatibility scan was made; the gaps are not known',
  },
  {
    code: 'blocking_gap',
    outcome: 'hold',
    description: 'a capability in use has a blocking gap',
    applies: ({ scan }) => blocking(scan).length > 0,
    reason: ({ scan }) => `blocking gaps: ${blocking(scan).join(', ')}`,
  },
  {
    code: 'score_low',
    outcome: 'hold',
    description: `the score of the scan is under ${scoreMin}`,
    applies: ({ scan }) => scan !== undefined && scan.score < scoreMin,
    reason: ({ scan }) => `the score ${scan?.score} is under ${scoreMin}`,
  },
  {
    code: 'no_route',
    outcome: 'hold',
    description: 'no permitted model with a price can take the traffic',
    applies: (facts) => facts.costDeltaPercent === undefined,
  },
  {
    code: 'cost_increase',
    outcome: 'hold',
    description: `the route costs over ${costIncreasePercentMax} % more than the source`,
    applies: (facts) => (facts.costDeltaPercent ?? 0) > costIncreasePercentMax,
    reason: (facts) => `the route costs ${facts.costDeltaPercent} % more than the source`,
  },
  {
    code: 'quality_worse',
    outcome: 'hold',
    description: 'the interval of the measured quality is below the quality of the source',
    applies: ({ quality }) => quality.qualityDelta === 'worse',
    reason: ({ quality }) =>
      `the quality ${quality.qualityEvidence.share} is below that of the source`,
  },
  {
    code: 'quality_low',
    outcome: 'hold',
    description: `the measured quality is under ${qualityShareMin}`,
    applies: ({ quality }) =>
      quality.quality === 'measured' && (quality.qualityEvidence.share ?? 0) < qualityShareMin,
    reason: ({ quality }) =>
      `the quality ${quality.qualityEvidence.share} is under ${qualityShareMin}`,
  },
  {
    code: 'simulated_route',
    outcome: 'hold',
    description: 'the model of the route, or one that answered the evaluation set, is simulated',
    applies: ({ simulated }) => simulated,
    reason: () => 'answers of the route are simulated; they are no evidence for a cutover',
  },
  {
    code: 'quality_unknown',
    outcome: 'conditional',
    description: `quality was not measured by an evaluation set of at least ${itemsMin} items`,
    applies: ({ quality }) => quality.quality !== 'measured',
    reason: ({ quality }) => `the quality is ${quality.quality}: ${quality.qualityEvidence.reason}`,
  },
  {
    code: 'quality_uncertain',
    outcome: 'conditional',
    description: `the outcomes of both sides leave room for a loss over ${qualityLossMax}`,
    applies: ({ quality: { qualityEvidence } }) =>
      (qualityEvidence.differenceLow ?? 0) < -qualityLossMax,
    reason: ({ quality: { qualityEvidence } }) =>
      `the difference to the source may be ${qualityEvidence.differenceLow}`,
  },
  {
    code: 'evidence_short',
    outcome: 'conditional',
    description: 'a use case has less evidence than a published minimum',
    applies: ({ evidence }) => evidenceGaps(evidence).length > 0,
    reason: ({ evidence }) => `below the published minimums: ${evidenceGaps(evidence).join('; ')}`,
  },
  {
    code: 'slower',
    outcome: 'conditional',
    description: `p95 is over ${latencyFactorMax} times the latency of the source`,
    applies: ({ latency: { p95Ms, sourceLatencyMs } }) =>
      p95Ms !== null && sourceLatencyMs !== null && p95Ms > sourceLatencyMs * latencyFactorMax,
    reason: ({ latency }) =>
      `p95 is ${latency.p95Ms} ms, the source takes ${latency.sourceLatencyMs} ms`,
  },
  {
    code: 'dearer',
    outcome: 'conditional',
    description: 'the route costs more than the source',
    applies: (facts) => (facts.costDeltaPercent ?? 0) > 0,
    reason: (facts) => `the route costs ${facts.costDeltaPercent} % more than the source`,
  },
  {
    code: 'otherwise',
    outcome: 'ready',
    description: 'otherwise',
    applies: () => true,
    reason: () => 'scan, cost, quality and latency let the cutover go on',
  },
];

/** Codes of the conditions that a member can acknowledge. */
export const CONDITIONS: readonly string[] = COMPARISON_GUARDS.filter(
  ({ outcome }) => outcome === 'conditional',
).map(({ code }) => code);

/** The decision, with every reason that applies and not the first alone. */
export function decideComparison(facts: ComparisonFacts) {
  const decided = decide(COMPARISON_GUARDS, facts);
  const reasons = decided.reasons.map(
    ({ guard: rule, ...rest }): DecisionReason => ({ rule, ...rest }),
  );
  return { ...decided, reasons };
}
