import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app);
});
afterAll(() => app.stop());

function topUp(body: Record<string, unknown>, credential = owner.token, at: TestApp = app) {
  return rest<ErrorBody>(at, 'POST', '/billing/top-up/manual', { credential, body });
}

describe('a manual top-up', () => {
  it('is on the balance and in the ledger with who did it, over REST and GraphQL', async () => {
    const customer = await newCustomer(app);
    const balance = (rub: number) => ({
      account_id: customer.accountId,
      currency: 'RUB',
      balance_rub: rub,
      held_rub: 0,
      available_rub: rub,
      plan: 'prepaid',
      sla_class: 'standard',
      commit_rub: 0,
    });
    const first = await topUp({ amount_rub: 500, note: 'first' }, customer.token);
    expect(first).toMatchObject({
      status: 200,
      body: { request_id: expect.any(String), amount_rub: 500, balance: balance(500) },
    });
    const { data } = await graphql(
      app,
      `mutation { billingTopUp(amount: "0.000001") {
        amountRub balance { postedRub availableRub }
      } }`,
      {},
      customer.token,
    );
    expect(data).toEqual({
      billingTopUp: {
        amountRub: '0.000001',
        balance: { postedRub: '500.000001', availableRub: '500.000001' },
      },
    });
    const now = await rest(app, 'GET', '/billing/balance', { credential: customer.token });
    expect(now.body).toEqual(balance(500.000001));
    const ledger = await rest<{ data: object[] }>(app, 'GET', '/billing/ledger', {
      credential: customer.token,
    });
    expect(ledger.body.data).toEqual([
      expect.objectContaining({ sequence: 2, type: 'top_up', amount_rub: 0.000001 }),
      {
        id: `${(first.body as unknown as { request_id: string }).request_id}.top_up`,
        sequence: 1,
        type: 'top_up',
        request_id: (first.body as unknown as { request_id: string }).request_id,
        charged_request_id: null,
        contra: expect.any(String),
        amount_rub: 500,
        net_rub: expect.any(Number),
        vat_rub: expect.any(Number),
        vat_rate_percent: 22,
        posted_delta_rub: 500,
        held_delta_rub: 0,
        posted_after_rub: 500,
        held_after_rub: 0,
        description: 'first',
        actor_id: customer.userId,
        model: null,
        feature: null,
        client_id: null,
        created_at: expect.any(String),
      },
    ]);
  });

  it('takes amounts above zero up to its bound, exactly', async () => {
    for (const amount of [0, -1, '100000000.000001', 1e9]) {
      expect(outcome(await topUp({ amount_rub: amount }))).toBe('400 invalid_request');
    }
    for (const amount of ['0.0000001', 'ten', '1e3', null, {}, [1]]) {
      expect(outcome(await topUp({ amount_rub: amount }))).toBe('400 invalid_request');
    }
    expect((await topUp({ amount_rub: '100000000' })).body).toMatchObject({ amount_rub: 1e8 });
  });

  it('is summed without loss when many come at once', async () => {
    const customer = await newCustomer(app);
    await Promise.all(Array.from({ length: 12 }, () => topUp({ amount_rub: 0.1 }, customer.token)));
    const { body } = await rest(app, 'GET', '/billing/balance', { credential: customer.token });
    expect(body.balance_rub).toBe(1.2);
  });
});

describe('in production', () => {
  async function inProduction(flag: Record<string, string>): Promise<string> {
    const other = await startApp({ NODE_ENV: 'production', ...flag });
    try {
      const customer = await newCustomer(other);
      return outcome(await topUp({ amount_rub: 500 }, customer.token, other));
    } finally {
      await other.stop();
    }
  }

  it('a manual top-up is refused, unless the server allows it by its flag', async () => {
    expect(await inProduction({})).toBe('403 manual_top_up_disabled');
    expect(await inProduction({ GW_ALLOW_MANUAL_TOP_UP: 'on' })).toBe('200');
  });
});
