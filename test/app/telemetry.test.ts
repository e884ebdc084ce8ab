import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeConfig, readConfig } from '../../src/platform/config.js';
import { projectRoot } from '../../src/platform/database/project-root.js';
import { createLog } from '../../src/platform/log.js';
import { Metrics } from '../../src/platform/metrics.js';
import { openTelemetry } from '../../src/platform/telemetry.js';
import { laneOf } from '../catalog/fleet/world.js';
import { type Customer, graphql, newCustomer, rest } from '../support/app.js';
import { type ProvidedApp, startProvided } from '../support/provided-app.js';
import {
  type CollectedSpan,
  type CollectorMode,
  type SpanCollector,
  startSpanCollector,
} from '../support/span-collector.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const MARK = 'a-word-of-a-customer';
const WAIT = { timeout: 20_000, interval: 20 };

let collector: SpanCollector;
let app: ProvidedApp;
let customer: Customer;
beforeAll(async () => {
  collector = await startSpanCollector();
  app = await startProvided(
    (origin) => [
      laneOf('spare', origin, { id: 'spare/chat' }),
      laneOf('main', origin, { id: 'main/chat', fallbacks: ['spare/chat'] }),
    ],
    {
      GW_SANDBOX: 'off',
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of%20the%20collector, x-team = a',
      OTEL_SERVICE_NAME: 'gateway under test',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_EXPORTER_OTLP_TIMEOUT: '400',
    },
  );
  const usage = { prompt_tokens: 7, completion_tokens: 11, total_tokens: 18 };
  for (const lane of ['main', 'spare']) app.double.script(lane, { usage, text: MARK });
  customer = await newCustomer(app, 1_000);
});
afterEach(() => {
  collector.mode = 'honest';
});
afterAll(async () => {
  await app?.stop();
  await collector?.stop();
});

function ask(model: string, headers: Record<string, string> = {}, more: object = {}) {
  const body = { model, max_tokens: 20, messages: [{ role: 'user', content: MARK }], ...more };
  return rest(app, 'POST', '/v1/chat/completions', { credential: customer.key, headers, body });
}

const traced = (traceId: string, flags = '01') => ({
  traceparent: `00-${traceId}-${PARENT}-${flags}`,
});

/** The spans of a trace by their names, once the request itself is told. */
async function spansOf(traceId: string): Promise<ReadonlyMap<string, CollectedSpan[]>> {
  const own = () => collector.spans.filter((span) => span.traceId === traceId);
  await expect.poll(() => own().some(({ kind }) => kind === 'server'), WAIT).toBe(true);
  const byName = new Map<string, CollectedSpan[]>();
  for (const span of own()) byName.set(span.name, [...(byName.get(span.name) ?? []), span]);
  return byName;
}

const only = (spans: ReadonlyMap<string, CollectedSpan[]>, name: string) => {
  const [span, ...others] = spans.get(name) ?? [];
  expect(others).toEqual([]);
  if (!span) throw new Error(`no span ${name} among ${[...spans.keys()]}`);
  return span;
};

const STAGES = ['read', 'admit', 'firewall_in', 'route', 'hold', 'call', 'settle'];

describe('a collector', () => {
  it('is told of a stream that fell back: request, stages, model and attempts', async () => {
    app.double.script('main', { status: 401 });
    const answer = await ask('main/chat', traced(TRACE), { stream: true });
    expect(answer.status).toBe(200);
    const spans = await spansOf(TRACE);
    const request = only(spans, 'POST /v1/chat/completions');
    expect(request).toMatchObject({ parentSpanId: PARENT, kind: 'server', failed: false });
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'gw.operation': expect.stringMatching(/^\w+$/),
      'gw.request.id': answer.headers.get('x-request-id'),
      'gw.tenant.id': customer.tenantId,
    });
    for (const stage of [...STAGES, 'stream']) {
      const span = only(spans, `gw.${stage}`);
      expect(span).toMatchObject({ parentSpanId: request.spanId, kind: 'internal' });
      expect(span.startNanos).toBeLessThanOrEqual(span.endNanos);
      expect(span.endNanos).toBeLessThanOrEqual(request.endNanos);
    }
    const model = only(spans, 'chat spare-chat');
    expect(model).toMatchObject({
      parentSpanId: only(spans, 'gw.call').spanId,
      kind: 'client',
      failed: false,
      endNanos: only(spans, 'gw.stream').endNanos,
    });
    const address = { 'server.address': '127.0.0.1', 'server.port': expect.any(Number) };
    expect(model.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'spare',
      'gen_ai.request.model': 'spare-chat',
      'gen_ai.response.model': 'spare/chat',
      'gen_ai.request.stream': true,
      'gen_ai.usage.input_tokens': 7,
      'gen_ai.usage.cache_read.input_tokens': 0,
      'gen_ai.usage.output_tokens': 11,
      'gen_ai.usage.reasoning.output_tokens': 0,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      ...address,
    });
    const attempts = spans.get('POST') ?? [];
    const http = { 'http.request.method': 'POST', ...address };
    expect(attempts.map(({ attributes }) => attributes)).toEqual([
      {
        ...http,
        'gw.provider': 'main',
        'gw.model': 'main/chat',
        'http.response.status_code': 401,
        'error.type': 'credentials_refused',
      },
      {
        ...http,
        'gw.provider': 'spare',
        'gw.model': 'spare/chat',
        'http.request.resend_count': 1,
        'http.response.status_code': 200,
      },
    ]);
    expect(attempts.map(({ failed, parentSpanId }) => [failed, parentSpanId])).toEqual([
      [true, model.spanId],
      [false, model.spanId],
    ]);
    const told = app.double.log.slice(-2).map(({ headers }) => headers.traceparent);
    expect(told).toEqual(attempts.map(({ spanId }) => `00-${TRACE}-${spanId}-01`));
  });

  it('is told of failures by their code, and of operations of GraphQL', async () => {
    const unknown = 'a'.repeat(32);
    await ask(MARK, traced(unknown));
    const spans = await spansOf(unknown);
    const stages = ['gw.read', 'gw.admit', 'gw.firewall_in'];
    expect([...spans.keys()]).toEqual(['POST /v1/chat/completions', ...stages]);
    expect(only(spans, 'POST /v1/chat/completions').attributes).toMatchObject({
      'http.response.status_code': 404,
      'error.type': 'model_not_found',
    });
    const asked = 'b'.repeat(32);
    const query = `query ${MARK.replaceAll('-', '_')} { apiKeys(first: 1) { nodes { id } } }`;
    await rest(app, 'POST', '/graphql', {
      credential: customer.key,
      headers: traced(asked),
      body: { query },
    });
    expect(only(await spansOf(asked), 'POST /graphql').attributes).toMatchObject({
      'gw.operation': 'graphql apiKeys',
      'http.response.status_code': 200,
    });
  });

  it('is told nothing of a trace that its caller does not record', async () => {
    const unrecorded = 'c'.repeat(32);
    app.double.script('main', {});
    expect((await ask('main/chat', traced(unrecorded, '00'))).status).toBe(200);
    expect(app.double.log.at(-1)?.headers.traceparent).toContain(`00-${unrecorded}-`);
    await ask('main/chat');
    const begun = String(app.double.log.at(-1)?.headers.traceparent).slice(3, 35);
    expect(only(await spansOf(begun), 'POST /v1/chat/completions').parentSpanId).toBeUndefined();
    expect(collector.spans.some(({ traceId }) => traceId === unrecorded)).toBe(false);
  });

  it('is sent its headers and who tells, and never a word of a request or an answer', () => {
    expect(collector.received.length).toBeGreaterThan(0);
    for (const { headers, body } of collector.received) {
      expect(headers).toMatchObject({ authorization: 'Bearer of the collector', 'x-team': 'a' });
      expect(body).toContain('"gateway under test"');
      expect(body).not.toContain(MARK);
      expect(body).not.toContain(MARK.replaceAll('-', '_'));
      expect(body).not.toContain(customer.key);
    }
  });

  it.each<CollectorMode>(['broken', 'garbage', 'reset', 'silent'])(
    'that is %s holds up no request, and is told again when it is well',
    async (mode) => {
      collector.mode = mode;
      const lost = `d${mode.charCodeAt(0) % 10}`.repeat(16);
      const again = `e${mode.charCodeAt(0) % 10}`.repeat(16);
      expect((await ask('main/chat', traced(lost))).status).toBe(200);
      const isSent = () => collector.received.some(({ body }) => body.includes(lost));
      await expect.poll(isSent, WAIT).toBe(true);
      expect((await ask('main/chat')).status).toBe(200);
      expect((await graphql(app, '{ __typename }')).data).toEqual({ __typename: 'Query' });
      collector.mode = 'honest';
      await ask('main/chat', traced(again));
      only(await spansOf(again), 'POST /v1/chat/completions');
    },
  );

  it('that has refused spans is counted', async () => {
    const text = (await rest<string>(app, 'GET', '/metrics')).body;
    expect(text).toMatch(/^gw_spans_total\{outcome="exported"\} [1-9]/m);
    expect(text).toMatch(/^gw_spans_total\{outcome="refused"\} [1-9]/m);
    expect(text).toContain('\ngw_spans_total{outcome="overflown"} 0\n');
  });
});

describe('spans', () => {
  const end = {
    ...{ operation: 'Ask', method: 'GET', route: '/ask', requestId: 'r', tenantId: undefined },
    ...{ status: 200, code: undefined, startedMs: 0 },
  };
  const settings = {
    ...{ otlpHeaders: {}, OTEL_SERVICE_NAME: 'gw', nodeId: 'n' },
    ...{ OTEL_EXPORTER_OTLP_TIMEOUT: 400, OTEL_BSP_SCHEDULE_DELAY: 1_000 },
  };

  it('that wait for a silent collector are bounded, counted, and given up at the end', async () => {
    const silent = await startSpanCollector();
    silent.mode = 'silent';
    const metrics = new Metrics();
    const at = { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: silent.url };
    const telemetry = await openTelemetry(at, metrics, createLog('silent'));
    for (let index = 0; index < 5_000; index += 1) {
      const spans = telemetry?.begin(undefined);
      if (spans) telemetry?.ended(spans, end);
    }
    expect(await metrics.text()).toContain('\ngw_spans_total{outcome="overflown"} 2952\n');
    await telemetry?.stop();
    await silent.stop();
  });

  it('that a collector refuses are told to the log once, and so is its recovery', async () => {
    const fickle = await startSpanCollector();
    const lines: Record<string, unknown>[] = [];
    const log = createLog('warn', { write: (line) => lines.push(JSON.parse(line)) });
    const at = {
      ...{ ...settings, OTEL_BSP_SCHEDULE_DELAY: 20 },
      OTEL_EXPORTER_OTLP_ENDPOINT: fickle.url,
    };
    const metrics = new Metrics();
    const telemetry = await openTelemetry(at, metrics, log);
    for (const [mode, count] of [
      ['broken', '{outcome="refused"} 1'],
      ['broken', '{outcome="refused"} 2'],
      ['honest', '{outcome="exported"} 1'],
      ['honest', '{outcome="exported"} 2'],
    ] as const) {
      fickle.mode = mode;
      const spans = telemetry?.begin(undefined);
      if (spans) telemetry?.ended(spans, end);
      await expect.poll(() => metrics.text(), WAIT).toContain(`\ngw_spans_total${count}\n`);
    }
    await telemetry?.stop();
    await fickle.stop();
    expect(lines.map(({ msg }) => msg)).toEqual([
      'the collector of OTEL_EXPORTER_OTLP_ENDPOINT takes no spans; they are left out',
      'the collector takes spans again',
    ]);
    expect(lines).toMatchObject([{ reason: { code: 500 } }, { refused: 2 }]);
  });

  it('go to a collector whose settings are checked, and whose headers are shown to nobody', () => {
    const given = { GW_SECRET: 'x'.repeat(32), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318' };
    const config = readConfig({ ...given, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x' });
    expect(config.otlpHeaders).toEqual({ authorization: 'Bearer x' });
    expect(describeConfig(config).join('\n')).not.toContain('Bearer');
    const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'grpc://a', OTEL_EXPORTER_OTLP_HEADERS: 'a=%' };
    const read = () => readConfig({ ...given, ...wrong });
    for (const name of Object.keys(wrong)) expect(read).toThrow(name);
  });

  it('are none without a collector, and nothing of OpenTelemetry is loaded', async () => {
    const at = { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: undefined };
    expect(await openTelemetry(at, new Metrics(), createLog('silent'))).toBeUndefined();
    const naming = readdirSync(join(projectRoot(), 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
      .flatMap((path) => {
        const text = readFileSync(join(projectRoot(), 'src', path), 'utf8');
        const lines = text.split('\n').filter((line) => line.includes("'@opentelemetry/"));
        return lines.map((line) => [path, line.trim()] as const);
      });
    expect(naming).not.toEqual([]);
    // The build puts whatever it does not keep apart into the one file that a start reads. The
    // smallest of them is in it all the same: the metrics are made with it.
    const apart = readFileSync(join(projectRoot(), 'tools/bundle.mjs'), 'utf8');
    const packages = new Set(
      naming.map(([, line]) => /'(@opentelemetry\/[\w-]+)'/.exec(line)?.[1]),
    );
    for (const name of packages) {
      expect(apart.includes(`'${name}'`), name).toBe(name !== '@opentelemetry/api');
    }
    for (const [path, line] of naming) {
      expect(path).toBe('platform/telemetry.ts');
      expect(line).toMatch(/^(import type |import\('@opentelemetry\/[\w-]+'\),$)/);
    }
  });
});
