import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { issue } from '../abuse/samples.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

/** How often each connection of the pool has planned the statements of credentials. */
async function plans() {
  const { platformPool } = app.server.services;
  const client = await platformPool.connect();
  try {
    const { rows } = await client.query<{ name: string; custom: number; generic: number }>(
      `SELECT name, custom_plans::int AS custom, generic_plans::int AS generic
       FROM pg_prepared_statements WHERE name LIKE 'principal_by_%' ORDER BY name`,
    );
    return rows;
  } finally {
    client.release();
  }
}

it('a credential is looked up by a plan that its connection has made before', async () => {
  const customer = await newCustomer(app, 10);
  const { token } = (await issue(app, customer.key, {})).body;
  for (let times = 0; times < 40; times += 1) {
    await rest(app, 'GET', '/v1/gw/policies', { credential: customer.key });
    await rest(app, 'GET', '/v1/models', { credential: token });
  }
  const found = await plans();
  expect(found.map(({ name }) => name)).toContain('principal_by_key_1');
  for (const { name, custom, generic } of found) {
    expect([name, custom > 5, custom < 5 || generic > 0]).toEqual([name, false, true]);
  }
});
