import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keysOfAllTimes } from '../../../src/access/auth/signing-keys.js';
import { logFindings } from '../../../src/assurance/transparency/verify.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { verified } from './verifying.js';

let app: TestApp;
let customer: Customer;
let other: Customer;

beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
  other = await newCustomer(app);
});
afterAll(() => app.stop());

async function grow(whose: Customer): Promise<void> {
  const body = { amount_rub: 1 };
  await rest(app, 'POST', '/billing/top-up/manual', { credential: whose.token, body });
}

interface Point {
  readonly id: string;
  readonly statement: string;
}

const PATH = '/v1/gw/transparency';
const get = async <T = Point>(path: string, who = customer) =>
  (await rest<T>(app, 'GET', `${PATH}${path}`, { credential: who.token })).body;
const exported = (who = customer) => get<string>('/export', who);
const published = async () =>
  (await rest<{ keys: object[] }>(app, 'GET', '/.well-known/jwks.json')).body;

/** Whoever has tokens of a key that was retired takes new ones. */
async function signedIn(whose: Customer): Promise<Customer> {
  const { refreshToken } = whose;
  const { body } = await rest<{ accessToken: string; refreshToken: string }>(
    app,
    'POST',
    '/auth/refresh',
    { body: { refreshToken } },
  );
  return { ...whose, token: body.accessToken, refreshToken: body.refreshToken };
}

describe('the log of an organization', () => {
  it('verifies by the keys of now when those of then are published no more', async () => {
    await grow(customer);
    await grow(other);
    const stolen = await published();
    const [, theirs] = [await exported(), await exported(other)];
    expect((await verified(stolen, theirs)).code).toBe(0);
    await grow(customer);
    const before = await get('/checkpoint');
    const { platformPool, tokens } = app.server.services;
    await app.owner.pool.query('UPDATE signing_key SET retired_at = now(), rotated_at = now()');
    await tokens.reload();
    [customer, other] = [await signedIn(customer), await signedIn(other)];
    const keys = await published();
    expect((await verified(keys, `${JSON.stringify(before)}\n`)).code).toBe(1);
    const now = await get('/checkpoint');
    expect(now).toEqual({ ...before, statement: expect.any(String) });
    expect(now.statement).not.toBe(before.statement);
    const kept = `${JSON.stringify(await get(`/checkpoints/${before.id}`))}\n`;
    expect((await verified(keys, await exported(), kept)).code).toBe(0);
    expect((await verified(keys, await exported(other))).code).toBe(0);
    await grow(customer);
    expect((await verified(keys, await exported(), kept)).code).toBe(0);
    expect((await verified(stolen, await exported())).code).toBe(1);
    expect(await logFindings(platformPool, await keysOfAllTimes(platformPool))).toEqual([]);
  });
});
