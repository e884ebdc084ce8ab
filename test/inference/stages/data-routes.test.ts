import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, customerUnder, outcome } from '../../journeys/people.js';
import { INSIDE, OUTSIDE, type RoutedApp, startRoutedApp } from '../../journeys/providers.js';
import { type Customer, newCustomer } from '../../support/app.js';

let app: RoutedApp;
beforeAll(async () => {
  app = await startRoutedApp();
});
afterAll(() => app.stop());

const PLAIN = 'Какая погода бывает в мае?';
const PHONE = 'Мой телефон +7 912 345-67-89.';
const CARD = 'Карта 4111 1111 1111 1111.';

/** Where a request went: the model that answered, or how it was refused. */
async function routeOf(customer: Customer, content: string, more: Record<string, unknown> = {}) {
  const answer = await chat(app, customer.key, content, more);
  return answer.status === 200 ? answer.body.model : outcome(answer);
}

function outsideCalls(): number {
  return app.double.received('outside').length;
}

describe('without a policy', () => {
  it('public data takes the cheaper route outside, personal data stays inside', async () => {
    const customer = await newCustomer(app, 500);
    expect(await routeOf(customer, PLAIN)).toBe(OUTSIDE);
    const calls = outsideCalls();
    expect(await routeOf(customer, PHONE)).toBe(INSIDE);
    expect(await routeOf(customer, CARD)).toBe(INSIDE);
    expect(outsideCalls()).toBe(calls);
  });

  it('a route outside that is named for personal data is refused before it is called', async () => {
    const customer = await newCustomer(app, 500);
    const calls = outsideCalls();
    const answer = await chat(app, customer.key, PHONE, { model: OUTSIDE });
    expect(outcome(answer)).toBe('403 data_route_forbidden');
    expect(answer.body.error.message).toContain('class C3');
    const stream = await chat(app, customer.key, PHONE, { model: OUTSIDE, stream: true });
    expect(outcome(stream)).toBe('403 data_route_forbidden');
    expect(outsideCalls()).toBe(calls);
  });
});

describe('rf_only', () => {
  it('keeps everything inside, whatever the data and whoever is named', async () => {
    const customer = await customerUnder(app, { hybrid: 'rf_only' });
    const calls = outsideCalls();
    expect(await routeOf(customer, PLAIN)).toBe(INSIDE);
    expect(await routeOf(customer, PLAIN, { model: OUTSIDE })).toBe('403 data_route_forbidden');
    expect(outsideCalls()).toBe(calls);
  });

  it('does not fall back to a route outside when those inside fail', async () => {
    const customer = await customerUnder(app, { hybrid: 'rf_only' });
    const calls = outsideCalls();
    app.double.script('inside', { status: 500 });
    const failed = await routeOf(customer, PLAIN);
    app.double.script('inside', {});
    expect(failed).toMatch(/^50\d upstream_/);
    expect(outsideCalls()).toBe(calls);
  });
});

describe('hybrid and any', () => {
  it('differ for masked data: hybrid judges what was sent, any what leaves', async () => {
    const mask = { phone: 'mask', card: 'mask' };
    const hybrid = await customerUnder(app, { hybrid: 'hybrid', firewall: mask });
    const any = await customerUnder(app, { hybrid: 'any', firewall: mask });
    expect(await routeOf(hybrid, PHONE)).toBe(INSIDE);
    expect(await routeOf(any, PHONE)).toBe(OUTSIDE);
    expect(app.double.received('outside').at(-1)?.body).toContain('[[GW_PHONE_1]]');
    expect(await routeOf(any, PLAIN)).toBe(OUTSIDE);
  });

  it('never let unmasked personal data out', async () => {
    const any = await customerUnder(app, { hybrid: 'any', firewall: { card: 'mask' } });
    const calls = outsideCalls();
    expect(await routeOf(any, PHONE)).toBe(INSIDE);
    expect(await routeOf(any, `${CARD} ${PHONE}`)).toBe(INSIDE);
    expect(await routeOf(any, PHONE, { model: OUTSIDE })).toBe('403 data_route_forbidden');
    expect(outsideCalls()).toBe(calls);
  });

  it('with the class switched off do not look, which the policy then has said', async () => {
    const customer = await customerUnder(app, { firewall: { phone: 'off' } });
    expect(await routeOf(customer, PHONE)).toBe(OUTSIDE);
  });
});
