import type { PriceRow } from '../../catalog/providers/price.js';
import { type Decided, decide, type Guard } from '../../kernel/decision.js';
import { divide, type MicroRub } from '../../kernel/money.js';
import type { Quality } from './quality.rules.js';
import type { Scan } from './scan.rules.js';
import { COMPARISON, type CutoverDecision, type LatencyVerdict } from './vocabulary.js';

/** Shares are computed in ten-thousandths. */
const SHARE_UNITS = 10_000n;

/**
 * The price of a million tokens of a stated mix, in micro-rubles, half to even: input price ×
 * share + output price × (1 − share), uncached input and text output.
 * @returns undefined when a part that the mix has is without a price
 */
export function blendedPrice(price: PriceRow, inputShare: number): MicroRub | undefined {
  const { input_uncached: input, output_text: output } = price.microRubPerMillion;
  const share = BigInt(Math.round(inputShare * Number(SHARE_UNITS)));
  const rest = SHARE_UNITS - share;
  if ((share > 0n && input === undefined) || (rest > 0n && output === undefined)) return undefined;
  return divide((input ?? 0n) * share + (output ?? 0n) * rest, SHARE_UNITS, 'half_even');
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

/** The smallest value that at least this share of the samples do not pass (nearest rank). */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((one, other) => one - other);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('no samples');
  return value;
}

/** Latency as it is sealed. */
export interface Latency {
  readonly verdict: LatencyVerdict;
  readonly reason: string;
  readonly samples: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly provenance: 'live_measured' | null;
  /** As the caller states it. */
  readonly source_latency_ms: number | null;
}

/**
 * Latency from the samples of one source; too few of them are not shown as a measurement, and
 * those of simulated answers are `simulated` and no measurement either.
 */
export function latencyOf(
  samples: readonly number[],
  verdict: Exclude<LatencyVerdict, 'not_measured'>,
  sourceMs: number | undefined,
): Latency {
  const source_latency_ms = sourceMs ?? null;
  const min = COMPARISON.latencySamplesMin;
  if (samples.length < min) {
    return {
      verdict: 'not_measured',
      reason: `${samples.length} requests are fewer than the ${min} that a percentile needs`,
      samples: samples.length,
      p50_ms: null,
      p95_ms: null,
      provenance: null,
      source_latency_ms,
    };
  }
  return {
    verdict,
    reason: `nearest rank over ${samples.length} requests`,
    samples: samples.length,
    p50_ms: percentile(samples, 0.5),
    p95_ms: percentile(samples, 0.95),
    provenance: verdict === 'simulated' ? null : 'live_measured',
    source_latency_ms,
  };
}

/** What the cutover decision looks at. */
export interface ComparisonFacts {
  readonly scan: Scan | undefined;
  /** Undefined where no permitted model has a price. */
  readonly costDeltaPercent: number | undefined;
  /** The model of the route is simulated, or an answer of the evaluation set was. */
  readonly simulated: boolean;
  readonly quality: Pick<Quality, 'verdict' | 'share' | 'delta' | 'reason'>;
  readonly latency: Pick<Latency, 'p95_ms' | 'source_latency_ms'>;
}

const {
  scoreMin,
  costIncreasePercentMax,
  qualityShareMin,
  latencyFactorMax,
  evaluationItemsMin: itemsMin,
} = COMPARISON;

function blocking(scan: Scan | undefined): string[] {
  const gaps = (scan?.known_gaps ?? []).filter(({ severity }) => severity === 'blocking');
  return gaps.map(({ capability, code }) => `${capability} (${code})`);
}

function isSlow({ latency: { p95_ms, source_latency_ms } }: ComparisonFacts): boolean {
  if (p95_ms === null || source_latency_ms === null) return false;
  return p95_ms > source_latency_ms * latencyFactorMax;
}

/** A guard with what it says in the reference. */
export type PublishedGuard<I, O extends string> = Guard<I, O> & { readonly when: string };

/** The decision table of comparisons, in order: the first guard that applies decides. */
export const COMPARISON_GUARDS: readonly PublishedGuard<ComparisonFacts, CutoverDecision>[] = [
  {
    name: 'no_scan',
    outcome: 'hold',
    when: 'no compatibility scan was made',
    applies: ({ scan }) => scan === undefined,
    reason: () => 'no compatibility scan was made; the gaps are not known',
  },
  {
    name: 'blocking_gap',
    outcome: 'hold',
    when: 'a capability in use has a blocking gap',
    applies: ({ scan }) => blocking(scan).length > 0,
    reason: ({ scan }) => `blocking gaps: ${blocking(scan).join(', ')}`,
  },
  {
    name: 'score_low',
    outcome: 'hold',
    when: `the score of the scan is under ${scoreMin}`,
    applies: ({ scan }) => scan !== undefined && scan.score < scoreMin,
    reason: ({ scan }) => `the score ${scan?.score} is under ${scoreMin}`,
  },
  {
    name: 'no_route',
    outcome: 'hold',
    when: 'no permitted model with a price can take the traffic',
    applies: (facts) => facts.costDeltaPercent === undefined,
    reason: () => 'no permitted model with a price can take the traffic',
  },
  {
    name: 'cost_increase',
    outcome: 'hold',
    when: `the route costs over ${costIncreasePercentMax} % more than the source`,
    applies: (facts) => (facts.costDeltaPercent ?? 0) > costIncreasePercentMax,
    reason: (facts) => `the route costs ${facts.costDeltaPercent} % more than the source`,
  },
  {
    name: 'quality_worse',
    outcome: 'hold',
    when: 'the interval of the measured quality is below the quality of the source',
    applies: ({ quality }) => quality.delta === 'worse',
    reason: ({ quality }) => `the quality ${quality.share} is below that of the source`,
  },
  {
    name: 'quality_low',
    outcome: 'hold',
    when: `the measured quality is under ${qualityShareMin}`,
    applies: ({ quality }) =>
      quality.verdict === 'measured' && (quality.share ?? 0) < qualityShareMin,
    reason: ({ quality }) => `the quality ${quality.share} is under ${qualityShareMin}`,
  },
  {
    name: 'simulated_route',
    outcome: 'hold',
    when: 'the model of the route, or one that answered the evaluation set, is simulated',
    applies: ({ simulated }) => simulated,
    reason: () => 'answers of the route are simulated; they are no evidence for a cutover',
  },
  {
    name: 'quality_unknown',
    outcome: 'conditional',
    when: `quality was not measured by an evaluation set of at least ${itemsMin} items`,
    applies: ({ quality }) => quality.verdict !== 'measured',
    reason: ({ quality }) => `the quality is ${quality.verdict}: ${quality.reason}`,
  },
  {
    name: 'slower',
    outcome: 'conditional',
    when: `p95 is over ${latencyFactorMax} times the latency of the source`,
    applies: isSlow,
    reason: ({ latency }) =>
      `p95 is ${latency.p95_ms} ms, the source takes ${latency.source_latency_ms} ms`,
  },
  {
    name: 'dearer',
    outcome: 'conditional',
    when: 'the route costs more than the source',
    applies: (facts) => (facts.costDeltaPercent ?? 0) > 0,
    reason: (facts) => `the route costs ${facts.costDeltaPercent} % more than the source`,
  },
  {
    name: 'otherwise',
    outcome: 'ready',
    when: 'otherwise',
    applies: () => true,
    reason: () => 'scan, cost, quality and latency let the cutover go on',
  },
];

/** Codes of the conditions that a member can acknowledge. */
export const CONDITIONS: readonly string[] = COMPARISON_GUARDS.filter(
  ({ outcome }) => outcome === 'conditional',
).map(({ name }) => name);

/** One thing that speaks about the cutover. */
export interface DecisionReason {
  readonly rule: string;
  readonly outcome: CutoverDecision;
  readonly reason: string;
}

/** The decision, with every reason that applies and not the first alone. */
export function decideComparison(
  facts: ComparisonFacts,
): Decided<CutoverDecision> & { readonly reasons: readonly DecisionReason[] } {
  const decided = decide(COMPARISON_GUARDS, facts);
  const applying = COMPARISON_GUARDS.filter((guard) => guard.applies(facts));
  const telling = applying.length > 1 ? applying.slice(0, -1) : applying;
  const reasons = telling.map((guard) => ({
    rule: guard.name,
    outcome: guard.outcome,
    reason: guard.reason(facts),
  }));
  return { ...decided, reasons };
}
