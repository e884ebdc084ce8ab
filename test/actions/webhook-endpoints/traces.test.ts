import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type BudgetApp, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { type Answer, type Customer, newCustomer, rest } from '../../support/app.js';
import { type SpanCollector, startSpanCollector } from '../../support/span-collector.js';
import { ask, endpointAt, Receivers, SETTINGS } from './world.js';

const WAIT = { timeout: 15_000, interval: 20 };
const CALLER = '00f067aa0ba902b7';
const OWN = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;

let collector: SpanCollector;
const receivers = new Receivers();
beforeAll(async () => {
  collector = await startSpanCollector();
});
afterEach(() => receivers.stop());
afterAll(() => collector?.stop());

/** A trace of a caller of its own, and the headers that name it. */
function traceOf(number: number) {
  const id = `4bf92f3577b34da6a3ce929d0e0e47${number.toString(16).padStart(2, '0')}`;
  return { id, headers: { traceparent: `00-${id}-${CALLER}-01` } };
}

async function called<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { status, body } = await answer;
  expect([status, body]).toEqual([200, body]);
  return body;
}

/** Registers a tool, and asks for what needs an approval under a trace, which another decides. */
async function askAndDecide(app: BudgetApp, { token: credential }: Customer): Promise<string[]> {
  const tool = { tool_key: 'desk', verbs: ['delete'], endpoint_url: 'https://127.0.0.1:9/desk' };
  await called(rest(app, 'POST', '/v1/gw/tools/register', { credential, body: tool }));
  const call = { tool_key: 'desk', verb: 'delete', arguments: {}, reason: 'asked' };
  const [asks, decides] = [traceOf(1), traceOf(2)];
  const { id } = await called(
    rest<{ id: string }>(app, 'POST', '/v1/gw/tools/execute', {
      ...{ credential, body: call },
      headers: asks.headers,
    }),
  );
  const reject = `/v1/gw/tools/calls/${id}/reject`;
  await called(rest(app, 'POST', reject, { credential, body: {}, headers: decides.headers }));
  return [asks.id, decides.id];
}

/** Seals a receipt of the price book under a trace. */
async function seal(app: BudgetApp, { token: credential }: Customer): Promise<string> {
  const terms = { quote_ref: 'Q-1', plan: 'team', monthly_requests: 40_000 };
  const { id, headers } = traceOf(3);
  const body = { ...terms, cost_per_request_rub: 0.85 };
  await called(rest(app, 'POST', '/v1/gw/price-book/receipts', { credential, body, headers }));
  return id;
}

/** Lets an agent run away under a trace, which is found by whoever reads the usage. */
async function runAway(app: BudgetApp, customer: Customer): Promise<string> {
  const credential = customer.token;
  const rule = { type: 'retry_loop', scope: 'agent_session', threshold: 5, action: 'alert' };
  await called(rest(app, 'POST', '/v1/gw/finops/anomaly-rules', { credential, body: rule }));
  const { id, headers } = traceOf(4);
  for (let made = 0; made < 8; made += 1) {
    const metadata = { session_id: 'runaway', feature: 'loop' };
    const body = { ...ONE_RUBLE, metadata };
    await rest(app, 'POST', '/v1/chat/completions', { credential: customer.key, body, headers });
  }
  return id;
}

const TYPES = ['approval.requested', 'approval.rejected', 'receipt.sealed', 'anomaly.found'];

describe.each([
  ['without a collector', false],
  ['with a collector of spans', true],
])('webhooks of approvals, receipts and anomalies %s', (_name, isTold) => {
  let app: BudgetApp;
  let customer: Customer;
  beforeAll(async () => {
    const told = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '20' };
    app = await startBudgetApp({ ...SETTINGS, ...(isTold && told) });
    customer = await newCustomer(app, 500);
  });
  afterAll(() => app?.stop());

  it('go on in the trace of the request that has caused them, in every attempt', async () => {
    // The first attempt of each event fails.
    const seen = new Set<unknown>();
    const receiver = await receivers.start((response, _number, request) => {
      const id = request.headers['webhook-id'];
      response.statusCode = seen.has(id) ? 200 : 503;
      seen.add(id);
      response.end();
    });
    await endpointAt(app, customer, receiver, TYPES);
    const [asked, decided] = await askAndDecide(app, customer);
    const sealed = await seal(app, customer);
    const ran = await runAway(app, customer);
    await expect.poll(() => receiver.hits.length, WAIT).toBe(10);
    const told = receiver.hits.map(({ headers, body }) => {
      const { type } = JSON.parse(body) as { type: string };
      const [, traceId, spanId, flags] = String(headers.traceparent).split('-');
      return { id: String(headers['webhook-id']), type, traceId, spanId, flags };
    });
    // A decision seals a receipt of its own.
    const twice = (cause: string) => [`${cause} 01`, `${cause} 01`];
    const tally = told.map(({ type, traceId, flags }) => `${type} ${traceId} ${flags}`);
    expect(tally.sort()).toEqual(
      [
        ...twice(`approval.requested ${asked}`),
        ...twice(`approval.rejected ${decided}`),
        ...twice(`receipt.sealed ${decided}`),
        ...twice(`receipt.sealed ${sealed}`),
        ...twice(`anomaly.found ${ran}`),
      ].sort(),
    );
    const spanIds = told.map(({ spanId }) => spanId);
    expect(new Set(spanIds).size).toBe(10);
    expect(spanIds).not.toContain(CALLER);
    const exported = () => collector.spans.filter(({ spanId }) => spanIds.includes(spanId)).length;
    if (!isTold) return expect(exported()).toBe(0);
    await expect.poll(exported, WAIT).toBe(10);
    for (const { id, type, traceId, spanId } of told) {
      const span = collector.spans.find((each) => each.spanId === spanId);
      const isFirst = told.find((each) => each.id === id)?.spanId === spanId;
      expect(span).toMatchObject({
        ...{ name: 'POST webhook', kind: 'client', traceId, failed: isFirst },
        attributes: {
          'gw.webhook.event.type': type,
          'gw.tenant.id': customer.tenantId,
          'http.response.status_code': isFirst ? 503 : 200,
          ...(isFirst ? { 'error.type': expect.any(String) } : { 'http.request.resend_count': 1 }),
        },
      });
      const parent = collector.spans.find((each) => each.spanId === span?.parentSpanId);
      if (type !== 'anomaly.found') expect(parent).toMatchObject({ traceId, kind: 'server' });
    }
  });

  it('begin a trace of their own where no request has caused them, for all attempts', async () => {
    const receiver = await receivers.start((response, number) => {
      response.statusCode = number === 1 ? 503 : 200;
      response.end();
    });
    await endpointAt(app, customer, receiver, ['approval.requested']);
    await ask(app, customer, 'by itself');
    await expect.poll(() => receiver.hits.length, WAIT).toBe(2);
    const sent = receiver.hits.map(({ headers }) => String(headers.traceparent));
    expect(sent).toEqual([expect.stringMatching(OWN), expect.stringMatching(OWN)]);
    const [first = '', second = ''] = sent;
    expect(first.slice(0, 35)).toBe(second.slice(0, 35));
    expect(first).not.toBe(second);
    expect(first.endsWith(isTold ? '-01' : '-00')).toBe(true);
  });
});
