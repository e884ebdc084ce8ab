import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Cursor,
  fanOut,
  readCursors,
} from '../../../src/actions/webhook-endpoints/worker/statements.js';
import { newId } from '../../../src/kernel/ids.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../../support/app.js';
import {
  arrived,
  ask,
  type Delivery,
  deliveriesOf,
  endpointAt,
  Receivers,
  SETTINGS,
  verified,
  webhooks,
} from './world.js';

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

describe('a paused endpoint', () => {
  it('gets nothing, and after its pause everything that happened meanwhile', async () => {
    const receiver = await receivers.start();
    const { id } = await endpointAt(app, customer, receiver, ['approval.requested']);
    await webhooks(app, customer, 'POST', `/${id}/pause`);
    expect((await webhooks(app, customer, 'POST', `/${id}/test`)).status).toBe(409);
    const asked = [await ask(app, customer, '1'), await ask(app, customer, '2')];
    const bystander = await receivers.start();
    await endpointAt(app, customer, bystander, ['approval.requested']);
    await ask(app, customer, '3');
    await expect.poll(() => bystander.hits.length, WAIT).toBe(1);
    expect(receiver.hits).toEqual([]);
    expect((await webhooks(app, customer, 'POST', `/${id}/resume`)).body.status).toBe('active');
    await expect.poll(() => receiver.hits.length, WAIT).toBe(3);
    const told = receiver.hits.map(({ body }) => JSON.parse(body).data.approval_id);
    expect(told).toEqual(expect.arrayContaining(asked));
  });

  it('that is resumed with skip_missed begins with what happens then', async () => {
    const receiver = await receivers.start();
    const { id } = await endpointAt(app, customer, receiver, ['approval.requested']);
    await webhooks(app, customer, 'POST', `/${id}/pause`);
    await ask(app, customer, 'missed');
    await webhooks(app, customer, 'POST', `/${id}/resume`, { skip_missed: true });
    const after = await ask(app, customer, 'after');
    await expect.poll(() => receiver.hits.length, WAIT).toBe(1);
    expect(JSON.parse(arrived(receiver).body).data.approval_id).toBe(after);
  });

  it('is owed nothing by a node that has not heard of it yet', async () => {
    const receiver = await receivers.start();
    const { id } = await endpointAt(app, customer, receiver, ['approval.requested']);
    const { platformPool } = app.server.services;
    const cursors = await readCursors(platformPool);
    const cursor = cursors.find(({ endpointId }) => endpointId === id) as Cursor;
    await webhooks(app, customer, 'POST', `/${id}/pause`);
    const eventId = await ask(app, customer, 'missed');
    const owed = [{ id: newId('WebhookDelivery'), eventId, eventType: 'a', body: '{}' }];
    const next = { txid: cursor.txid + 1n, seq: 0n };
    expect(await fanOut(platformPool, cursor, next, owed)).toBe(false);
    await webhooks(app, customer, 'POST', `/${id}/resume`, { skip_missed: true });
    const after = await ask(app, customer, 'after');
    await expect.poll(() => receiver.hits.length, WAIT).toBe(1);
    expect(JSON.parse(arrived(receiver).body).data.approval_id).toBe(after);
  });
});

describe('a test', () => {
  it('arrives whatever the types of the endpoint, once, and tells who sent it', async () => {
    const receiver = await receivers.start((response) => response.writeHead(500).end('broken'));
    const endpoint = await endpointAt(app, customer, receiver, ['approval.expired']);
    const sent = await webhooks<Delivery>(app, customer, 'POST', `/${endpoint.id}/test`);
    expect(sent.body).toMatchObject({ status: 'pending', event_type: 'webhook.test', attempts: 0 });
    const path = `/deliveries/${sent.body.id}`;
    const read = async () => (await webhooks<Delivery>(app, customer, 'GET', path)).body;
    await expect.poll(async () => (await read()).status, WAIT).toBe('failed');
    expect(await read()).toMatchObject({ attempts: 1, response_status: 500, response: 'broken' });
    expect(receiver.hits).toHaveLength(1);
    const message = verified(arrived(receiver), endpoint.secret);
    expect(message.data).toEqual({ endpoint_id: endpoint.id, sent_by: customer.userId });
    expect((await webhooks(app, customer, 'GET', `/${endpoint.id}`)).body.status).toBe('active');
  });
});

describe('a replay', () => {
  it('of one delivery, or of all since a time, sends under the ids that they had', async () => {
    const receiver = await receivers.start();
    const endpoint = await endpointAt(app, customer, receiver, ['approval.requested']);
    const statuses = async () =>
      (await deliveriesOf(app, customer, endpoint)).map(({ status }) => status);
    await ask(app, customer, 'one');
    await expect.poll(statuses, WAIT).toEqual(['delivered']);
    await ask(app, customer, 'two');
    await expect.poll(statuses, WAIT).toEqual(['delivered', 'delivered']);
    const ids = () => receiver.hits.map(({ headers }) => headers['webhook-id']);
    const [two, one] = (await deliveriesOf(app, customer, endpoint)) as [Delivery, Delivery];
    await webhooks(app, customer, 'POST', `/deliveries/${one.id}/replay`);
    await expect.poll(() => ids().filter((id) => id === one.event_id).length, WAIT).toBe(2);
    await expect.poll(statuses, WAIT).toEqual(['delivered', 'delivered']);
    const since = { since: two.created_at };
    const replay = `/${endpoint.id}/replay`;
    expect((await webhooks(app, customer, 'POST', replay, since)).body).toEqual({ replayed: 1 });
    await expect.poll(() => ids().filter((id) => id === two.event_id).length, WAIT).toBe(2);
    const failedOnly = { since: one.created_at, failed_only: true };
    const none = await webhooks(app, customer, 'POST', replay, failedOnly);
    expect(none.body).toEqual({ replayed: 0 });
    const foreign = await webhooks(app, other, 'POST', replay, since);
    expect(foreign.status).toBe(404);
    expect(receiver.hits).toHaveLength(4);
  });
});
