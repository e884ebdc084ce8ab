import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../../journeys/people.js';
import { openSocket } from '../../journeys/sockets.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app);
});
afterAll(() => app.stop());

async function jwks(): Promise<JSONWebKeySet> {
  const { body } = await rest<JSONWebKeySet>(app, 'GET', '/.well-known/jwks.json');
  return body;
}

function me(credential: string) {
  return rest(app, 'GET', '/me', { credential });
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

describe('access tokens', () => {
  it('verify by the published keys with a standard library', async () => {
    const { payload, protectedHeader } = await jwtVerify(
      owner.token,
      createLocalJWKSet(await jwks()),
      { algorithms: ['EdDSA'], issuer: 'gw', audience: 'gw', typ: 'at+jwt' },
    );
    expect({ payload, protectedHeader }).toEqual({
      payload: {
        sub: owner.userId,
        tenant: owner.tenantId,
        family: expect.any(String),
        iss: 'gw',
        aud: 'gw',
        iat: expect.any(Number),
        exp: (payload.iat ?? 0) + 900,
      },
      protectedHeader: { alg: 'EdDSA', typ: 'at+jwt', kid: expect.any(String) },
    });
  });

  it('publish public halves alone', async () => {
    const { keys } = await jwks();
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([
      ['alg', 'crv', 'kid', 'kty', 'use', 'x'],
    ]);
  });

  it('are refused with any other algorithm than the pinned one, whatever they claim', async () => {
    const claims = decodeJwt(owner.token);
    const { kid } = decodeProtectedHeader(owner.token);
    const [key] = (await jwks()).keys;
    const typ = 'at+jwt';
    const unsigned = `${base64url({ alg: 'none', typ, kid })}.${base64url(claims)}.`;
    const signature = owner.token.split('.')[2];
    const renamed = `${base64url({ alg: 'none', typ, kid })}.${base64url(claims)}.${signature}`;
    const byPublicKey = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ, kid })
      .sign(Buffer.from(String(key?.x), 'base64url'));
    const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    const byOtherKey = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', typ, kid })
      .sign(privateKey);
    const forged = [unsigned, renamed, byPublicKey, byOtherKey];
    expect(await Promise.all(forged.map(async (token) => outcome(await me(token))))).toEqual(
      forged.map(() => '401 invalid_token'),
    );
  });

  it('are refused with claims that were changed, and as anything but whole tokens', async () => {
    const [header, , signature] = owner.token.split('.');
    const changed = { ...decodeJwt(owner.token), sub: '01977c2a-5b1e-7003-8000-3f2b9c4d5e6f' };
    const texts = [
      `${header}.${base64url(changed)}.${signature}`,
      'a.b.c',
      'x',
      owner.refreshToken,
    ];
    expect(await Promise.all(texts.map(async (token) => outcome(await me(token))))).toEqual(
      texts.map(() => '401 invalid_token'),
    );
  });

  it('are refused without a reason that helps to guess: absent credentials say so', async () => {
    expect(outcome(await rest(app, 'GET', '/me'))).toBe('401 missing_credential');
    const basic = await rest(app, 'GET', '/me', { headers: { authorization: 'Basic eDp5' } });
    expect(outcome(basic)).toBe('401 unusable_credential');
    expect(basic.headers.get('www-authenticate')).toBe('Bearer');
  });
});

describe('refresh tokens', () => {
  interface Tokens {
    readonly accessToken: string;
    readonly refreshToken: string;
  }
  const refresh = (refreshToken: string) =>
    rest<Tokens>(app, 'POST', '/auth/refresh', { body: { refreshToken } });

  it('are exchanged for new tokens that work', async () => {
    const { refreshToken } = await newCustomer(app);
    const { status, body } = await refresh(refreshToken);
    expect(status).toBe(200);
    expect(body).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.stringMatching(/^gw_rt_/),
      tokenType: 'Bearer',
      expiresIn: 900,
    });
    expect(body.refreshToken).not.toBe(refreshToken);
    expect(outcome(await me(body.accessToken))).toBe('200');
  });

  it('that are used twice close the whole login: every token of it ends', async () => {
    const customer = await newCustomer(app);
    const { body: second } = await refresh(customer.refreshToken);
    const { body: third } = await refresh(second.refreshToken);
    expect(outcome(await refresh(customer.refreshToken))).toBe('401 invalid_token');
    const ended = [customer.token, second.accessToken, third.accessToken];
    expect(await Promise.all(ended.map(async (token) => outcome(await me(token))))).toEqual(
      ended.map(() => '401 invalid_token'),
    );
    expect(outcome(await refresh(third.refreshToken))).toBe('401 invalid_token');
  });

  it('that are used twice close the sockets of the login too', async () => {
    const customer = await newCustomer(app);
    const socket = await openSocket(app, customer.token);
    await refresh(customer.refreshToken);
    await refresh(customer.refreshToken);
    expect(await socket.closed).toBe(4403);
  });

  it('end one login alone: another one of the same member goes on', async () => {
    const customer = await newCustomer(app);
    const { body: other } = await rest<Tokens>(app, 'POST', '/auth/login', {
      body: { email: customer.email, password: 'correct horse battery' },
    });
    await refresh(customer.refreshToken);
    await refresh(customer.refreshToken);
    expect(outcome(await me(customer.token))).toBe('401 invalid_token');
    expect(outcome(await me(other.accessToken))).toBe('200');
    expect(outcome(await refresh(other.refreshToken))).toBe('200');
  });

  it('are given once by requests that race, and the loser closes the login', async () => {
    const customer = await newCustomer(app);
    const answers = await Promise.all([1, 2].map(() => refresh(customer.refreshToken)));
    expect(answers.map(outcome).sort()).toEqual(['200', '401 invalid_token']);
    expect(outcome(await me(customer.token))).toBe('401 invalid_token');
  });

  it('are stored as hashes, and are refused after their time and when unknown', async () => {
    const customer = await newCustomer(app);
    const { pool } = app.owner;
    const { rows } = await pool.query<{ token_hash: Buffer }>(
      'SELECT token_hash FROM session WHERE user_id = $1',
      [customer.userId],
    );
    expect(rows.map((row) => row.token_hash.length)).toEqual([32]);
    await pool.query(
      "UPDATE session SET expires_at = now() - interval '1 second' WHERE user_id = $1",
      [customer.userId],
    );
    expect(outcome(await refresh(customer.refreshToken))).toBe('401 invalid_token');
    expect(outcome(await refresh('gw_rt_unknown'))).toBe('401 invalid_token');
  });
});
