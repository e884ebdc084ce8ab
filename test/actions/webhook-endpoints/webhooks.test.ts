import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askException, decide } from '../../access/budgets/ruble-app.js';
import { chat, newPolicy } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import {
  arrived,
  ask,
  deliveriesOf,
  type Endpoint,
  endpointAt,
  Receivers,
  SETTINGS,
  verified,
  webhooks,
} from './world.js';

const UUID = /^[0-9a-f-]{36}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let app: TestApp;
let customer: Customer;
let other: Customer;
const receivers = new Receivers();
beforeAll(async () => {
  app = await startApp(SETTINGS);
  customer = await newCustomer(app, 500);
  other = await newCustomer(app);
});
afterEach(() => receivers.stop());
afterAll(() => app?.stop());

const WAIT = { timeout: 15_000, interval: 20 };

describe('an endpoint', () => {
  it('is told of an approval by a signed message without the words of people', async () => {
    const receiver = await receivers.start();
    const endpoint = await endpointAt(app, customer, receiver, ['approval.requested']);
    expect(endpoint).toEqual({
      id: expect.stringMatching(UUID),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      url: `http://127.0.0.1:${receiver.port}/hook`,
      description: null,
      event_types: ['approval.requested'],
      status: 'active',
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      last_success_at: null,
      secret_generation: 1,
      former_secret_until: null,
      created_by: customer.userId,
      created_at: expect.any(String),
    });
    const approvalId = await ask(app, customer, 'T-1');
    await expect.poll(() => receiver.hits.length, WAIT).toBe(1);
    const hit = arrived(receiver);
    expect(verified(hit, endpoint.secret)).toEqual({
      type: 'approval.requested',
      timestamp: expect.stringMatching(TIME),
      data: {
        approval_id: approvalId,
        kind: 'tool_call',
        subject_id: 'T-1',
        status: 'pending',
        execution: 'none',
        requested_by: customer.userId,
        decided_by: null,
        self_approved: false,
      },
    });
    expect(hit.body).not.toContain('secret summary');
    await expect
      .poll(async () => (await deliveriesOf(app, customer, endpoint))[0]?.status, WAIT)
      .toBe('delivered');
    const [delivery] = await deliveriesOf(app, customer, endpoint);
    expect(delivery).toEqual({
      id: expect.stringMatching(UUID),
      endpoint_id: endpoint.id,
      event_id: hit.headers['webhook-id'],
      event_type: 'approval.requested',
      status: 'delivered',
      attempts: 1,
      replayed: false,
      next_attempt_at: null,
      response_status: 200,
      failure: null,
      response: '{"ok":true}',
      created_at: expect.any(String),
      ended_at: expect.any(String),
      payload: JSON.parse(hit.body),
      attempt_log: [
        {
          number: 1,
          at: expect.any(String),
          status: 200,
          failure: null,
          latency_ms: expect.any(Number),
        },
      ],
    });
  });

  it('can check the signature by hand, as the documents say', async () => {
    const receiver = await receivers.start();
    const { secret } = await endpointAt(app, customer, receiver, ['approval.requested']);
    await ask(app, customer);
    await expect.poll(() => receiver.hits.length, WAIT).toBe(1);
    const { headers, body } = arrived(receiver);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(signed).digest('base64');
    expect(headers['webhook-signature']?.split(' ')).toEqual([`v1,${signature}`]);
  });

  it("gets its own organization's events of its types, from its creation on", async () => {
    const receiver = await receivers.start();
    await ask(app, customer, 'before');
    await endpointAt(app, customer, receiver, ['approval.requested']);
    const foreign = await receivers.start();
    await endpointAt(app, other, foreign, ['approval.requested', 'approval.rejected']);
    const mine = await ask(app, customer, 'mine');
    const { id: policyId } = await newPolicy(app, other.token, { budgets: { daily_rub: 100 } });
    const asked = await askException(app, other.token, policyId);
    const theirs = asked.body.approval_id;
    await decide(app, other.token, theirs, 'reject');
    await expect.poll(() => foreign.hits.length, WAIT).toBe(2);
    await expect.poll(() => receiver.hits.length, WAIT).toBe(1);
    expect(JSON.parse(arrived(receiver).body).data.approval_id).toBe(mine);
    const told = foreign.hits.map((hit) => JSON.parse(hit.body));
    expect(told.map(({ type, data }) => [type, data.approval_id]).sort()).toEqual([
      ['approval.rejected', theirs],
      ['approval.requested', theirs],
    ]);
  });

  it('is told of usage, charges and receipts where it asks for them', async () => {
    const receiver = await receivers.start();
    const types = ['usage.settled', 'ledger.posted', 'receipt.sealed'];
    await endpointAt(app, customer, receiver, types);
    const answered = await chat(app, customer.key);
    const requestId = answered.body.gw_routing.request_id;
    const decided = await rest<{ id: string }>(app, 'POST', '/v1/gw/routing/decide', {
      credential: customer.token,
      body: { use_case: 'support', request_id: requestId },
    });
    const of = (type: string) =>
      receiver.hits.map((hit) => JSON.parse(hit.body)).find((message) => message.type === type);
    for (const type of ['usage.settled', 'ledger.posted']) {
      await expect.poll(() => of(type), WAIT).toBeDefined();
    }
    expect(of('usage.settled').data).toMatchObject({
      request_id: requestId,
      operation: 'chat',
      simulated: true,
      status: 'complete',
      key_id: customer.keyId,
    });
    expect(of('ledger.posted').data).toMatchObject({ request_id: requestId, type: 'finalize' });
    expect(Object.keys(of('usage.settled').data)).not.toContain('metadata');
    expect(decided.status).toBeLessThan(500);
  });

  it.each([
    ['http', 'http://hooks.example.com/x'],
    ['an address inside', 'https://10.0.0.1/x'],
    ['this machine by another name', 'https://localhost/x'],
    ['the metadata service', 'https://169.254.169.254/latest'],
    ['a port of another service', 'https://hooks.example.com:25/x'],
    ['no URL', 'hooks'],
  ])('is refused at creation and change for %s', async (_, url) => {
    const refused = await webhooks<{ error: { faults: { path: string }[] } }>(
      app,
      customer,
      'POST',
      '',
      { url, event_types: ['approval.nonsense'] },
    );
    expect(refused.status).toBe(400);
    const paths = refused.body.error.faults.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['url', 'event_types.0']));
    const receiver = await receivers.start();
    const { id } = await endpointAt(app, customer, receiver);
    expect((await webhooks(app, customer, 'PATCH', `/${id}`, { url })).status).toBe(400);
  });

  it('without types gets those that the reference marks, all of which exist', async () => {
    const receiver = await receivers.start();
    const { event_types: types } = await endpointAt(app, customer, receiver);
    const { body } = await rest<{ event_types: { code: string; by_default: boolean }[] }>(
      app,
      'GET',
      '/v1/gw/webhooks/reference',
    );
    expect(types).toEqual(body.event_types.flatMap((row) => (row.by_default ? [row.code] : [])));
    expect(types).toContain('receipt.sealed');
    expect(types).not.toContain('usage.settled');
  });

  it('is not there for another organization, whatever is asked of it', async () => {
    const receiver = await receivers.start();
    const { id } = await endpointAt(app, customer, receiver, ['approval.requested']);
    await ask(app, customer);
    await expect.poll(() => receiver.hits.length, WAIT).toBe(1);
    const [delivery] = await deliveriesOf(app, customer, { id });
    const unknown = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
    const asked = [
      ['GET', (of: string) => `/${of}`],
      ['PATCH', (of: string) => `/${of}`],
      ['POST', (of: string) => `/${of}/rotate-secret`],
      ['POST', (of: string) => `/${of}/pause`],
      ['POST', (of: string) => `/${of}/resume`],
      ['POST', (of: string) => `/${of}/test`],
      ['DELETE', (of: string) => `/${of}`],
      ['GET', () => `/deliveries/${delivery?.id}`],
      ['POST', () => `/deliveries/${delivery?.id}/replay`],
    ] as const;
    for (const [method, path] of asked) {
      const answers = [id, unknown].map((of) => webhooks(app, other, method, path(of)));
      for (const { status } of await Promise.all(answers))
        expect([method, status]).toEqual([method, 404]);
    }
    expect(await deliveriesOf(app, other, { id })).toEqual([]);
    const list = await webhooks<{ data: Endpoint[] }>(app, other, 'GET');
    expect(list.body.data.map((each) => each.id)).not.toContain(id);
    expect((await webhooks(app, customer, 'GET', `/${id}`)).body).toMatchObject({
      status: 'active',
    });
  });

  it('of one more than an organization may have is refused, also all at once', async () => {
    const crowded = await newCustomer(app);
    const create = () => webhooks(app, crowded, 'POST', '', { url: 'https://hooks.example.com/x' });
    const statuses = (await Promise.all(Array.from({ length: 22 }, create))).map((a) => a.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 422)).toHaveLength(2);
  });

  it('can be managed over GraphQL, and its secret is not part of it', async () => {
    const receiver = await receivers.start();
    const url = `http://127.0.0.1:${receiver.port}/graphql`;
    const made = await graphql<{ webhookEndpointCreate: { id: string; secret: string } }>(
      app,
      'mutation($url: String!) { webhookEndpointCreate(input: { url: $url }) { id secret } }',
      { url },
      customer.token,
    );
    const { id } = made.data.webhookEndpointCreate;
    const asked = await graphql(
      app,
      '{ webhookEndpoints { nodes { secret } } }',
      {},
      customer.token,
    );
    expect(asked.errors?.[0]?.message).toContain('Cannot query field "secret"');
    const removed = await webhooks(app, customer, 'DELETE', `/${id}`);
    expect(removed.body).toMatchObject({ id, url });
    expect((await webhooks(app, customer, 'GET', `/${id}`)).status).toBe(404);
  });
});

describe('a rotation', () => {
  it('signs with both secrets for its overlap, then with the new one alone', async () => {
    const receiver = await receivers.start();
    const first = await endpointAt(app, customer, receiver, ['approval.requested']);
    const path = `/${first.id}/rotate-secret`;
    const second = (await webhooks(app, customer, 'POST', path, { overlap_hours: 1 })).body;
    expect(second.secret).not.toBe(first.secret);
    expect(second).toMatchObject({ secret_generation: 2, former_secret_until: expect.any(String) });
    await ask(app, customer);
    await expect.poll(() => receiver.hits.length, WAIT).toBe(1);
    const both = arrived(receiver);
    for (const { secret } of [first, second]) expect(verified(both, secret)).toBeDefined();
    const third = (await webhooks(app, customer, 'POST', path, { overlap_hours: 0 })).body;
    expect(third.former_secret_until).toBeNull();
    await ask(app, customer);
    await expect.poll(() => receiver.hits.length, WAIT).toBe(2);
    const last = arrived(receiver, 1);
    expect(verified(last, third.secret).type).toBe('approval.requested');
    for (const { secret } of [first, second]) expect(() => verified(last, secret)).toThrow();
    expect((await webhooks(app, customer, 'POST', path, { overlap_hours: 169 })).status).toBe(400);
  });
});

describe('the trace of a message', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

  it('is that of the request that it tells of, in every attempt, else its own', async () => {
    const receiver = await receivers.start((response, hitNumber) => {
      response.statusCode = hitNumber === 1 ? 500 : 200;
      response.end();
    });
    await endpointAt(app, customer, receiver, [
      'usage.settled',
      'ledger.posted',
      'approval.requested',
    ]);
    const body = { model: 'sandbox/gw-mini', messages: [{ role: 'user', content: 'Hello' }] };
    const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    await rest(app, 'POST', '/v1/chat/completions', { credential: customer.key, headers, body });
    await expect.poll(() => receiver.hits.length, WAIT).toBe(3);
    const traced = new RegExp(`^00-${TRACE}-(?!00f067aa)[0-9a-f]{16}-01$`);
    const sent = receiver.hits.map((hit) => hit.headers.traceparent);
    expect(sent).toEqual(Array(3).fill(expect.stringMatching(traced)));
    expect(new Set(sent).size).toBe(3);
    await rest(app, 'POST', '/v1/chat/completions', { credential: customer.key, body });
    await ask(app, customer);
    await expect.poll(() => receiver.hits.length, WAIT).toBe(6);
    const own = receiver.hits.slice(3).map((hit) => hit.headers.traceparent ?? '');
    expect(own).toEqual(Array(3).fill(expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)));
    expect(new Set(own.map((header) => header.slice(3, 35))).size).toBe(3);
    expect(own.join()).not.toContain(TRACE);
  });
});
