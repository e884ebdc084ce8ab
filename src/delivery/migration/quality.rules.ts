import { COMPARISON, type QualityDelta, type QualityVerdict } from './vocabulary.js';

/** How one item of an evaluation set went. Neither prompt nor answer is kept. */
export interface ItemResult {
  readonly index: number;
  readonly passed: boolean;
  /** The request that ran it; null when it was refused. */
  readonly request_id: string | null;
  /** Why it could not be run; null when it was. */
  readonly error_code: string | null;
  /** True where a simulated model answered. */
  readonly simulated: boolean;
}

/** What an evaluation showed, and what is known of the source. Shares are from 0 to 1. */
export interface QualityFacts {
  readonly results: readonly ItemResult[];
  /** Items whose source output passed; undefined unless every item has one. */
  readonly sourcePassed: number | undefined;
  /** The quality of the source as the caller states it. */
  readonly sourceQuality: number | undefined;
}

/** Quality as it is sealed. */
export interface Quality {
  readonly verdict: QualityVerdict;
  readonly reason: string;
  /** What would lift the verdict; empty when nothing is missing. */
  readonly needed: readonly string[];
  readonly items: number;
  readonly ran: number;
  readonly passed: number;
  readonly share: number | null;
  readonly interval_low: number | null;
  readonly interval_high: number | null;
  readonly source_share: number | null;
  readonly source_provenance: 'declared' | null;
  readonly delta: QualityDelta;
  /** Measured less source, in percentage points. */
  readonly delta_percent: number | null;
}

/** Quality without an evaluation set. */
export const NOT_MEASURED: Quality = {
  verdict: 'not_measured',
  reason: 'no evaluation set was given, so nothing was run',
  needed: [`evaluation_set with at least ${COMPARISON.evaluationItemsMin} items`],
  items: 0,
  ran: 0,
  passed: 0,
  share: null,
  interval_low: null,
  interval_high: null,
  source_share: null,
  source_provenance: null,
  delta: 'not_measured',
  delta_percent: null,
};

/** The normal quantile of a two-sided interval of 95 %. */
const Z = 1.959964;

/**
 * Wilson's score interval of a share at 95 % (E. B. Wilson, 1927):
 * (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n).
 */
export function wilsonInterval(passed: number, count: number): { low: number; high: number } {
  const share = passed / count;
  const z2 = Z * Z;
  const middle = share + z2 / (2 * count);
  const half = Z * Math.sqrt((share * (1 - share)) / count + z2 / (4 * count * count));
  const scale = 1 + z2 / count;
  return {
    low: Math.max(0, Math.min(share, (middle - half) / scale)),
    high: Math.min(1, Math.max(share, (middle + half) / scale)),
  };
}

/** Quality from the runs: the share of items that passed, with its interval. */
export function qualityOf({ results, sourcePassed, sourceQuality }: QualityFacts): Quality {
  const ran = results.filter(({ error_code }) => error_code === null);
  const passed = ran.filter((result) => result.passed).length;
  const items = results.length;
  const source = sourcePassed === undefined ? sourceQuality : sourcePassed / items;
  const sourceFacts = {
    source_share: source === undefined ? null : rounded(source, 4),
    source_provenance: source === undefined ? null : ('declared' as const),
  };
  const counts = { items, ran: ran.length, passed, ...sourceFacts };
  if (ran.length === 0) return { ...NOT_MEASURED, ...unsettled(results), ...counts };
  const share = passed / ran.length;
  const { low, high } = wilsonInterval(passed, ran.length);
  const figures = {
    ...counts,
    share: rounded(share, 4),
    interval_low: rounded(low, 4),
    interval_high: rounded(high, 4),
  };
  const simulated = ran.filter((result) => result.simulated).length;
  if (simulated > 0) return { ...NOT_MEASURED, ...madeUp(simulated, ran.length), ...figures };
  const tooFew = ran.length < items || items < COMPARISON.evaluationItemsMin;
  if (tooFew) return { ...NOT_MEASURED, ...unsettled(results), ...figures };
  const measured = { verdict: 'measured', reason: `${passed} of ${items} items passed` } as const;
  if (source === undefined) {
    const needed = ['source_quality, or source_output for every item'];
    return { ...figures, ...measured, needed, delta: 'cannot_compare', delta_percent: null };
  }
  const delta = low > source ? 'better' : high < source ? 'worse' : 'same_within_interval';
  const percent = rounded((share - source) * 100, 2);
  return { ...figures, ...measured, needed: [], delta, delta_percent: percent };
}

function madeUp(simulated: number, ran: number) {
  const reason = `${simulated} of ${ran} answers were simulated, which is no evidence`;
  return { verdict: 'simulated' as const, reason, needed: ['a run on models that are real'] };
}

function unsettled(results: readonly ItemResult[]) {
  const codes = [...new Set(results.flatMap(({ error_code }) => error_code ?? []))];
  const failed = results.filter(({ error_code }) => error_code !== null).length;
  const min = COMPARISON.evaluationItemsMin;
  const verdict = 'not_conclusive' as const;
  if (failed > 0) {
    const reason = `${failed} of ${results.length} items could not be run: ${codes.join(', ')}`;
    return { verdict, reason, needed: ['a run in which every item is answered'] };
  }
  const reason = `${results.length} items are fewer than the ${min} that a verdict needs`;
  return { verdict, reason, needed: [`evaluation_set with at least ${min} items`] };
}

/** Rounds half away from zero to some decimal places, for shares and percentages. */
export function rounded(value: number, places: number): number {
  const factor = 10 ** places;
  const nearest = Math.round(Math.abs(value) * factor) / factor;
  return value < 0 && nearest !== 0 ? -nearest : nearest;
}
