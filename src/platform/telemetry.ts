import { setTimeout as sleep } from 'node:timers/promises';
import type { Attributes, HrTime, SpanKind, Tracer } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { sharedMsOf } from '../kernel/clock.js';
import type { Trace } from '../kernel/trace.rules.js';
import type { Config } from './config.js';
import type { Metric } from './exposition.rules.js';
import { briefError } from './loggable-error.js';
import type { Metrics } from './metrics.js';
import { RequestSpans } from './request-spans.js';
import { type EndedRequest, spansOf, type ToldSpan } from './span-facts.js';

/** Tells a collector of requests. */
export interface Telemetry {
  /** What a request goes through is noted; undefined where its caller does not record the trace. */
  begin(trace: Trace | undefined): RequestSpans | undefined;
  /** A request is over. It is left out where too much waits for the collector. */
  ended(spans: RequestSpans, end: EndedRequest): void;
  /** A call is over that no request has waited for; it is told where its trace is recorded. */
  tell(trace: Trace, span: ToldSpan): void;
  /** Sends what waits, for two seconds at most. */
  stop(): Promise<void>;
}

/** Spans that wait for the collector or are under way to it; what comes beyond is left out. */
const QUEUED_MAX = 2_048;
const BATCH_MAX = 512;
const STOP_MS_MAX = 2_000;

/** What became of spans since the start, and how many wait or are under way now. */
interface Counts {
  held: number;
  exported: number;
  overflown: number;
  refused: number;
}

/** The settings that it is opened by. */
type TelemetryConfig = Pick<
  Config,
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_TIMEOUT'
  | 'OTEL_BSP_SCHEDULE_DELAY'
  | 'OTEL_SERVICE_NAME'
  | 'otlpHeaders'
  | 'nodeId'
>;

/** What is loaded where a collector is set. */
async function loadPackages() {
  const [api, sdk, otlp, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  return { api, sdk, otlp, resources };
}

type Packages = Awaited<ReturnType<typeof loadPackages>>;

/**
 * Opens the way to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT`; undefined without one, and then
 * nothing of OpenTelemetry is loaded.
 */
export async function openTelemetry(
  config: TelemetryConfig,
  metrics: Metrics,
  log: Logger,
): Promise<Telemetry | undefined> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const packages = await loadPackages();
  const counts: Counts = { held: 0, exported: 0, overflown: 0, refused: 0 };
  metrics.add(() => [metricOf(counts)]);
  const ids: Ids = { traceId: '', spanId: '' };
  const provider = new packages.sdk.BasicTracerProvider({
    resource: packages.resources.resourceFromAttributes({
      'service.name': config.OTEL_SERVICE_NAME,
      'service.instance.id': config.nodeId,
    }),
    // Whether a request is told was decided at its begin.
    sampler: new packages.sdk.AlwaysOnSampler(),
    idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
    spanProcessors: [processorOf(packages, config, endpoint, { counts, log })],
  });
  const tell = teller(packages.api, provider.getTracer('gw'), ids);
  // A request is told whole or not at all, and where there is no room it costs next to nothing.
  const tellAll = (traceId: string, all: readonly ToldSpan[]) => {
    const fits = counts.held + all.length <= QUEUED_MAX;
    counts[fits ? 'held' : 'overflown'] += all.length;
    if (fits) for (const told of all) tell(traceId, told);
  };
  return {
    begin: (trace) => (trace?.sampled === false ? undefined : new RequestSpans(trace)),
    ended: (spans, end) => tellAll(spans.trace.traceId, spansOf(spans, end)),
    tell(trace, span) {
      if (trace.sampled) tellAll(trace.traceId, [span]);
    },
    async stop() {
      const patience = sleep(STOP_MS_MAX, undefined, { ref: false });
      await Promise.race([provider.shutdown().catch(() => {}), patience]);
    },
  };
}

/** The ids of the next span: those under which others know it already. */
interface Ids {
  traceId: string;
  spanId: string;
}

/** Gives a span that is over to the processor. */
function teller(api: Packages['api'], tracer: Tracer, ids: Ids) {
  const below = (traceId: string, spanId: string, isRemote: boolean) =>
    api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags: 1, isRemote });
  return (traceId: string, told: ToldSpan) => {
    Object.assign(ids, { traceId, spanId: told.spanId });
    const { parentId, isRemote = false } = told;
    const parent = parentId === undefined ? api.ROOT_CONTEXT : below(traceId, parentId, isRemote);
    const attributes = told.attributes as Attributes;
    const startTime = sharedTime(told.startMs);
    const options = { kind: KINDS[told.kind], startTime, attributes };
    const span = tracer.startSpan(told.name, options, parent);
    if (told.failed) span.setStatus({ code: api.SpanStatusCode.ERROR });
    span.end(sharedTime(told.endMs));
  };
}

/** A time of performance.now() as seconds and nanoseconds by the time that all nodes share. */
function sharedTime(ms: number): HrTime {
  const atMs = sharedMsOf(ms);
  return [Math.floor(atMs / 1_000), Math.round((atMs % 1_000) * 1_000_000)];
}

/** By the numbers of the API, which is loaded late. */
const KINDS: Readonly<Record<ToldSpan['kind'], SpanKind>> = { internal: 0, server: 1, client: 2 };

/** Tells the log once that the collector takes nothing, and once that it does again. */
class CollectorOutage {
  private refused = 0;

  constructor(private readonly log: Logger) {}

  taken(): void {
    if (this.refused === 0) return;
    this.log.warn({ refused: this.refused }, 'the collector takes spans again');
    this.refused = 0;
  }

  failed(spans: number, error: Error | undefined): void {
    const words = 'the collector of OTEL_EXPORTER_OTLP_ENDPOINT takes no spans; they are left out';
    if (this.refused === 0) this.log.warn({ reason: briefError(error) }, words);
    this.refused += spans;
  }
}

/** Sends spans in batches, and counts what becomes of them. */
function processorOf(
  { sdk, otlp }: Packages,
  config: TelemetryConfig,
  endpoint: string,
  { counts, log }: { counts: Counts; log: Logger },
): SpanProcessor {
  const outage = new CollectorOutage(log);
  const timeoutMillis = config.OTEL_EXPORTER_OTLP_TIMEOUT;
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const headers = { ...config.otlpHeaders };
  const exporter = new otlp.OTLPTraceExporter({ url, headers, timeoutMillis });
  const counted: SpanExporter = {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, ({ code, error }) => {
        counts.held -= spans.length;
        counts[code === 0 ? 'exported' : 'refused'] += spans.length;
        if (code === 0) outage.taken();
        else outage.failed(spans.length, error);
        // Counted and told: nobody else can do anything about it.
        done({ code: 0 });
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  return new sdk.BatchSpanProcessor(counted, {
    maxQueueSize: QUEUED_MAX,
    maxExportBatchSize: BATCH_MAX,
    scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
    // The exporter ends by itself before.
    exportTimeoutMillis: 2 * timeoutMillis,
  });
}

function metricOf({ exported, overflown, refused }: Counts): Metric {
  const sample = (outcome: string, value: number) => ({ labels: { outcome }, value });
  return {
    name: 'gw_spans_total',
    help: 'Spans by whether the collector took them, refused them, or too many waited for it.',
    type: 'counter',
    samples: [
      sample('exported', exported),
      sample('refused', refused),
      sample('overflown', overflown),
    ],
  };
}
