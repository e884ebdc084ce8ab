import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import {
  ANOMALY_TYPES,
  type AnomalyType,
  DEVIATIONS_MIN,
  type Method,
  SEVERITIES,
  type Severity,
  SPREAD_SHARE_MIN,
  THRESHOLD_UNITS,
} from './vocabulary.js';

/** What is compared: money in rubles, all else as it is counted. */
export interface Compared {
  readonly observed: number;
  /** 0 where nothing is expected. */
  readonly expected: number;
  /** The robust spread of the expected (1.4826 × MAD); undefined where none is known. */
  readonly spread?: number | undefined;
  readonly method: Method;
}

/** What a rule makes of two values. */
export interface Judged extends Compared {
  readonly triggered: boolean;
  /** What the observed may not reach. */
  readonly limit: number;
  readonly severity: Severity | null;
  readonly reason: string;
}

/** The row of a type. */
export function typeRow(type: AnomalyType) {
  const row = ANOMALY_TYPES.rows.find(({ code }) => code === type);
  if (!row) throw new TypeError(`${type} is no type of anomalies`);
  return row;
}

/** What is wrong with the threshold of a rule, by the unit of its type. */
export function thresholdFaults(path: string, type: AnomalyType, threshold: number): Fault[] {
  const row = THRESHOLD_UNITS.rows.find(({ code }) => code === typeRow(type).unit);
  if (!row || (threshold >= row.min && threshold <= row.max)) return [];
  if (row.code !== 'share') {
    const what = row.code === 'count' ? 'a count' : 'how many times the expected';
    return [fault(path, 'out_of_range', `of ${type} is ${what} and must be at least ${row.min}`)];
  }
  const isPercent = threshold > 1 && threshold <= 100;
  const hint = isPercent ? `; did you mean ${Number((threshold / 100).toPrecision(6))}?` : '';
  return [fault(path, 'out_of_range', `of ${type} must be a share above 0, up to 1${hint}`)];
}

/**
 * Whether two values are an anomaly by a rule: the same for live requests and for posted metrics.
 * The observed must reach the limit, and where the spread of the expected is known, also lie 3.5
 * spreads above it.
 */
export function judge(type: AnomalyType, threshold: number, compared: Compared): Judged {
  const { observed, expected, spread } = compared;
  const limit = typeRow(type).expected === null ? threshold : threshold * expected;
  const isBeyond = observed > 0 && observed >= limit;
  const least = Math.max(spread ?? 0, Math.abs(expected) * SPREAD_SHARE_MIN);
  const isNoise = spread !== undefined && observed - expected < DEVIATIONS_MIN * least;
  const triggered = isBeyond && !isNoise;
  return {
    ...compared,
    triggered,
    limit,
    severity: triggered ? severityOf(observed, limit) : null,
    reason: reasonOf(type, compared, { limit, isBeyond, isNoise }),
  };
}

function severityOf(observed: number, limit: number): Severity {
  const beyond = limit > 0 ? observed / limit : Number.POSITIVE_INFINITY;
  return SEVERITIES.rows.findLast(({ beyondMin }) => beyond >= beyondMin)?.code ?? 'medium';
}

interface Verdict {
  readonly limit: number;
  readonly isBeyond: boolean;
  readonly isNoise: boolean;
}

function reasonOf(type: AnomalyType, { observed, expected }: Compared, verdict: Verdict): string {
  const { limit, isBeyond, isNoise } = verdict;
  const of = typeRow(type).expected === null ? '' : `, ${rounded(expected)} were expected`;
  const facts = `${rounded(observed)} were observed${of}, and the limit is ${rounded(limit)}`;
  if (!isBeyond) return `${facts}: the observed is within it.`;
  if (isNoise) return `${facts}: what is usual varies as widely as this.`;
  return `${facts}: the observed has reached it.`;
}

/** Six significant digits are enough for a sentence. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

/** The median of values, the mean of the two in the middle where they are even; 0 of none. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** To make the median absolute deviation comparable with a standard deviation. */
const MAD_SCALE = 1.4826;

/** Median and robust spread of values. */
export function robust(values: readonly number[]): { expected: number; spread: number } {
  const expected = median(values);
  const spread = MAD_SCALE * median(values.map((value) => Math.abs(value - expected)));
  return { expected, spread };
}
