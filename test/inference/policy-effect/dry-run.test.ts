import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCustomer, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const ask = (credential: string, model: string) =>
  rest(app, 'POST', '/v1/chat/completions', {
    credential,
    body: { model, messages: [{ role: 'user', content: 'Здравствуйте' }], max_tokens: 10 },
  });

it('a dry run tells what a policy would have done, and writes nothing', async () => {
  const customer = await newCustomer(app, 500);
  const other = await newCustomer(app, 500);
  for (const model of ['sandbox/gw-mini', 'sandbox/gw-mini', 'sandbox/gw-pro']) {
    expect((await ask(customer.key, model)).status).toBe(200);
  }
  expect((await ask(other.key, 'sandbox/gw-pro')).status).toBe(200);
  const { status, body } = await rest(app, 'POST', '/v1/gw/policies', {
    credential: customer.key,
    body: { dry_run: true, allowed_models: ['sandbox/gw-mini'] },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    complete: true,
    requests: 3,
    blocked: 1,
    degraded: 0,
    provenance: 'live_measured',
    reasons: [{ reason: 'model_not_allowed', kind: 'blocked', requests: 1 }],
  });
  const { body: list } = await rest(app, 'GET', '/v1/gw/policies', { credential: customer.key });
  expect(list.data).toEqual([]);
});

it('a dry run of a change of a foreign policy answers as for an unknown one', async () => {
  const customer = await newCustomer(app);
  const other = await newCustomer(app);
  const { body: policy } = await rest<{ id: string }>(app, 'POST', '/v1/gw/policies', {
    credential: other.key,
    body: { limits: { rpm: 10 } },
  });
  const dryRun = (id: string) =>
    rest<{ error: { code: string; message: string } }>(app, 'PATCH', `/v1/gw/policies/${id}`, {
      credential: customer.key,
      body: { dry_run: true, limits: { rpm: 1 } },
    });
  const unknown = '00000000-0000-7006-8000-000000000000';
  const foreign = await dryRun(policy.id);
  const missing = await dryRun(unknown);
  expect(foreign.status).toBe(404);
  expect(foreign.body.error.message.replace(policy.id, unknown)).toBe(missing.body.error.message);
});
