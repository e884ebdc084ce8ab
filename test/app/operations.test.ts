import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer, rest, startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ GW_OPERATOR_TOKEN: 'an operator token for tests' });
});
afterAll(() => app.stop());

describe('the operator', () => {
  it('sees that the process lives and is ready', async () => {
    expect((await rest(app, 'GET', '/livez')).body).toEqual({ status: 'alive' });
    expect(await rest(app, 'GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ready', reasons: [] },
    });
  });

  it('alone reads the metrics, which count operations and never name a customer', async () => {
    const customer = await newCustomer(app, 10);
    expect((await rest(app, 'GET', '/metrics')).status).toBe(401);
    expect((await rest(app, 'GET', '/metrics', { credential: customer.key })).status).toBe(401);
    const metrics = await rest<string>(app, 'GET', '/metrics', {
      credential: 'an operator token for tests',
    });
    expect(metrics.status).toBe(200);
    expect(metrics.body).toContain(
      'gw_http_requests_total{operation="RegisterTenant",status="200"} 1',
    );
    expect(metrics.body).toContain('gw_ledger_healthy 1');
    expect(metrics.body).not.toContain(customer.tenantId);
  });

  it('publishes the keys that access tokens are checked with, and no private part', async () => {
    const { body } = await rest<{ keys: object[] }>(app, 'GET', '/.well-known/jwks.json');
    expect(body.keys).toHaveLength(1);
    expect(Object.keys(body.keys[0] ?? {}).sort()).toEqual(
      ['alg', 'crv', 'kid', 'kty', 'use', 'x'].sort(),
    );
  });
});
