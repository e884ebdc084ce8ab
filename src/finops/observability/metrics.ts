import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { formatRub } from '../../kernel/money.js';
import { exposition, type Metric, type Sample } from '../../platform/exposition.rules.js';
import type { Sum } from '../reports/cubes.js';
import { type SumsRow, usageSums } from '../reports/read.js';
import { bucketOf, countOf, totalOf } from '../reports/sketch.rules.js';

/** Before the first request of any organization: counters are over all time, and never fall. */
const BEGIN = new Date('2026-01-01T00:00:00Z');

const DAY_MS = 86_400_000;

/** The most series of a metric; what lies beyond is one series of its own. */
const SERIES_MAX = 500;

/** Bounds of the latency histogram in milliseconds. */
const LATENCY_MS = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000];

/** The metrics of the organization over all time, in the Prometheus text format. */
export async function tenantMetrics(ctx: AuthorizedCtx): Promise<string> {
  const rows = await usageSums(ctx.services, {
    tenantId: ctx.who.tenantId,
    windows: [{ from: BEGIN, to: new Date(sharedNowMs() + DAY_MS) }],
    groupBy: ['route', 'provider', 'model', 'operation', 'simulated'],
    period: null,
    timeZone: 'Europe/Moscow',
    narrowings: [],
    sketches: ['latency_sketch', 'first_token_sketch'],
    orderBy: 'requests',
    top: SERIES_MAX,
  });
  return exposition(metricsOf(rows));
}

function metricsOf(rows: readonly SumsRow[]): readonly Metric[] {
  return [
    counter('gw_requests_total', 'Requests that were called, by how they ended.', rows, [
      ['status', 'complete', 'complete'],
      ['status', 'partial', 'partial'],
      ['status', 'failed', 'failed'],
    ]),
    counter('gw_errors_total', 'Requests that failed.', rows, [['', '', 'failed']]),
    counter('gw_refusals_total', 'Answers that a provider cut off as content.', rows, [
      ['', '', 'refused'],
    ]),
    counter('gw_cache_hits_total', 'Requests that the response cache answered.', rows, [
      ['', '', 'cached'],
    ]),
    counter('gw_tokens_total', 'Tokens by price class.', rows, [
      ['class', 'input_uncached', 'input_uncached'],
      ['class', 'input_cached', 'input_cached'],
      ['class', 'cache_write', 'cache_write'],
      ['class', 'output_text', 'output_text'],
      ['class', 'output_reasoning', 'output_reasoning'],
    ]),
    rubles('gw_cost_rubles_total', 'What was charged in rubles, VAT included.', rows, (sums) =>
      // Counters never fall: what is given back is a counter of its own.
      formatRub(sums.amount_micro + sums.refunded_micro),
    ),
    rubles('gw_refunded_rubles_total', 'What was refunded in rubles, VAT included.', rows, (sums) =>
      formatRub(sums.refunded_micro),
    ),
    histogram('gw_latency_seconds', 'Time to the whole answer.', rows, 'latency_sketch'),
    histogram('gw_first_token_seconds', 'Time to the first token.', rows, 'first_token_sketch'),
  ];
}

/** The series beyond the limit has the model `other`, which no catalogue lists. */
function labelsOf({ group, place }: SumsRow): Record<string, string> {
  const isOther = place > SERIES_MAX;
  return {
    route: group.route ?? '',
    provider: group.provider ?? '',
    model: isOther ? 'other' : (group.model ?? ''),
    operation: group.operation ?? '',
    simulated: group.simulated ?? '',
  };
}

function counter(
  name: string,
  help: string,
  rows: readonly SumsRow[],
  parts: readonly (readonly [label: string, value: string, sum: Sum])[],
): Metric {
  const samples = rows.flatMap((row) =>
    parts.map(([label, value, sum]): Sample => {
      const labels = labelsOf(row);
      return { labels: label ? { ...labels, [label]: value } : labels, value: row.sums[sum] };
    }),
  );
  return { name, help, type: 'counter', samples };
}

function rubles(
  name: string,
  help: string,
  rows: readonly SumsRow[],
  value: (sums: SumsRow['sums']) => string,
): Metric {
  const samples = rows.map((row) => ({ labels: labelsOf(row), value: value(row.sums) }));
  return { name, help, type: 'counter', samples };
}

/**
 * A histogram of the sketches. A bound that lies inside of a bucket of the sketch takes the whole
 * bucket in, which is within the relative error of the sketch. So is the sum.
 */
function histogram(
  name: string,
  help: string,
  rows: readonly SumsRow[],
  sketch: 'latency_sketch' | 'first_token_sketch',
): Metric {
  const samples = rows.flatMap((row): Sample[] => {
    const buckets = row.sketches[sketch] ?? new Map();
    const count = countOf(buckets);
    if (count === 0) return [];
    const labels = labelsOf(row);
    const upTo = (ms: number) => {
      let seen = 0;
      for (const [bucket, each] of buckets) if (bucket <= bucketOf(ms)) seen += each;
      return seen;
    };
    return [
      ...LATENCY_MS.map((ms) => ({
        suffix: '_bucket',
        labels: { ...labels, le: String(ms / 1_000) },
        value: upTo(ms),
      })),
      { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
      { suffix: '_sum', labels, value: totalOf(buckets) / 1_000 },
      { suffix: '_count', labels, value: count },
    ];
  });
  return { name, help, type: 'histogram', samples };
}
