import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newPolicy, outcome } from '../../journeys/people.js';
import { newCustomer, rest } from '../../support/app.js';
import { cappedCustomer, type RubleApp, spendRuble, startRubleApp } from '../budgets/ruble-app.js';

const ONE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const NOTHING = { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 };

let app: RubleApp;
beforeAll(async () => {
  app = await startRubleApp();
});
afterAll(() => app.stop());
beforeEach(() => app.double.script('own', { usage: ONE }));

async function spending(key: string): Promise<string> {
  return outcome(await spendRuble(app, key));
}

function balance(credential: string) {
  return rest<{ balance_rub: number; held_rub: number }>(app, 'GET', '/billing/balance', {
    credential,
  });
}

describe.each(['daily_rub', 'monthly_rub'])('a budget %s', (period) => {
  it('that is spent refuses before a provider is called, and says what was spent', async () => {
    const { key, token } = await cappedCustomer(app, { [period]: 2 });
    expect([await spending(key), await spending(key)]).toEqual(['200', '200']);
    const calls = app.double.log.length;
    const refused = await spendRuble(app, key);
    expect(outcome(refused)).toBe('402 budget_exhausted');
    const name = `capped (${period === 'daily_rub' ? 'day' : 'month'})`;
    const { error } = refused.body as { error: { message: string } };
    expect(error.message).toBe(`The budget "${name}" is spent: 2.00 of 2.00 RUB.`);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(app.double.log.length).toBe(calls);
    expect((await balance(token)).body).toMatchObject({ balance_rub: 998, held_rub: 0 });
  });

  it('that open requests hold refuses with another code until they settle', async () => {
    const { key } = await cappedCustomer(app, { [period]: 1 });
    app.double.script('own', { delayMs: 500, usage: NOTHING }, { usage: ONE });
    const slow = spendRuble(app, key);
    await expect.poll(() => app.double.log.at(-1)?.end).toBe('open');
    expect(await spending(key)).toBe('402 budget_reserved');
    expect(outcome(await slow)).toBe('200');
    expect(await spending(key)).toBe('200');
  });

  it('is raised, lowered and lifted from the next request on', async () => {
    const customer = await cappedCustomer(app, { [period]: 1 });
    const change = (budgets: object | null) =>
      rest(app, 'PATCH', `/v1/gw/policies/${customer.policyId}`, {
        credential: customer.token,
        body: { budgets },
      });
    expect(await spending(customer.key)).toBe('200');
    expect(await spending(customer.key)).toBe('402 budget_exhausted');
    await change({ [period]: 5 });
    expect(await spending(customer.key)).toBe('200');
    await change({ [period]: 2 });
    expect(await spending(customer.key)).toBe('402 budget_exhausted');
    await change(null);
    expect(await spending(customer.key)).toBe('200');
  });
});

describe('budgets', () => {
  it('of several policies all hold', async () => {
    const customer = await cappedCustomer(app, { monthly_rub: 100 });
    await newPolicy(app, customer.token, { name: 'narrow', budgets: { daily_rub: 1 } });
    expect(await spending(customer.key)).toBe('200');
    const refused = await spendRuble(app, customer.key);
    expect(outcome(refused)).toBe('402 budget_exhausted');
    const { error } = refused.body as { error: { message: string } };
    expect(error.message).toContain('"narrow (day)"');
  });

  it('do not hold for other organizations, and funds are checked beside them', async () => {
    const capped = await cappedCustomer(app, { daily_rub: 1 });
    expect(await spending(capped.key)).toBe('200');
    const other = await newCustomer(app, 1);
    expect(await spending(other.key)).toBe('200');
    expect(await spending(other.key)).toBe('402 insufficient_balance');
  });

  it('are never passed by requests that come at once', async () => {
    const { key, token } = await cappedCustomer(app, { daily_rub: 2 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => spending(key)));
    expect(answers.filter((answer) => answer === '200')).toHaveLength(2);
    expect((await balance(token)).body).toMatchObject({ balance_rub: 998, held_rub: 0 });
  });
});
