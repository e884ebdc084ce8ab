import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, customerUnder, newPolicy, outcome } from '../../journeys/people.js';
import { type RoutedApp, startRoutedApp } from '../../journeys/providers.js';
import { newCustomer, rest } from '../../support/app.js';

let app: RoutedApp;
beforeAll(async () => {
  app = await startRoutedApp();
});
afterAll(() => app.stop());

/** 10 RUB for a million tokens on the outside lane: 100,000 tokens are 1 RUB. */
function costing(rub: number) {
  const tokens = rub * 100_000;
  return { usage: { prompt_tokens: 0, completion_tokens: tokens, total_tokens: tokens } };
}

async function answering(rub: number, key: string) {
  app.double.script('outside', costing(rub));
  const answer = await chat(app, key, 'Здравствуйте', { max_tokens: 10 });
  app.double.script('outside', {});
  return outcome(answer);
}

function balance(credential: string) {
  return rest<{ balance_rub: number; held_rub: number }>(app, 'GET', '/billing/balance', {
    credential,
  });
}

describe.each(['daily_rub', 'monthly_rub'])('a budget %s', (period) => {
  it('that is spent refuses before a provider is called, and says what was spent', async () => {
    const { key, token } = await customerUnder(app, { name: 'capped', budgets: { [period]: 2 } });
    expect(await answering(2, key)).toBe('200');
    const calls = app.double.log.length;
    const refused = await chat(app, key, 'Здравствуйте', { max_tokens: 10 });
    expect(outcome(refused)).toBe('402 budget_exhausted');
    const name = `capped (${period === 'daily_rub' ? 'day' : 'month'})`;
    expect(refused.body.error.message).toBe(`The budget "${name}" is spent: 2.00 of 2.00 RUB.`);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(app.double.log.length).toBe(calls);
    expect((await balance(token)).body).toMatchObject({ balance_rub: 498, held_rub: 0 });
  });

  it('that open requests hold refuses with another code until they settle', async () => {
    // 4,000 answer tokens at 10 RUB are 0.04 RUB, held until the slow request settles.
    const { key } = await customerUnder(app, { budgets: { [period]: 0.05 } });
    app.double.script('outside', { delayMs: 500 }, {});
    const slow = chat(app, key, 'Здравствуйте', { max_tokens: 4_000 });
    await expect.poll(() => app.double.log.at(-1)?.end).toBe('open');
    const refused = await chat(app, key, 'Здравствуйте', { max_tokens: 4_000 });
    expect(outcome(refused)).toBe('402 budget_reserved');
    expect(outcome(await slow)).toBe('200');
    expect(outcome(await chat(app, key, 'Здравствуйте', { max_tokens: 4_000 }))).toBe('200');
  });

  it('is raised, lowered and lifted from the next request on', async () => {
    const customer = await customerUnder(app, { budgets: { [period]: 1 } });
    const change = (budgets: object | null) =>
      rest(app, 'PATCH', `/v1/gw/policies/${customer.policyId}`, {
        credential: customer.token,
        body: { budgets },
      });
    expect(await answering(1, customer.key)).toBe('200');
    expect(await answering(1, customer.key)).toBe('402 budget_exhausted');
    await change({ [period]: 5 });
    expect(await answering(1, customer.key)).toBe('200');
    await change({ [period]: 2 });
    expect(await answering(1, customer.key)).toBe('402 budget_exhausted');
    await change(null);
    expect(await answering(1, customer.key)).toBe('200');
  });
});

describe('budgets', () => {
  it('of several policies all hold', async () => {
    const customer = await customerUnder(app, { name: 'wide', budgets: { monthly_rub: 100 } });
    await newPolicy(app, customer.token, { name: 'narrow', budgets: { daily_rub: 1 } });
    expect(await answering(1, customer.key)).toBe('200');
    const refused = await chat(app, customer.key);
    expect(outcome(refused)).toBe('402 budget_exhausted');
    expect(refused.body.error.message).toContain('"narrow (day)"');
  });

  it('do not hold for other organizations, and funds are checked beside them', async () => {
    const capped = await customerUnder(app, { budgets: { daily_rub: 1 } });
    await answering(1, capped.key);
    const other = await newCustomer(app, 1);
    expect(await answering(1, other.key)).toBe('200');
    const refused = await chat(app, other.key, 'Здравствуйте', { max_tokens: 10 });
    expect(outcome(refused)).toBe('402 insufficient_balance');
  });

  it('are never passed by requests that come at once', async () => {
    const { key, token } = await customerUnder(app, { budgets: { daily_rub: 0.1 } });
    // Each holds a little more than 0.04 RUB, so that two fit.
    const usage = { prompt_tokens: 0, completion_tokens: 4_000, total_tokens: 4_000 };
    app.double.script('outside', { usage });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => chat(app, key, 'Здравствуйте', { max_tokens: 4_000 })),
    );
    app.double.script('outside', {});
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect((await balance(token)).body).toMatchObject({ balance_rub: 499.92, held_rub: 0 });
  });
});
