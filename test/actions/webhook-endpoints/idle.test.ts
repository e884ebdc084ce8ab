import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Customer, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { SETTINGS, webhooks } from './world.js';

const WAIT = { timeout: 20_000 };

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp(SETTINGS);
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

/** Whether somebody has the lease. */
async function isHeld(): Promise<boolean | undefined> {
  const sql = 'SELECT expires_at > clock_timestamp() AS held FROM webhook_worker';
  return (await app.owner.pool.query<{ held: boolean }>(sql)).rows[0]?.held;
}

it('is delivered by nobody while no endpoint is active, and at once when one comes', async () => {
  await expect.poll(isHeld, WAIT).toBe(false);
  const url = 'https://hooks.example.com/idle';
  const { id } = (await webhooks(app, customer, 'POST', '', { url })).body;
  await expect.poll(isHeld, WAIT).toBe(true);
  expect(app.server.services.webhooks.delivers).toBe(true);
  await webhooks(app, customer, 'POST', `/${id}/pause`);
  await expect.poll(isHeld, WAIT).toBe(false);
});
