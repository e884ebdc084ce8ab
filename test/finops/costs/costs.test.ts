import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../../journeys/people.js';
import { type Answer, type Customer, newCustomer, rest } from '../../support/app.js';
import { type BudgetApp, DEAR, setBudget, spend, startBudgetApp } from '../budgets/budget-app.js';

let app: BudgetApp;
beforeAll(async () => {
  app = await startBudgetApp();
});
afterAll(() => app.stop());

function post(
  { token }: Pick<Customer, 'token'>,
  path: string,
  body: object,
): Promise<Answer<Record<string, unknown>>> {
  return rest(app, 'POST', `/v1/gw/finops/${path}`, { credential: token, body });
}

async function refund({ accountId }: Customer, { headers }: Answer<unknown>, micro: bigint) {
  const { rows } = await app.owner.pool.query(
    `SELECT status FROM ledger_post($1, gen_random_uuid(), 'refund', $2, 'A refund', NULL, $3)`,
    [accountId, micro, headers.get('x-request-id')],
  );
  expect(rows).toEqual([{ status: 'ok' }]);
}

describe('a forecast', () => {
  it('states its scenarios, distribution and risks, and is recorded once', async () => {
    const customer = await newCustomer(app);
    const asked = { units: 1_000, cost_per_unit_rub: 1, variation: 0.5, forecast_ref: 'F-1' };
    const made = await post(customer, 'forecast', asked);
    expect(made.body).toMatchObject({
      forecast_ref: 'F-1',
      scope: 'use_case',
      scope_ref: '*',
      cost_per_unit_rub: 1,
      cost_provenance: 'declared',
      base: 1_000,
      interval_percent: 85,
      risk_flags: ['no_history'],
      approval_required: false,
      already_sealed: false,
    });
    const { optimistic, worst, distribution } = made.body;
    expect(Number(optimistic)).toBeCloseTo(488.1, 0);
    expect(Number(worst)).toBeCloseTo(1945.3, 0);
    expect(distribution).toContain('log-normal');
    const again = await post(customer, 'forecast', { ...asked, units: 5 });
    expect([again.body.id, again.body.already_sealed]).toEqual([made.body.id, true]);
  });

  it('of units alone favours no model: it is the mean of all, with their spread', async () => {
    const { body } = await post(await newCustomer(app), 'forecast', { units: 2 });
    expect(body).toMatchObject({
      cost_provenance: 'estimated',
      model: null,
      recorded_requests: 0,
      cost_per_unit_rub: 410,
      base: 820,
      risk_flags: expect.arrayContaining(['no_history', 'unknown_model']),
      basis: expect.stringContaining('mean list price of 5 models for 1000 tokens in and 500 out'),
    });
    expect(Number(body.worst)).toBeGreaterThan(2 * 500);
    const named = await post(await newCustomer(app), 'forecast', {
      units: 2,
      model: 'cheap/model',
    });
    expect(named.body).toMatchObject({ model: 'cheap/model', base: 100, variation: 0.5 });
    expect(named.body.risk_flags).not.toContain('unknown_model');
  });

  it('of few recorded requests is of them, says so, and has a wider interval', async () => {
    const customer = await newCustomer(app, 10);
    for (let each = 0; each < 3; each += 1) await spend(app, customer);
    const run = { units: 100, scope_ref: 'support' };
    const { body } = await post(customer, 'forecast', run);
    expect(body).toMatchObject({
      cost_provenance: 'live_measured',
      recorded_requests: 3,
      model: null,
      cost_per_unit_rub: 1,
      base: 100,
      risk_flags: ['few_requests'],
      basis: 'The mean of 3 recorded requests of the scope in 30 days.',
    });
    expect(Number(body.variation)).toBeGreaterThan(1);
    const theirs = await post(await newCustomer(app), 'forecast', run);
    expect(theirs.body).toMatchObject({ recorded_requests: 0, cost_provenance: 'estimated' });
  });

  it('is read again by its id and in the list, by its own organization alone', async () => {
    const customer = await newCustomer(app);
    const [first, second] = [
      await post(customer, 'forecast', { units: 1 }),
      await post(customer, 'forecast', { units: 2 }),
    ];
    const read = (path: string, { token: credential }: Customer) =>
      rest(app, 'GET', `/v1/gw/finops/forecast${path}`, { credential });
    const { body: listed } = await read('', customer);
    expect(listed.data).toEqual(
      [second.body, first.body].map((each) => ({ ...each, already_sealed: true })),
    );
    const { content, ...one } = (await read(`/${first.body.id}`, customer)).body;
    expect(one).toEqual({ ...first.body, already_sealed: true });
    expect(content).toMatchObject({ units: 1 });
    const verified = await read(`/${first.body.id}/verify`, customer);
    expect(verified.body).toMatchObject({ valid: true, chain_valid: true });
    const other = await newCustomer(app);
    expect((await read('', other)).body.data).toEqual([]);
    for (const path of [`/${first.body.id}`, `/${first.body.id}/verify`]) {
      expect(outcome(await read(path, other))).toBe('404 not_found');
    }
  });

  it('wants an approval where its worst case passes what a budget has left', async () => {
    const customer = await newCustomer(app, 10);
    await setBudget(app, customer.token, { hard_cap: 2 });
    await spend(app, customer);
    const run = { units: 2, cost_per_unit_rub: 1, use_case_id: 'support' };
    expect((await post(customer, 'forecast', run)).body).toMatchObject({
      budget_left_rub: 1,
      risk_flags: ['over_budget', 'near_budget', 'no_history'],
      approval_required: true,
    });
  });

  it('is later compared with what the scope has really spent', async () => {
    const customer = await newCustomer(app, 10);
    const run = { units: 1, cost_per_unit_rub: 2, use_case_id: 'support' };
    const before = await spend(app, customer);
    await post(customer, 'forecast', run);
    const during = await spend(app, customer);
    await spend(app, customer, { feature: 'other' });
    // What is given back of a request from before the run is no part of the run.
    await refund(customer, before, 1_000_000n);
    await refund(customer, during, 250_000n);
    const { forecastError } = await import('../../../src/finops/costs/forecast-error.js');
    const scope = { services: app.server.services, who: { tenantId: customer.tenantId } };
    const from = new Date();
    const until = new Date(from.getTime() + 48 * 3_600_000);
    const { value, provenance } = await forecastError(scope, { from, until });
    expect([value, provenance]).toEqual([
      {
        forecasts: 1,
        forecastMicro: 2_000_000n,
        actualMicro: 750_000n,
        offMicro: 1_250_000n,
        errorBasisPoints: 16_667,
      },
      'live_measured',
    ]);
  });

  it('names every fault', async () => {
    const refused = await post(await newCustomer(app), 'forecast', { units: 0, model: 'none' });
    const { faults } = refused.body.error as { faults: { path: string }[] };
    expect(faults.map(({ path }) => path)).toEqual(['units', 'model']);
  });
});

describe('a cost receipt', () => {
  it('of a request itemizes what its usage row says, to the micro-ruble', async () => {
    const customer = await newCustomer(app, 10);
    const answer = await spend(app, customer);
    const request_id = answer.headers.get('x-request-id');
    const { body } = await post(customer, 'cost-receipts', { request_id });
    expect(body).toMatchObject({
      receipt_ref: request_id,
      use_case_id: 'support',
      model: DEAR,
      total_rub: 1,
      provenance: 'live_measured',
      already_sealed: false,
    });
    const items = body.items as { dimension: string; cost_rub: number }[];
    expect(items.map(({ dimension, cost_rub }) => [dimension, cost_rub])).toEqual([
      ['input_tokens', 0],
      ['cached_tokens', 0],
      ['output_tokens', 1],
      ['retries', 0],
      ['fallback', 0],
      ['tools', 0],
      ['markup', 0],
    ]);
    const again = await post(customer, 'cost-receipts', { request_id, tools_rub: 5 });
    expect([again.body.id, again.body.total_rub]).toEqual([body.id, 1]);
    const theirs = await post(await newCustomer(app), 'cost-receipts', { request_id });
    expect(outcome(theirs)).toBe('404 not_found');
  });

  it('that was stated under the id of a request never takes the place of its own', async () => {
    const customer = await newCustomer(app, 10);
    const answer = await spend(app, customer);
    const request_id = String(answer.headers.get('x-request-id'));
    const stated = { receipt_ref: request_id, tokens_rub: 5 };
    const named = await post(customer, 'cost-receipts', stated);
    expect(named.body).toMatchObject({ receipt_ref: request_id, request_id: null, total_rub: 5 });
    const own = await post(customer, 'cost-receipts', { request_id });
    expect(own.body).toMatchObject({
      ...{ receipt_ref: request_id, request_id, total_rub: 1, already_sealed: false },
      provenance: 'live_measured',
    });
    const again = await post(customer, 'cost-receipts', { ...stated, tokens_rub: 6 });
    expect([again.body.id, again.body.total_rub]).toEqual([named.body.id, 5]);
  });

  it('that was stated before the two were told apart is still found by its reference', async () => {
    const customer = await newCustomer(app, 10);
    const answer = await spend(app, customer);
    const request_id = String(answer.headers.get('x-request-id'));
    const scope = { services: app.server.services, who: { tenantId: customer.tenantId } };
    const { COST_RECEIPTS } = await import('../../../src/finops/costs/records.js');
    const earlier = async (ref: string) => {
      const { body } = await post(customer, 'cost-receipts', { receipt_ref: 'as', tokens_rub: 1 });
      const like = await COST_RECEIPTS.byId(scope, String(body.id));
      const content = { ...like.content, receiptRef: ref };
      return (await COST_RECEIPTS.seal(scope, ref, content)).row.id;
    };
    const [named, misnamed] = [await earlier('named'), await earlier(request_id)];
    const asked = { receipt_ref: 'named', tokens_rub: 2 };
    expect((await post(customer, 'cost-receipts', asked)).body.id).toBe(named);
    const own = await post(customer, 'cost-receipts', { request_id });
    expect(own.body).toMatchObject({ request_id, total_rub: 1 });
    expect(own.body.id).not.toBe(misnamed);
    const once = await post(customer, 'cost-receipts', { request_id });
    expect(once.body.id).toBe(own.body.id);
  });

  it('of stated parts adds them up and says that they were declared', async () => {
    const customer = await newCustomer(app);
    const parts = { input_tokens: 2, output_tokens: 1, tokens_rub: 0.3, tools_rub: 0.4 };
    const more = { markup_rub: 0.1, retries: 2, retries_rub: 0.05, fallback_rub: 0.15 };
    const made = await post(customer, 'cost-receipts', { use_case_id: 'a', ...parts, ...more });
    expect(made.body).toMatchObject({ total_rub: 1, provenance: 'declared', use_case_id: 'a' });
    await post(customer, 'cost-receipts', { use_case_id: 'b', tokens_rub: 1 });
    const path = '/v1/gw/finops/cost-receipts?use_case_id=a';
    const { body } = await rest<{ data: { id: string }[] }>(app, 'GET', path, {
      credential: customer.token,
    });
    expect(body.data.map(({ id }) => id)).toEqual([made.body.id]);
    const one = await rest(app, 'GET', `/v1/gw/finops/cost-receipts/${made.body.id}`, {
      credential: customer.token,
    });
    expect(one.body.total_rub).toBe(1);
  });
});

describe('the parts of a cost receipt', () => {
  it('are stated by the words of the specification, and each counts in the total', async () => {
    const customer = await newCustomer(app);
    const parts = { tokens: 1.5, tools: 0.4, retries: 0.1, fallback: 0.2, markup: 0.3 };
    const { body } = await post(customer, 'cost-receipts', parts);
    expect(body).toMatchObject({ total_rub: 2.5, provenance: 'declared' });
    const items = body.items as { dimension: string; quantity: number; cost_rub: number }[];
    expect(
      items.map(({ dimension, quantity, cost_rub }) => [dimension, quantity, cost_rub]),
    ).toEqual([
      ['input_tokens', 0, 1.5],
      ['cached_tokens', 0, 0],
      ['output_tokens', 0, 0],
      ['tools', 0, 0.4],
      ['retries', 1, 0.1],
      ['fallback', 1, 0.2],
      ['markup', 1, 0.3],
    ]);
    const counted = { tokens: 1, retries: 2, retries_rub: 0.5 };
    expect((await post(customer, 'cost-receipts', counted)).body).toMatchObject({ total_rub: 1.5 });
  });

  it('are needed where no request says them: nothing stated is no cost of 0', async () => {
    const customer = await newCustomer(app);
    const refusals = [
      [{}, ['tokens_rub']],
      [{ use_case: 'support', input_tokens: 10, tool_calls: 2 }, ['tokens_rub']],
      [{ tokens_rub: 1, total: 5, tool: 3 }, ['total', 'tool']],
    ] as const;
    for (const [stated, paths] of refusals) {
      const { status, body } = await post(customer, 'cost-receipts', stated);
      const { faults } = body.error as { faults: { path: string }[] };
      expect([status, faults.map(({ path }) => path)]).toEqual([400, paths]);
    }
    const free = await post(customer, 'cost-receipts', { tools_rub: 0 });
    expect([free.status, free.body.total_rub]).toEqual([200, 0]);
    const list = await rest<{ data: unknown[] }>(app, 'GET', '/v1/gw/finops/cost-receipts', {
      credential: customer.token,
    });
    expect(list.body.data).toHaveLength(1);
  });

  it('that the usage row of a request says are not stated beside it', async () => {
    const customer = await newCustomer(app, 10);
    const answer = await spend(app, customer);
    const request_id = answer.headers.get('x-request-id');
    const stated = { request_id, input_tokens: 5, tokens: 1, receipt_ref: 'mine' };
    const { status, body } = await post(customer, 'cost-receipts', stated);
    const { faults } = body.error as { faults: { path: string }[] };
    expect([status, faults.map(({ path }) => path)]).toEqual([
      400,
      ['receipt_ref', 'input_tokens', 'tokens'],
    ]);
    const added = await post(customer, 'cost-receipts', { request_id, markup: 0.5 });
    expect(added.body).toMatchObject({ total_rub: 1.5, provenance: 'declared' });
  });
});

describe('the dashboard', () => {
  it('shows budgets, receipts, cost, forecasts and rules from the rows', async () => {
    const customer = await newCustomer(app, 10);
    await setBudget(app, customer.token);
    await spend(app, customer);
    await post(customer, 'cost-receipts', { tokens_rub: 3 });
    await post(customer, 'forecast', { units: 1, cost_per_unit_rub: 1 });
    await post(customer, 'anomaly-rules', { type: 'cost_spike' });
    const { body } = await rest(app, 'GET', '/v1/gw/finops/dashboard', {
      credential: customer.token,
    });
    expect(body).toMatchObject({
      days: 30,
      cost_rub: 1,
      requests: 1,
      budget_count: 1,
      budgets: [{ scope: 'use_case', scope_ref: 'support', spent_rub: 1, used_percent: 50 }],
      receipt_count: 1,
      forecast_count: 1,
      forecasts_ended: 0,
      forecast_error_basis_points: null,
      active_rules: 1,
      scopes_paused: 0,
      provenance: 'live_measured',
    });
  });
});
