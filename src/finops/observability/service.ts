import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import type { Window } from '../../kernel/window.rules.js';
import { measuredFrom } from '../../records/measured.js';
import { statedWindow } from '../reports/question.rules.js';
import { type SumsRow, usageSums } from '../reports/read.js';
import { figuresOf, shareOf, sumOf } from '../reports/report.rules.js';
import { usageBy } from '../reports/service.js';
import { type Histogram, merged } from '../reports/sketch.rules.js';
import { WINDOW_QUESTION } from '../reports/tables.js';
import {
  binned,
  type Comparison,
  compared,
  proportionZ,
  stabilityIndex,
  worstOf,
} from './drift.rules.js';
import { healthOf } from './health.rules.js';
import { DRIFT_QUESTION, type Drift, type Health } from './tables.js';
import { COSTLY_FEATURES_MAX, DRIFT_DAYS, SCORED_REQUESTS_MIN } from './vocabulary.js';

const DAY_MS = 86_400_000;

/**
 * How requests of clients went, with a score that shows its terms. Those of the sandbox count only
 * where there are no others.
 * @throws invalid_request for a window that is wrong
 */
export async function healthSummary(ctx: AuthorizedCtx, given: GivenValues): Promise<Health> {
  const asked = inputValues(WINDOW_QUESTION, given);
  const { faults, ...window } = statedWindow(asked, sharedNow());
  failOnFaults(faults);
  const read = () =>
    usageSums(ctx.services, {
      ...questionOf(ctx, [window]),
      groupBy: ['simulated', 'origin'],
      sketches: ['latency_sketch', 'first_token_sketch'],
    });
  const { value, provenance } = await measuredFrom(ctx, read, (rows) => summaryOf(rows, window));
  const { groups } = await usageBy(ctx, { dimensions: ['feature'], window });
  const costliestFeatures = groups
    .slice(0, COSTLY_FEATURES_MAX)
    .map(({ values, totals: { requests, amountMicro } }) => ({
      feature: values[0] ?? null,
      requests,
      amountMicro,
    }));
  return { ...value, costliestFeatures, provenance };
}

function questionOf(ctx: AuthorizedCtx, windows: readonly Window[]) {
  return {
    tenantId: ctx.who.tenantId,
    windows,
    period: null,
    timeZone: 'Europe/Moscow',
    narrowings: [],
    orderBy: 'requests',
    top: 1_000,
  } as const;
}

/** Rows of clients: the live ones, or where there are none, those of the sandbox. */
function ofClients(rows: readonly SumsRow[]) {
  const clients = rows.filter(({ group }) => group.origin === null);
  const live = clients.filter(({ group }) => group.simulated === 'false');
  const isSimulated = live.length === 0 && clients.length > 0;
  return { rows: isSimulated ? clients : live, clients, isSimulated };
}

function summaryOf(
  all: readonly SumsRow[],
  window: Window,
): Omit<Health, 'provenance' | 'costliestFeatures'> {
  const { rows, clients, isSimulated } = ofClients(all);
  const sums = sumOf(rows);
  const { requests, failed, refused, cached } = sums;
  const { latencyMsP95, firstTokenMsP95 } = figuresOf(rows, ['latency', 'first_token']);
  const scored = healthOf({
    error_rate: shareOf(sums.erred, requests - cached),
    latency_ms_p95: latencyMsP95,
    first_token_ms_p95: firstTokenMsP95,
    refusal_rate: shareOf(refused, requests),
    retry_rate: shareOf(sums.attempts - sums.asked, sums.attempts),
    overhead_ms: shareOf(sums.overhead_us, requests * 1_000n),
  });
  const isEnough = requests >= BigInt(SCORED_REQUESTS_MIN);
  const simulated = clients.filter(({ group }) => group.simulated === 'true');
  const own = all.filter(({ group }) => group.origin !== null);
  return {
    ...window,
    verdict: isEnough ? scored.verdict : 'cannot_score',
    score: isEnough ? scored.score : null,
    terms: scored.terms,
    reason: isEnough ? null : 'too few requests of clients are recorded in the window',
    needed: isEnough ? [] : [`${SCORED_REQUESTS_MIN} requests of clients in the window`],
    isSimulated,
    requests,
    failed,
    refused,
    cached,
    simulatedRequests: sumOf(simulated).requests,
    ownRequests: sumOf(own).requests,
  };
}

/**
 * Whether requests of clients have changed: mix of models, latency, tokens, errors and refusals of
 * a window against a baseline, each by a named statistic.
 * @throws invalid_request for windows that are wrong
 */
export async function driftReport(ctx: AuthorizedCtx, given: GivenValues): Promise<Drift> {
  const { baselineFrom, baselineTo, ...asked } = inputValues(DRIFT_QUESTION, given);
  const now = sharedNow();
  const { faults, ...stated } = statedWindow(asked, now);
  const from = asked.from === null ? daysBefore(stated.to, DRIFT_DAYS.window) : stated.from;
  const window = { from, to: stated.to };
  const bounds = { ...asked, from: baselineFrom, to: baselineTo };
  const { faults: more, ...base } = statedWindow(bounds, window.from);
  failOnFaults([...faults, ...more.map((each) => ({ ...each, path: BASELINE[each.path] ?? '' }))]);
  const start = baselineFrom === null ? daysBefore(base.to, DRIFT_DAYS.baseline) : base.from;
  const baseline = { from: start, to: base.to };
  const read = () =>
    usageSums(ctx.services, {
      ...questionOf(ctx, [window, baseline]),
      groupBy: ['model', 'simulated', 'origin'],
      sketches: ['latency_sketch', 'input_sketch', 'output_sketch'],
    });
  const { value, provenance } = await measuredFrom(ctx, read, (rows) => {
    const { rows: clients, isSimulated } = ofClients(rows);
    const rules = rulesOf(
      clients.filter((row) => row.window === 0),
      clients.filter((row) => row.window === 1),
    );
    const verdict = worstOf(rules.map((each) => each.verdict));
    const windows = { ...window, baselineFrom: baseline.from, baselineTo: baseline.to };
    return { ...windows, verdict, rules, isSimulated };
  });
  return { ...value, provenance };
}

const BASELINE: Readonly<Record<string, string>> = {
  from: 'baselineFrom',
  to: 'baselineTo',
  timeZone: 'timeZone',
};

function daysBefore(at: Date, days: number): Date {
  return new Date(at.getTime() - days * DAY_MS);
}

function rulesOf(now: readonly SumsRow[], before: readonly SumsRow[]): readonly Comparison[] {
  const [sums, earlier] = [sumOf(now), sumOf(before)];
  const requests = { now: Number(sums.requests), before: Number(earlier.requests) };
  const answered = {
    now: Number(sums.requests - sums.failed),
    before: Number(earlier.requests - earlier.failed),
  };
  const distribution = (sketch: 'latency_sketch' | 'input_sketch' | 'output_sketch') => {
    const [mine, base] = [sketchOf(now, sketch), sketchOf(before, sketch)];
    return stabilityIndex(binned(mine, base), binned(base, base));
  };
  const proportion = (part: 'failed' | 'refused') =>
    proportionZ(
      { part: Number(sums[part]), whole: requests.now },
      { part: Number(earlier[part]), whole: requests.before },
    );
  return [
    compared('model_mix', requests, () => stabilityIndex(byModel(now), byModel(before))),
    compared('latency', answered, () => distribution('latency_sketch')),
    compared('input_tokens', answered, () => distribution('input_sketch')),
    compared('output_tokens', answered, () => distribution('output_sketch')),
    compared('error_rate', requests, () => proportion('failed')),
    compared('refusal_rate', requests, () => proportion('refused')),
  ];
}

function sketchOf(rows: readonly SumsRow[], sketch: keyof SumsRow['sketches']): Histogram {
  return merged(rows.flatMap(({ sketches }) => sketches[sketch] ?? []));
}

function byModel(rows: readonly SumsRow[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { group, sums } of rows) {
    const model = group.model ?? '';
    counts.set(model, (counts.get(model) ?? 0) + Number(sums.requests));
  }
  return counts;
}
