import { wilsonInterval } from '../../kernel/interval.rules.js';
import { declared } from '../../kernel/provenance.js';
import type { ItemResult, Quality } from './comparison-tables.js';
import { COMPARISON, type QualityDelta } from './vocabulary.js';

/** What an evaluation showed, and what is known of the source. Shares are from 0 to 1. */
export interface QualityFacts {
  readonly results: readonly ItemResult[];
  /** Items whose source output passed; undefined unless every item has one. */
  readonly sourcePassed: number | undefined;
  /** The quality of the source as the caller states it. */
  readonly sourceQuality: number | null;
}

/** Quality without an evaluation set. */
export const NOT_MEASURED: Quality = {
  quality: 'not_measured',
  qualityDelta: 'not_measured',
  qualityDeltaPercent: null,
  qualityEvidence: {
    reason: 'no evaluation set was given, so nothing was run',
    needed: [`evaluation_set with at least ${COMPARISON.evaluationItemsMin} items`],
    items: 0,
    ran: 0,
    passed: 0,
    share: null,
    intervalLow: null,
    intervalHigh: null,
    sourceShare: null,
    sourceProvenance: null,
  },
};

/** Quality from the runs: the share of items that passed, with its interval. */
export function qualityOf({ results, sourcePassed, sourceQuality }: QualityFacts): Quality {
  const ran = results.filter(({ errorCode }) => errorCode === null);
  const passed = ran.filter((result) => result.passed).length;
  const items = results.length;
  const source = sourcePassed === undefined ? sourceQuality : sourcePassed / items;
  const figures = {
    ...NOT_MEASURED.qualityEvidence,
    ...(ran.length === 0 ? {} : shareOf(passed, ran.length)),
    items,
    ran: ran.length,
    passed,
    sourceShare: source === null ? null : rounded(source, 4),
    sourceProvenance: source === null ? null : declared(source).provenance,
  };
  const simulated = ran.filter((result) => result.simulated).length;
  if (simulated > 0) {
    const reason = `${simulated} of ${ran.length} answers were simulated, which is no evidence`;
    const evidence = { ...figures, reason, needed: ['a run on models that are real'] };
    return { ...NOT_MEASURED, quality: 'simulated', qualityEvidence: evidence };
  }
  if (ran.length < items || items < COMPARISON.evaluationItemsMin) {
    const evidence = { ...figures, ...unsettled(results) };
    return { ...NOT_MEASURED, quality: 'not_conclusive', qualityEvidence: evidence };
  }
  const needed = source === null ? ['source_quality, or source_output for every item'] : [];
  return {
    quality: 'measured',
    ...deltaOf(passed, items, source),
    qualityEvidence: { ...figures, reason: `${passed} of ${items} items passed`, needed },
  };
}

function shareOf(passed: number, ran: number) {
  const { low, high } = wilsonInterval(passed, ran);
  return {
    share: rounded(passed / ran, 4),
    intervalLow: rounded(low, 4),
    intervalHigh: rounded(high, 4),
  };
}

function deltaOf(passed: number, items: number, source: number | null) {
  if (source === null) {
    return { qualityDelta: 'cannot_compare' as const, qualityDeltaPercent: null };
  }
  const { low, high } = wilsonInterval(passed, items);
  const qualityDelta: QualityDelta =
    low > source ? 'better' : high < source ? 'worse' : 'same_within_interval';
  return { qualityDelta, qualityDeltaPercent: rounded((passed / items - source) * 100, 2) };
}

function unsettled(results: readonly ItemResult[]) {
  const codes = results.flatMap(({ errorCode }) => errorCode ?? []);
  const min = COMPARISON.evaluationItemsMin;
  if (codes.length > 0) {
    const why = [...new Set(codes)].join(', ');
    const reason = `${codes.length} of ${results.length} items could not be run: ${why}`;
    return { reason, needed: ['a run in which every item is answered'] };
  }
  const reason = `${results.length} items are fewer than the ${min} that a verdict needs`;
  return { reason, needed: [`evaluation_set with at least ${min} items`] };
}

/** Rounds half away from zero to some decimal places, for shares and percentages. */
export function rounded(value: number, places: number): number {
  const factor = 10 ** places;
  const nearest = Math.round(Math.abs(value) * factor) / factor;
  return value < 0 && nearest !== 0 ? -nearest : nearest;
}
