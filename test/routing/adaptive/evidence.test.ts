import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';
import { plantAnswers } from './planted-usage.js';
import { ADAPTIVE, freshRequest } from './samples.js';

let app: LiveApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startLiveApp();
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app, 1_000);
});
afterAll(() => app.stop());

type Body = Record<string, unknown>;
type Answer = Body & { error: { code: string; message: string }; model: string };

const post = (path: string, body: Body, credential: string) =>
  rest<Answer>(app, 'POST', path, { body, credential });
const chat = ({ key }: Customer, feature: string) =>
  post(
    '/v1/chat/completions',
    { model: 'gw:auto', messages: [{ role: 'user', content: 'hello' }], metadata: { feature } },
    key,
  );
const simulated = ({ key }: Customer, use_case: string) =>
  post('/v1/gw/routing/simulate', { use_case, input_tokens: 10 }, key);
const SIMULATE = `query ($useCase: String!) {
  routeSimulate(input: { useCase: $useCase, inputTokens: 10 }) { verdict model }
}`;

describe('the mode ASSURED with nothing measured', () => {
  it('refuses in chat, simulations and decisions alike; allowed, it answers', async () => {
    const contract = (terms: Body) =>
      post(
        `${ADAPTIVE}/contracts`,
        { contract_key: 'proof', mode: 'ASSURED', ...terms },
        customer.token,
      );
    expect((await contract({})).status).toBe(200);
    const refused = await chat(customer, 'proof');
    expect([refused.status, refused.body.error.code]).toEqual([422, 'cannot_route']);
    expect(refused.body.error.message).toContain(
      `${LIVE}: Its quality is not measured, as the mode insists.`,
    );
    expect((await simulated(customer, 'proof')).body).toMatchObject({
      verdict: 'CANNOT_ROUTE',
      model: null,
    });
    const sealed = await post(
      `${ADAPTIVE}/decide`,
      { request_id: freshRequest(), use_case: 'proof' },
      customer.key,
    );
    expect(sealed.body.verdict).toBe('CANNOT_ROUTE');

    expect((await contract({ when_unmeasured: 'NEXT_BEST' })).status).toBe(200);
    const answered = await chat(customer, 'proof');
    expect([answered.status, answered.body.model]).toEqual([200, LIVE]);
    expect((await simulated(customer, 'proof')).body).toMatchObject({
      verdict: 'FALLBACK',
      model: LIVE,
    });
    expect((await simulated(other, 'proof')).body).toMatchObject({ verdict: 'ROUTED' });
    expect((await chat(other, 'proof')).status).toBe(200);
    expect((await graphql<Body>(app, SIMULATE, { useCase: 'proof' }, customer.key)).data).toEqual({
      routeSimulate: { verdict: 'FALLBACK', model: LIVE },
    });
  });
});

describe('latency and failures of usage', () => {
  it('are evidence of the tenant alone, sealed with the decision that repeats', async () => {
    const { tenantId } = customer;
    const decided = async ({ key }: Customer) => {
      const asked = { request_id: freshRequest(), use_case: 'used' };
      const { body } = await post(`${ADAPTIVE}/decide`, asked, key);
      const { situation } = body.inputs as { situation: { models: Body[] } };
      const model = situation.models.find((one) => one.model === LIVE);
      return { id: String(body.id), model };
    };
    expect((await decided(customer)).model?.answered_basis_points).toBeNull();
    const routed = { use_case: 'used' };
    const ids = await plantAnswers(app, { tenantId, model: LIVE, times: 60, hoursAgo: 0, routed });
    const set = (values: string, from: number, to: number) =>
      app.owner.pool.query(`UPDATE usage_event SET ${values} WHERE id = ANY ($1)`, [
        ids.slice(from, to),
      ]);
    await app.owner.pool.query('ALTER TABLE usage_event DISABLE TRIGGER USER');
    await set('latency_ms = 2580, attempts = 1', 0, 60);
    const failed = "amount_micro = 0, vat_micro = 0, cost_micro = 0, status = 'failed'";
    await set(`${failed}, http_status = 502, error_code = 'upstream_failed'`, 0, 15);
    await set(`${failed}, http_status = 400, error_code = 'upstream_rejected'`, 15, 30);
    await app.owner.pool.query('ALTER TABLE usage_event ENABLE TRIGGER USER');
    await app.server.services.usageRollup.bringForward();
    expect((await decided(customer)).model?.answered_basis_points).toBeNull();
    // Five minutes pass.
    app.server.services.routingUsage.forget(tenantId);
    const { id, model } = await decided(customer);
    expect(model).toMatchObject({ answered_basis_points: 6_700, latency_ms: 2_500 });
    const read = await rest<Body>(app, 'GET', `${ADAPTIVE}/receipts/${id}/verify`, {
      credential: customer.key,
    });
    expect(read.body).toMatchObject({ valid: true, decision_identical: true, differences: [] });
    expect((await decided(other)).model?.answered_basis_points).toBeNull();
  });
});
