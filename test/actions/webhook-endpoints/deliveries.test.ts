import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, startApp, type TestApp } from '../../support/app.js';
import {
  ask,
  type Delivery,
  deliveriesOf,
  type Endpoint,
  endpointAt,
  plantEvents,
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
  customer = await newCustomer(app);
  other = await newCustomer(app);
});
afterEach(() => receivers.stop());
afterAll(() => app?.stop());

const WAIT = { timeout: 15_000, interval: 20 };

describe('a delivery that fails', () => {
  it('is tried again under the same id with a fresh signature, until it arrives', async () => {
    const receiver = await receivers.start((response, number) => {
      response.statusCode = number < 3 ? 500 : 200;
      response.end('x'.repeat(5_000));
    });
    const endpoint = await endpointAt(app, customer, receiver, ['approval.requested']);
    await ask(app, customer);
    await expect.poll(() => receiver.hits.length, WAIT).toBe(3);
    expect(new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.hits.map(({ body }) => body)).size).toBe(1);
    for (const hit of receiver.hits) expect(verified(hit, endpoint.secret).type).toMatch(/^app/);
    const ended = async () => (await deliveriesOf(app, customer, endpoint))[0];
    await expect.poll(async () => (await ended())?.status, WAIT).toBe('delivered');
    const delivery = (await ended()) as Delivery;
    expect(delivery.attempts).toBe(3);
    expect(delivery.response).toBe('x'.repeat(2_048));
    expect(delivery.attempt_log.map(({ failure }) => failure)).toEqual([
      'status_failed',
      'status_failed',
      null,
    ]);
  });

  it.each([
    ['redirects', 'redirect_refused', 302],
    ['never answers', 'timeout', null],
    ['closes the connection', 'connection_failed', null],
    ['refuses', 'status_refused', 404],
  ] as const)(
    'for good disables an endpoint that %s, which members see',
    async (what, why, status) => {
      const elsewhere = await receivers.start();
      const receiver = await receivers.start((response) => {
        if (what === 'redirects') {
          response.writeHead(302, { location: `http://127.0.0.1:${elsewhere.port}/` }).end();
        } else if (what === 'closes the connection') response.destroy();
        else if (what === 'refuses') response.writeHead(404).end('no');
        else setTimeout(() => response.destroy(), 3_000).unref();
      });
      const owner = await newCustomer(app);
      const watcher = await receivers.start();
      await endpointAt(app, owner, watcher, ['webhook_endpoint.disabled']);
      const endpoint = await endpointAt(app, owner, receiver, ['approval.requested']);
      await ask(app, owner);
      const seen = async () => (await webhooks(app, owner, 'GET', `/${endpoint.id}`)).body;
      await expect.poll(async () => (await seen()).status, WAIT).toBe('disabled');
      expect(await seen()).toMatchObject({
        disabled_reason: 'keeps_failing',
        disabled_at: expect.any(String),
        failing_since: expect.any(String),
      });
      const [delivery] = await deliveriesOf(app, owner, endpoint);
      expect(delivery).toMatchObject({
        status: 'failed',
        attempts: 3,
        failure: why,
        response_status: status,
        next_attempt_at: null,
      });
      expect(elsewhere.connections()).toBe(0);
      await expect.poll(() => watcher.hits.length, WAIT).toBe(1);
      expect(JSON.parse(watcher.hits[0]?.body ?? '')).toMatchObject({
        type: 'webhook_endpoint.disabled',
        data: { endpoint_id: endpoint.id, reason: 'keeps_failing' },
      });
    },
  );

  it('with 410 disables its endpoint at once', async () => {
    const receiver = await receivers.start((response) => response.writeHead(410).end());
    const owner = await newCustomer(app);
    const { id } = await endpointAt(app, owner, receiver, ['approval.requested']);
    await ask(app, owner);
    const seen = async () => (await webhooks(app, owner, 'GET', `/${id}`)).body;
    await expect.poll(async () => (await seen()).disabled_reason, WAIT).toBe('gone');
    expect(receiver.hits).toHaveLength(1);
  });

  it('leaves an endpoint active that takes other events', async () => {
    const receiver = await receivers.start((response, _number, { body }) => {
      response.writeHead(body.includes('"bad"') ? 500 : 200).end();
    });
    const owner = await newCustomer(app);
    const endpoint = await endpointAt(app, owner, receiver, ['approval.requested']);
    await ask(app, owner, 'bad');
    await expect.poll(() => receiver.hits.length, WAIT).toBeGreaterThan(0);
    await ask(app, owner, 'good');
    const statuses = async () =>
      (await deliveriesOf(app, owner, endpoint)).map(({ status }) => status);
    await expect.poll(statuses, WAIT).toEqual(['delivered', 'failed']);
    expect((await webhooks(app, owner, 'GET', `/${endpoint.id}`)).body.status).toBe('active');
  });
});

describe('an answer', () => {
  it('of success that is huge or never ends has delivered, and is kept in part', async () => {
    const receiver = await receivers.start((response, number) => {
      response.writeHead(200);
      if (number === 1) return void response.end('y'.repeat(5_000_000));
      response.write('endless');
      setTimeout(() => response.destroy(), 5_000).unref();
    });
    const endpoint = await endpointAt(app, customer, receiver, ['approval.requested']);
    const statuses = async () =>
      (await deliveriesOf(app, customer, endpoint)).map(({ status }) => status);
    await ask(app, customer, 'huge');
    await expect.poll(statuses, WAIT).toEqual(['delivered']);
    await ask(app, customer, 'endless');
    await expect.poll(statuses, WAIT).toEqual(['delivered', 'delivered']);
    const told = (await deliveriesOf(app, customer, endpoint)).map((each) => [
      each.status,
      each.attempts,
      each.response,
    ]);
    expect(told).toEqual([
      ['delivered', 1, 'endless'],
      ['delivered', 1, 'y'.repeat(2_048)],
    ]);
  });
});

describe('a slow tenant', () => {
  it('never holds back another', async () => {
    const slow = await newCustomer(app);
    const stuck = await receivers.start((response) => {
      setTimeout(() => response.destroy(), 20_000).unref();
    });
    for (let n = 0; n < 4; n += 1) await endpointAt(app, slow, stuck, ['approval.requested']);
    await plantEvents(app, slow, 300);
    await expect.poll(() => stuck.hits.length, WAIT).toBeGreaterThanOrEqual(16);
    const quick = await receivers.start();
    await endpointAt(app, other, quick, ['approval.requested']);
    await ask(app, other, 'quick');
    await expect.poll(() => quick.hits.length, WAIT).toBe(1);
    const count = `SELECT count(*)::int AS many FROM webhook_delivery
      WHERE tenant_id = $1 AND status IN ('pending', 'sending')`;
    const { rows } = await app.owner.pool.query(count, [slow.tenantId]);
    expect(rows[0].many).toBeGreaterThan(1_000);
    for (const { id } of (await webhooks<{ data: Endpoint[] }>(app, slow, 'GET')).body.data) {
      expect((await webhooks(app, slow, 'DELETE', `/${id}`)).status).toBe(200);
    }
  });
});

describe('thousands of events', () => {
  it('wait in the feed and not in memory, and all of them arrive once', async () => {
    const events = 3_000;
    let isOpen = false;
    const receiver = await receivers.start((response) => {
      response.writeHead(isOpen ? 200 : 503, { 'retry-after': '1' }).end();
    });
    const owner = await newCustomer(app);
    const { id } = await endpointAt(app, owner, receiver, ['approval.requested']);
    await plantEvents(app, owner, events);
    const owed = async () => {
      const sql = 'SELECT count(*)::int AS many FROM webhook_delivery WHERE endpoint_id = $1';
      return (await app.owner.pool.query<{ many: number }>(sql, [id])).rows[0]?.many ?? 0;
    };
    await expect.poll(owed, WAIT).toBeGreaterThanOrEqual(1_000);
    await expect.poll(() => receiver.hits.length, WAIT).toBeGreaterThanOrEqual(3);
    expect(await owed()).toBeLessThanOrEqual(1_200);
    expect(app.server.services.webhooks.attemptsUnderWay).toBeLessThanOrEqual(8);
    isOpen = true;
    await webhooks(app, owner, 'POST', `/${id}/pause`);
    await webhooks(app, owner, 'POST', `/${id}/resume`);
    let most = 0;
    const delivered = () => {
      most = Math.max(most, app.server.services.webhooks.attemptsUnderWay);
      return new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size;
    };
    await expect.poll(delivered, { timeout: 90_000, interval: 50 }).toBe(events);
    expect(most).toBeLessThanOrEqual(8);
  }, 120_000);
});
