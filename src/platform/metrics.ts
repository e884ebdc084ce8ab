import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A gauge that is read when the metrics are asked for. */
export interface ReadGauge {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

/**
 * How often the delay of the event loop is measured, in milliseconds: a process that does nothing
 * wakes for it. What stands in the way for longer is seen at any of them.
 */
const EVENT_LOOP_LOOK_MS = 200;

/** The operator's metrics of this process, in the Prometheus exposition format. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests: Counter;
  private readonly seconds: Histogram;

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({
      register: this.registry,
      eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS,
    });
    this.requests = new Counter({
      name: 'gw_http_requests_total',
      help: 'Requests by operation and status.',
      labelNames: ['operation', 'status'],
      registers,
    });
    this.seconds = new Histogram({
      name: 'gw_http_request_seconds',
      help: 'Time from arrival to the last byte, by operation.',
      labelNames: ['operation'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    });
  }

  /** Counts a request that was answered. */
  observe(operation: string, status: number, elapsedMs: number): void {
    this.requests.inc({ operation, status });
    this.seconds.observe({ operation }, elapsedMs / 1_000);
  }

  /** Adds a gauge. */
  gauge({ name, help, read }: ReadGauge): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** The content type of the exposition. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics as text. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}
