import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector reads it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly failed: boolean;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** How the collector answers: as it should, never, with an error, or with what is no answer. */
export type CollectorMode = 'honest' | 'silent' | 'broken' | 'garbage' | 'reset';

/** A collector of spans over OTLP/HTTP with JSON. */
export interface SpanCollector {
  readonly url: string;
  mode: CollectorMode;
  readonly spans: readonly CollectedSpan[];
  /** Everything that came, as it came. */
  readonly received: readonly { readonly headers: IncomingMessage['headers']; body: string }[];
  stop(): Promise<void>;
}

interface Given {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly GivenSpan[] }[];
  }[];
}

interface GivenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: GivenValue }[];
}

type GivenValue = Readonly<Record<string, unknown>> & {
  readonly arrayValue?: { readonly values: readonly GivenValue[] };
};

const KINDS = ['internal', 'internal', 'server', 'client'] as const;
const ERROR = 2;

/** Starts one on a free port of the loopback. */
export async function startSpanCollector(): Promise<SpanCollector> {
  const spans: CollectedSpan[] = [];
  const received: { headers: IncomingMessage['headers']; body: string }[] = [];
  const answer = {
    honest: (response: ServerResponse, body: string) => {
      spans.push(...spansIn(JSON.parse(body)));
      response.setHeader('content-type', 'application/json').end('{}');
    },
    silent: () => {},
    broken: (response: ServerResponse) => {
      response.writeHead(500).end('<html>no</html>');
    },
    garbage: (response: ServerResponse) => {
      response.setHeader('content-type', 'application/json').end('{"partialSuccess":[[[\u0000');
    },
    reset: (response: ServerResponse) => {
      response.destroy();
    },
  } satisfies Record<CollectorMode, (response: ServerResponse, body: string) => void>;
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString('utf8');
    received.push({ headers: request.headers, body });
    answer[collector.mode](response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const collector: SpanCollector = {
    url: `http://127.0.0.1:${port}`,
    mode: 'honest',
    spans,
    received,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return collector;
}

function spansIn({ resourceSpans }: Given): CollectedSpan[] {
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map(({ kind, status, startTimeUnixNano, endTimeUnixNano, attributes, ...span }) => ({
      ...span,
      parentSpanId: span.parentSpanId,
      kind: KINDS[kind] ?? 'internal',
      failed: status.code === ERROR,
      startNanos: BigInt(startTimeUnixNano),
      endNanos: BigInt(endTimeUnixNano),
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)])),
    }));
}

function readValue({ arrayValue, ...value }: GivenValue): unknown {
  return arrayValue ? arrayValue.values.map(readValue) : Object.values(value)[0];
}
