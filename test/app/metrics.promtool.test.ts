import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../support/app.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 10);
  for (const [model, stream] of [
    ['sandbox/gw-mini', false],
    ['sandbox/gw-mini', true],
    ['no/such', false],
  ] as const) {
    const body = { model, stream, messages: [{ role: 'user', content: 'Hello' }] };
    await rest(app, 'POST', '/v1/chat/completions', { credential: customer.key, body });
  }
});
afterAll(() => app.stop());

describe('promtool check metrics', () => {
  it.each([
    ['of the process', '/metrics'],
    ['of an organization', '/v1/gw/observability/metrics'],
  ])('finds no fault in the metrics %s', async (_name, path) => {
    const { body } = await rest<string>(app, 'GET', path, { credential: customer.key });
    // It tells its findings on the error stream, and ends with 3 where there is one.
    const input = body;
    expect(execFileSync('promtool', ['check', 'metrics'], { input }).toString()).toBe('');
    expect(body).toMatch(/^gw_\w+_total\{.*\} 2$/m);
  });
});
