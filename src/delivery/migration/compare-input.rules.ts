import type { Fault } from '../../kernel/errors/fail.js';
import { formatRub, type MicroRub } from '../../kernel/money.js';
import { type EvaluationItem, evaluationFaults } from './evaluation.rules.js';
import { BOUNDS } from './vocabulary.js';

/** The figures of a comparison as a caller states them. */
export interface StatedFigures {
  readonly sourceCostMicro: MicroRub;
  readonly evaluationSet?: readonly EvaluationItem[] | null;
  /** A share from 0 to 1. */
  readonly sourceQuality?: number | null;
  readonly sourceLatencyMs?: number | null;
  readonly monthlyTokens?: bigint | null;
  /** A share from 0 to 1, with at most four places. */
  readonly inputShare?: number | null;
}

/** Every fault of what a comparison is made from, by the names of the REST body. */
export function compareFaults(figures: StatedFigures): Fault[] {
  const { sourceCostMicroMin: min, sourceCostMicroMax: max } = BOUNDS;
  const { sourceCostMicro: cost, monthlyTokens: tokens, inputShare, evaluationSet } = figures;
  const costs = `${formatRub(min)} to ${formatRub(max)}`;
  return [
    ...within('source_cost_per_1m_rub', cost >= min && cost <= max, `from ${costs} rubles`),
    ...ranged('source_quality', figures.sourceQuality, 0, 1),
    ...ranged('source_latency_ms', figures.sourceLatencyMs, 1, BOUNDS.latencyMsMax),
    ...ranged('input_share', inputShare, 0, 1),
    ...within('input_share', inputShare == null || isTenThousandths(inputShare), 'of four places'),
    ...within(
      'monthly_tokens',
      tokens == null || (tokens >= 1n && tokens <= BOUNDS.monthlyTokensMax),
      `from 1 to ${BOUNDS.monthlyTokensMax}`,
    ),
    ...(evaluationSet == null ? [] : evaluationFaults(evaluationSet)),
  ];
}

function isTenThousandths(share: number): boolean {
  return Number(share.toFixed(4)) === share;
}

function ranged(path: string, value: number | null | undefined, min: number, max: number): Fault[] {
  return within(path, value == null || (value >= min && value <= max), `from ${min} to ${max}`);
}

function within(path: string, fits: boolean, what: string): Fault[] {
  return fits ? [] : [{ path, code: 'out_of_range', message: `${path} must be ${what}.` }];
}
