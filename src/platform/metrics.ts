import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { exposition, type Metric } from './exposition.rules.js';
import { count, HistogramSeries } from './series.js';

/** A figure that is read when the metrics are asked for. */
export interface ReadFigure {
  readonly name: string;
  readonly help: string;
  readonly read: () => number | Promise<number>;
}

/** Figures of one name that a label tells apart. */
export interface ReadFigures {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  readonly read: () => ReadonlyMap<string, number>;
}

/**
 * How often the delay of the event loop is measured, in milliseconds: a process that does nothing
 * wakes for it. What stands in the way for longer is seen at any of them.
 */
const EVENT_LOOP_LOOK_MS = 1_000;

/** Sums of metrics by type that stand beside them, as gauges with the ending of counters. */
const MISNAMED = ['handles', 'requests', 'resources'].map((each) => `nodejs_active_${each}_total`);

/** Upper bounds of `gw_http_request_seconds`. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What is counted of one operation. */
interface OperationSeries {
  readonly operation: string;
  readonly statuses: Map<number, number>;
  readonly seconds: HistogramSeries;
}

/**
 * The operator's metrics of this process, in the Prometheus exposition format. What is counted for
 * each request is counted in plain numbers that whoever counts keeps hold of, and becomes a metric
 * when it is asked for.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly sources: (() => readonly Metric[])[] = [];
  private readonly operations = new Map<string, OperationSeries>();
  private readonly codes = new Map<string, number>();

  constructor() {
    collectDefaultMetrics({
      register: this.registry,
      eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS,
    });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
    this.add(() => this.ofRequests());
  }

  /**
   * Counts a request that was answered.
   * @param operation a name of ours: of a row, or of a field of the schema
   * @param code of the catalogue; undefined where nothing failed
   */
  observe(operation: string, status: number, elapsedMs: number, code: string | undefined): void {
    let series = this.operations.get(operation);
    if (series === undefined) {
      series = { operation, statuses: new Map(), seconds: new HistogramSeries(REQUEST_SECONDS) };
      this.operations.set(operation, series);
    }
    count(series.statuses, status);
    series.seconds.observe(elapsedMs / 1_000);
    if (code !== undefined) count(this.codes, code);
  }

  /** Shows these codes of errors also before the first one, so that a rise from none is seen. */
  expectCodes(codes: readonly string[]): void {
    for (const code of codes) this.codes.set(code, this.codes.get(code) ?? 0);
  }

  /** Adds metrics that are kept elsewhere; they are asked for each time. */
  add(source: () => readonly Metric[]): void {
    this.sources.push(source);
  }

  /** Adds a gauge. What cannot be read is not a number. */
  gauge({ name, help, read }: ReadFigure): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await Promise.resolve(read()).catch(() => Number.NaN));
      },
    });
  }

  /** Adds a counter of what is counted elsewhere; its name ends with `_total`. */
  counter({ name, help, read }: ReadFigure): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      async collect() {
        const now = await read();
        this.reset();
        this.inc(now);
      },
    });
  }

  /** Adds counters of what is counted elsewhere under the values of one label, which are few. */
  counters({ name, help, label, read }: ReadFigures): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [value, count] of read()) this.inc({ [label]: value }, count);
      },
    });
  }

  /** The content type of the exposition. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics as text. */
  async text(): Promise<string> {
    const own = exposition(this.sources.flatMap((source) => source()));
    return `${await this.registry.metrics()}\n${own}`;
  }

  private ofRequests(): readonly Metric[] {
    const all = [...this.operations.values()];
    return [
      {
        name: 'gw_http_requests_total',
        help: 'Requests by operation and status.',
        type: 'counter',
        samples: all.flatMap(({ operation, statuses }) =>
          [...statuses].map(([status, value]) => ({
            labels: { operation, status: String(status) },
            value,
          })),
        ),
      },
      {
        name: 'gw_http_request_seconds',
        help: 'Time from arrival to the last byte, by operation.',
        type: 'histogram',
        samples: all.flatMap(({ operation, seconds }) => seconds.samples({ operation })),
      },
      {
        name: 'gw_http_errors_total',
        help: 'Requests that failed, by the code of their error.',
        type: 'counter',
        samples: [...this.codes].map(([code, value]) => ({ labels: { code }, value })),
      },
    ];
  }
}
