import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCustomer, rest, startApp, type TestApp } from './support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

it('answers a chat request and charges for it', async () => {
  const customer = await newCustomer(app, 500);
  const answer = await rest<{ choices: unknown[] }>(app, 'POST', '/v1/chat/completions', {
    credential: customer.key,
    body: { model: 'gw:auto', messages: [{ role: 'user', content: 'Здравствуйте' }] },
  });
  expect(answer.status).toBe(200);
  expect(answer.body.choices).toHaveLength(1);
});
