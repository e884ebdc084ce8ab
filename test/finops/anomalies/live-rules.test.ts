import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import {
  type BudgetApp,
  CHEAP,
  DEAR,
  FAILING,
  spend,
  startBudgetApp,
} from '../budgets/budget-app.js';

let app: BudgetApp;
beforeAll(async () => {
  app = await startBudgetApp();
  // Without figures of the upstream tokens are counted by the gateway, as they are.
  await app.double.script('cheap', { text: 'Да', usage: null });
});
afterAll(() => app.stop());

type Body = Record<string, unknown>;

/** One use case of a customer with a rule on it. */
async function watched(type: string, more: Body = {}): Promise<Customer> {
  const customer = await newCustomer(app, 500);
  await publish(customer, { type, ...more });
  return customer;
}

function publish({ token }: Customer, rule: Body) {
  const body = { scope: 'use_case', action: 'alert', requests_min: 6, ...rule };
  return rest(app, 'POST', '/v1/gw/finops/anomaly-rules', { credential: token, body });
}

async function anomaliesOf({ token }: Customer): Promise<readonly Body[]> {
  const path = '/v1/gw/cost/anomalies';
  return (await rest<{ data: Body[] }>(app, 'GET', path, { credential: token })).body.data;
}

const ASKED = { model: CHEAP, max_tokens: 20 };

/** Makes requests one after the other. @returns their ids */
async function ask(who: Customer, times: number, more: Body = {}, feature = 'run') {
  const ids: string[] = [];
  for (let made = 0; made < times; made += 1) {
    const { headers } = await spend(app, who, { feature }, { ...ASKED, ...more });
    ids.push(headers.get('x-request-id') ?? '');
  }
  return ids;
}

const LONG = { messages: [{ role: 'user', content: 'Очень длинный вопрос. '.repeat(200) }] };

async function found(customer: Customer): Promise<Body> {
  await expect.poll(() => anomaliesOf(customer), { timeout: 15_000 }).toHaveLength(1);
  return (await anomaliesOf(customer))[0] ?? {};
}

describe('live traffic', () => {
  it('with a prompt many times as long is a context explosion, which it names', async () => {
    const customer = await watched('context_explosion');
    await ask(customer, 7);
    const [long] = await ask(customer, 1, LONG);
    expect(await found(customer)).toMatchObject({
      type: 'context_explosion',
      scope_ref: 'run',
      metric: 'input_tokens',
      method: 'trailing_window',
      request_ids: [long],
    });
  });

  it('with an answer many times as long is an output explosion, which it names', async () => {
    const customer = await watched('output_explosion');
    await ask(customer, 7);
    await app.double.script('cheap', { text: 'слово ', repeat: 19, usage: null });
    const [long] = await ask(customer, 1);
    await app.double.script('cheap', { text: 'Да', usage: null });
    expect(await found(customer)).toMatchObject({
      type: 'output_explosion',
      metric: 'output_tokens',
      request_ids: [long],
    });
  });

  it('of which models that stood in cost a multiple is a fallback cost spike', async () => {
    const customer = await watched('fallback_cost_spike');
    await ask(customer, 7);
    await app.double.script('cheap', { text: 'слово ', repeat: 19, usage: null });
    const [dear] = await ask(customer, 1, { model: FAILING });
    await app.double.script('cheap', { text: 'Да', usage: null });
    expect(await found(customer)).toMatchObject({
      type: 'fallback_cost_spike',
      metric: 'fallback_cost_rub',
      request_ids: [dear],
    });
  });

  it('of which half fails is an error spike that names the failed', async () => {
    const customer = await watched('error_spike');
    await ask(customer, 3);
    const failed = await ask(customer, 3, { model: 'bad/model' });
    const anomaly = await found(customer);
    expect(anomaly).toMatchObject({
      type: 'error_spike',
      metric: 'failed_share',
      observed: 0.5,
      limit: 0.5,
      method: 'threshold',
    });
    expect([...(anomaly.request_ids as string[])].sort()).toEqual([...failed].sort());
  });

  it('many times that of the same hour before is a request spike', async () => {
    const customer = await watched('request_spike');
    await plantHours(customer, 6);
    const ids = await ask(customer, 7);
    const anomaly = await found(customer);
    expect(anomaly).toMatchObject({
      type: 'request_spike',
      metric: 'requests',
      expected: 1,
      method: 'same_hour',
    });
    expect(ids).toEqual(expect.arrayContaining(anomaly.request_ids as string[]));
    expect((anomaly.request_ids as string[]).length).toBeGreaterThanOrEqual(6);
  });

  it('that is as usual raises none of them, whatever one request does', async () => {
    const customer = await newCustomer(app, 500);
    const types = [
      ...['context_explosion', 'output_explosion', 'fallback_cost_spike', 'error_spike'],
      'request_spike',
    ];
    for (const type of types) await publish(customer, { type });
    await plantHours(customer, 60);
    for (const content of ['Да?', 'Нет?', 'Кто?', 'Что это?', 'Как?', 'Где?', 'Чей?']) {
      await ask(customer, 1, { messages: [{ role: 'user', content }] });
    }
    await ask(customer, 1, { model: FAILING });
    await ask(customer, 1, { model: 'bad/model' });
    await ask(customer, 1, { model: DEAR, max_tokens: 1 });
    // What is seen after them shows that all of them have been judged.
    await publish(customer, { type: 'retry_loop', scope_ref: 'last', threshold: 5 });
    await ask(customer, 8, {}, 'last');
    expect(await found(customer)).toMatchObject({ type: 'retry_loop', scope_ref: 'last' });
  });
});

/** Four weeks in which this hour had so many requests of the use case. */
async function plantHours({ tenantId }: Customer, requests: number): Promise<void> {
  await app.owner.pool.query(
    `INSERT INTO spend_hour (tenant_id, scope_kind, scope_ref, hour, requests, cost_micro)
     SELECT $1, 'use_case', 'run', date_trunc('hour', now()) + ahead * interval '1 hour'
       - week * interval '7 days', $2::bigint, $2::bigint * 100000
     FROM generate_series(1, 4) AS week, generate_series(0, 1) AS ahead`,
    [tenantId, requests],
  );
}
