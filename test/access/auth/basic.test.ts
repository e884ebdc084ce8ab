import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
let own: Customer;
let other: Customer;

beforeAll(async () => {
  app = await startApp();
  [own, other] = [await newCustomer(app), await newCustomer(app)];
});

afterAll(() => app.stop());

const basic = (password: string, user = 'anybody') =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const me = (authorization: string, headers: Record<string, string> = {}) =>
  rest(app, 'GET', '/billing/balance', { headers: { authorization, ...headers } });

const asked = (authorization: string, headers: Record<string, string> = {}) =>
  rest(app, 'POST', '/graphql', {
    headers: { authorization, ...headers },
    body: { query: '{ balance { accountId } }' },
  });

describe('an API key as the password of HTTP Basic', () => {
  it('counts as the bearer of that key, over REST and GraphQL, under any user name', async () => {
    for (const user of ['', 'anybody', own.email]) {
      expect((await me(basic(own.key, user))).body.account_id).toBe(own.accountId);
    }
    expect((await asked(basic(own.key))).body).toMatchObject({
      data: { balance: { accountId: own.accountId } },
    });
    expect((await me(basic(other.key))).body.account_id).toBe(other.accountId);
  });

  it.each([
    ['an origin', { origin: 'https://evil.example' }],
    ['its own origin', { origin: 'http://127.0.0.1' }],
    ['metadata of a fetch', { 'sec-fetch-site': 'cross-site' }],
    ['metadata of a navigation', { 'sec-fetch-site': 'none' }],
    ['its address', { referer: 'http://127.0.0.1/page' }],
  ])('is nothing from a page, which says so by %s', async (_name, headers) => {
    expect((await me(basic(own.key), headers)).status).toBe(401);
    expect((await asked(basic(own.key), headers)).body).toMatchObject({
      errors: [{ extensions: { code: 'unusable_credential' } }],
    });
  });

  it('is never asked for, so that no browser learns one', async () => {
    const { status, headers } = await rest(app, 'GET', '/billing/balance');
    expect(status).toBe(401);
    expect(headers.get('www-authenticate') ?? '').not.toMatch(/basic/i);
  });

  it.each([
    ['a password that is no key', () => basic('correct horse battery', own.email)],
    ['the token of a member', () => basic(own.token)],
    [
      'a key that nobody has',
      () => basic(`${own.key.slice(0, -1)}${own.key.endsWith('x') ? 'y' : 'x'}`),
    ],
    ['a key as the user name', () => basic('', own.key)],
    ['a key without a user name', () => `Basic ${Buffer.from(own.key).toString('base64')}`],
    ['no base64', () => 'Basic !!!'],
    ['nothing', () => 'Basic '],
  ])('lets nobody in with %s', async (_name, authorization) => {
    expect((await me(authorization())).status).toBe(401);
  });

  it('of a revoked key is revoked with it', async () => {
    const { body } = await rest<{ id: string; key: string }>(app, 'POST', '/api-keys', {
      credential: own.token,
      body: { keyType: 'service', name: 'bi' },
    });
    expect((await me(basic(body.key))).status).toBe(200);
    await rest(app, 'DELETE', `/api-keys/${body.id}`, { credential: own.token });
    expect((await me(basic(body.key))).status).toBe(401);
  });
});
