import { differenceInterval, wilsonInterval } from '../../kernel/interval.rules.js';
import { declared } from '../../kernel/provenance.js';
import type { ItemResult, Quality } from './comparison-tables.js';
import { COMPARISON, type QualityDelta } from './vocabulary.js';

/** What an evaluation showed, and what is known of the source. Shares are from 0 to 1. */
export interface QualityFacts {
  readonly results: readonly ItemResult[];
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
    echoItems: 0,
    provesNothingItems: 0,
    sourcePassed: null,
    differenceLow: null,
    differenceHigh: null,
  },
};

/**
 * Quality from the runs: the share of items that passed, with its interval, and the difference to
 * the outputs of the source. Items that an echo of their question would pass show nothing, nor do
 * those that other answers would pass.
 */
export function qualityOf({ results: all, sourceQuality }: QualityFacts): Quality {
  const results = all.filter(({ echo, provesNothing }) => !echo && !provesNothing);
  const ran = results.filter(({ errorCode }) => errorCode === null);
  const passed = ran.filter((result) => result.passed).length;
  const items = results.length;
  const echoItems = all.filter(({ echo }) => echo).length;
  const leftOut = { echoItems, provesNothingItems: all.length - items - echoItems };
  const sourcePassed = sourcePassedOf(results);
  const source = sourcePassed === null ? sourceQuality : sourcePassed / items;
  const figures = {
    ...NOT_MEASURED.qualityEvidence,
    ...(ran.length === 0 ? {} : shareOf(passed, ran.length)),
    items: all.length,
    ...leftOut,
    sourcePassed,
    ran: ran.length,
    passed,
    sourceShare: source === null ? null : rounded(source, 4),
    sourceProvenance: source === null ? null : declared(source).provenance,
  };
  const answered = all.filter(({ errorCode }) => errorCode === null);
  const simulated = answered.filter((result) => result.simulated).length;
  if (simulated > 0) {
    const count = `${simulated} of ${answered.length}`;
    const reason = `${count} answers were simulated, which is no evidence`;
    const evidence = { ...figures, reason, needed: ['a run on models that are real'] };
    return { ...NOT_MEASURED, quality: 'simulated', qualityEvidence: evidence };
  }
  if (ran.length < items || items < COMPARISON.evaluationItemsMin) {
    const evidence = { ...figures, ...unsettled(results, leftOut) };
    return { ...NOT_MEASURED, quality: 'not_conclusive', qualityEvidence: evidence };
  }
  const needed = source === null ? ['source_quality, or source_output for every item'] : [];
  const difference = differenceOf(passed, items, sourcePassed);
  const { differenceLow: low, differenceHigh: high } = difference;
  const interval = low === null || high === null ? undefined : { low, high };
  return {
    quality: 'measured',
    ...deltaOf(passed, items, source, interval),
    qualityEvidence: {
      ...figures,
      ...difference,
      reason: `${passed} of ${items} items passed`,
      needed,
    },
  };
}

/** Outputs of the source that pass; null unless every item has one. */
function sourcePassedOf(results: readonly ItemResult[]): number | null {
  const outputs = results.map(({ sourcePassed }) => sourcePassed);
  return results.length === 0 || outputs.includes(null) ? null : outputs.filter(Boolean).length;
}

/** The outcomes of both sides on the same items: route less source, with its interval. */
function differenceOf(passed: number, items: number, sourcePassed: number | null) {
  if (sourcePassed === null) return { differenceLow: null, differenceHigh: null };
  const route = { successes: passed, tried: items };
  const { low, high } = differenceInterval(route, { successes: sourcePassed, tried: items });
  return { differenceLow: rounded(low, 4), differenceHigh: rounded(high, 4) };
}

function shareOf(passed: number, ran: number) {
  const { low, high } = wilsonInterval(passed, ran);
  return {
    share: rounded(passed / ran, 4),
    intervalLow: rounded(low, 4),
    intervalHigh: rounded(high, 4),
  };
}

function deltaOf(
  passed: number,
  items: number,
  source: number | null,
  difference: { readonly low: number; readonly high: number } | undefined,
) {
  if (source === null) {
    return { qualityDelta: 'cannot_compare' as const, qualityDeltaPercent: null };
  }
  const own = wilsonInterval(passed, items);
  const { low, high } = difference ?? { low: own.low - source, high: own.high - source };
  const qualityDelta: QualityDelta =
    low > 0 ? 'better' : high < 0 ? 'worse' : 'same_within_interval';
  return { qualityDelta, qualityDeltaPercent: rounded((passed / items - source) * 100, 2) };
}

type LeftOut = Readonly<Record<'echoItems' | 'provesNothingItems', number>>;

function unsettled(results: readonly ItemResult[], leftOut: LeftOut) {
  const codes = results.flatMap(({ errorCode }) => errorCode ?? []);
  const min = COMPARISON.evaluationItemsMin;
  if (codes.length > 0) {
    const why = [...new Set(codes)].join(', ');
    const reason = `${codes.length} of ${results.length} items could not be run: ${why}`;
    return { reason, needed: ['a run in which every item is answered'] };
  }
  const few = `${results.length} items are fewer than the ${min} that a verdict needs`;
  const { echoItems, provesNothingItems } = leftOut;
  const reasons = [
    few,
    ...(echoItems === 0 ? [] : [`an echo would pass ${echoItems} more`]),
    ...(provesNothingItems === 0 ? [] : [`other answers would pass ${provesNothingItems} more`]),
  ];
  return { reason: reasons.join('; '), needed: [`evaluation_set with at least ${min} items`] };
}

/** Rounds half away from zero to some decimal places, for shares and percentages. */
export function rounded(value: number, places: number): number {
  const factor = 10 ** places;
  const nearest = Math.round(Math.abs(value) * factor) / factor;
  return value < 0 && nearest !== 0 ? -nearest : nearest;
}
