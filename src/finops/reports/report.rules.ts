import type { Window } from '../../kernel/window.rules.js';
import { READ_SUMS, type Sketch, type Sum } from './cubes.js';
import { periodName } from './question.rules.js';
import type { SumsRow } from './read.js';
import { merged, quantileOf, RELATIVE_ERROR } from './sketch.rules.js';
import type { Figures, Report, ReportQuestion, ReportRow } from './tables.js';
import type { Dimension, Metric } from './vocabulary.js';

/** The distributions that each kind of figures needs. */
export const SKETCHES_OF: Readonly<Partial<Record<Metric, Sketch>>> = {
  latency: 'latency_sketch',
  first_token: 'first_token_sketch',
};

type Sums = SumsRow['sums'];

/** The sums of rows together; nothing is 0 of everything. */
export function sumOf(rows: readonly SumsRow[]): Record<Sum, bigint> {
  const total = {} as Record<Sum, bigint>;
  const read = (each: Sum) => rows.reduce((sum, { sums }) => sum + sums[each], 0n);
  for (const name of READ_SUMS) total[name] = read(name);
  return total;
}

/** A share of requests; null of none. */
export function shareOf(part: bigint, whole: bigint): number | null {
  return whole === 0n ? null : Number(part) / Number(whole);
}

/** The figures of some rows together, as far as they are asked for. */
export function figuresOf(rows: readonly SumsRow[], metrics: readonly Metric[]): Figures {
  const sums = sumOf(rows);
  const has = (metric: Metric) => metrics.includes(metric);
  return {
    ...NOTHING,
    ...(has('requests') && countsOf(sums)),
    ...(has('tokens') && tokensOf(sums)),
    ...(has('cost') && costOf(sums)),
    ...(has('latency') && latencyOf(rows, sums)),
    ...(has('first_token') && firstTokenOf(rows)),
  };
}

const NOTHING: Figures = {
  requests: null,
  complete: null,
  partial: null,
  failed: null,
  refused: null,
  cached: null,
  errorRate: null,
  cacheHitRate: null,
  inputTokens: null,
  cachedInputTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  amountMicro: null,
  netMicro: null,
  vatMicro: null,
  chargedMicro: null,
  refundedMicro: null,
  listCostMicro: null,
  latencyMsMean: null,
  latencyMsP50: null,
  latencyMsP95: null,
  latencyMsP99: null,
  firstTokenMsP50: null,
  firstTokenMsP95: null,
  firstTokenMsP99: null,
};

function countsOf({ requests, complete, partial, failed, refused, cached }: Sums) {
  const [errorRate, cacheHitRate] = [shareOf(failed, requests), shareOf(cached, requests)];
  return { requests, complete, partial, failed, refused, cached, errorRate, cacheHitRate };
}

function tokensOf(sums: Sums) {
  return {
    inputTokens: sums.input_uncached + sums.input_cached + sums.cache_write,
    cachedInputTokens: sums.input_cached,
    outputTokens: sums.output_text + sums.output_reasoning,
    reasoningTokens: sums.output_reasoning,
  };
}

/** What was paid is what was charged less what was refunded, and so are its net and its tax. */
function costOf(sums: Sums) {
  const { amount_micro: amountMicro, vat_micro: vatMicro, refunded_micro: refundedMicro } = sums;
  return {
    amountMicro,
    vatMicro,
    netMicro: amountMicro - vatMicro,
    chargedMicro: amountMicro + refundedMicro,
    refundedMicro,
    listCostMicro: sums.cost_micro,
  };
}

/** Values of a distribution, to a tenth of a millisecond. */
function percentiles(rows: readonly SumsRow[], sketch: Sketch) {
  const histogram = merged(rows.flatMap(({ sketches }) => sketches[sketch] ?? []));
  return [0.5, 0.95, 0.99].map((share) => {
    const value = quantileOf(histogram, share);
    return value === null ? null : Math.round(value * 10) / 10;
  });
}

function latencyOf(rows: readonly SumsRow[], { requests, failed, latency_ms }: Sums) {
  const [latencyMsP50 = null, latencyMsP95 = null, latencyMsP99 = null] = percentiles(
    rows,
    'latency_sketch',
  );
  const mean = shareOf(latency_ms, requests - failed);
  const latencyMsMean = mean === null ? null : Math.round(mean * 10) / 10;
  return { latencyMsMean, latencyMsP50, latencyMsP95, latencyMsP99 };
}

function firstTokenOf(rows: readonly SumsRow[]) {
  const [firstTokenMsP50 = null, firstTokenMsP95 = null, firstTokenMsP99 = null] = percentiles(
    rows,
    'first_token_sketch',
  );
  return { firstTokenMsP50, firstTokenMsP95, firstTokenMsP99 };
}

/** What a report is made of beside the rows. */
export interface ReportFrame {
  readonly question: ReportQuestion;
  readonly window: Window;
  readonly compared: Window | null;
}

/** The report of the sums of its windows; what it says of provenance is the reader's. */
export function reportOf(
  rows: readonly SumsRow[],
  { question, window, compared }: ReportFrame,
): Omit<Report, 'provenance'> {
  const own = rows.filter((row) => row.window === 0);
  const earlier = rows.filter((row) => row.window === 1);
  const { metrics, timeZone } = question;
  const before = compared ? earlierRows(earlier, question, window, compared) : () => undefined;
  return {
    ...window,
    timeZone,
    comparedFrom: compared?.from ?? null,
    comparedTo: compared?.to ?? null,
    total: figuresOf(own, metrics),
    totalBefore: compared ? figuresOf(earlier, metrics) : null,
    rows: own.map((row) => rowOf(row, question, before(row))),
    percentileError: RELATIVE_ERROR,
  };
}

const DAY_MS = 86_400_000;
const PERIOD_MS = { hour: DAY_MS / 24, day: DAY_MS, week: 7 * DAY_MS, month: Number.NaN } as const;

/**
 * What stands in the window of comparison at the place of a row: null where there is nothing, and
 * undefined where the periods of the two windows do not lie on one another.
 */
function earlierRows(
  earlier: readonly SumsRow[],
  { period, timeZone }: Pick<ReportQuestion, 'period' | 'timeZone'>,
  window: Window,
  compared: Window,
): (row: SumsRow) => SumsRow | null | undefined {
  const backMs = window.from.getTime() - compared.from.getTime();
  if (period && backMs % PERIOD_MS[period] !== 0) return () => undefined;
  // Local names: a day is a day later, also where a clock was changed in between.
  const keyOf = (row: SumsRow, onMs: number) => {
    const name = period && row.period ? periodName(period, row.period, timeZone) : null;
    return `${name === null ? '' : Date.parse(zoned(name)) + onMs}:${row.place}`;
  };
  const byKey = new Map(earlier.map((row) => [keyOf(row, backMs), row]));
  return (row) => byKey.get(keyOf(row, 0)) ?? null;
}

function zoned(name: string): string {
  return name.length === 10 ? name : `${name}Z`;
}

const GROUP_FIELDS = {
  feature: 'feature',
  client: 'client',
  model: 'model',
  provider: 'provider',
  route: 'route',
  key: 'key',
  project: 'project',
  environment: 'environment',
  operation: 'operation',
  promptVersion: 'prompt_version',
  simulated: 'simulated',
  origin: 'origin',
} as const satisfies Partial<Record<keyof ReportRow, Dimension>>;

type GroupValues = Record<keyof typeof GROUP_FIELDS, string | null>;

/** @param before null where the window of comparison has nothing, undefined without one */
function rowOf(
  row: SumsRow,
  { groupBy, period, timeZone, metrics, top }: ReportQuestion,
  before: SumsRow | null | undefined,
): ReportRow {
  const group = Object.fromEntries(
    Object.entries(GROUP_FIELDS).map(([name, dimension]) => [name, row.group[dimension] ?? null]),
  ) as GroupValues;
  const amountBefore = before === null ? 0n : (before?.sums.amount_micro ?? null);
  const changed = amountBefore === null ? 0n : row.sums.amount_micro - amountBefore;
  const hasBase = amountBefore !== null && amountBefore > 0n;
  const change = hasBase ? shareOf(changed * 10_000n, amountBefore) : null;
  return {
    periodStart: row.period,
    period: period && row.period ? periodName(period, row.period, timeZone) : null,
    ...group,
    isOther: groupBy.length > 0 && row.place > top,
    ...figuresOf([row], metrics),
    amountMicroBefore: amountBefore,
    requestsBefore: before === null ? 0n : (before?.sums.requests ?? null),
    amountChangePercent: change === null ? null : Math.round(change) / 100,
  };
}
