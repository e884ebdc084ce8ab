import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, outcome, PASSWORD } from '../../journeys/people.js';
import { graphql, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

function register(email: string, body: Record<string, unknown> = {}) {
  return rest<Record<string, Record<string, unknown>> & ErrorBody>(app, 'POST', '/auth/register', {
    body: { email, password: PASSWORD, organization: 'ООО Ромашка', ...body },
  });
}

async function countRows(table: string): Promise<number> {
  const sql = `SELECT count(*)::int AS count FROM ${table}`;
  const { rows } = await app.owner.pool.query<{ count: number }>(sql);
  return rows[0]?.count ?? -1;
}

describe('registration', () => {
  it('answers with tenant, project, account, owner and the credentials of a login', async () => {
    const { status, body } = await register('first@example.test');
    expect(status).toBe(200);
    expect(body).toEqual({
      tenant: { id: expect.any(String), name: 'ООО Ромашка', plan: 'prepaid' },
      project: { id: expect.any(String), name: 'default' },
      account: { id: expect.any(String), currency: 'RUB' },
      user: { id: expect.any(String), email: 'first@example.test', role: 'owner' },
      accessToken: expect.stringMatching(/^eyJ/),
      refreshToken: expect.stringMatching(/^gw_rt_/),
      tokenType: 'Bearer',
      expiresIn: 900,
    });
  });

  it('says of a taken e-mail, in whatever case, that it cannot be registered', async () => {
    await register('taken@example.test');
    const { status, body } = await register('Taken@Example.TEST');
    const { request_id, doc_url, ...shown } = body.error;
    expect({ status, shown }).toEqual({
      status: 409,
      shown: {
        message: 'This e-mail cannot be registered.',
        type: 'conflict_error',
        param: 'email',
        code: 'email_taken',
      },
    });
  });

  it('leaves nothing behind when it is refused, since it is one transaction', async () => {
    await register('once@example.test');
    const tables = ['tenant', 'project', 'account', 'app_user', 'session', 'audit_event'];
    const before = await Promise.all(tables.map(countRows));
    expect(outcome(await register('once@example.test'))).toBe('409 email_taken');
    expect(await Promise.all(tables.map(countRows))).toEqual(before);
  });

  it('makes one tenant of requests that race for one e-mail', async () => {
    const before = await countRows('tenant');
    const answers = await Promise.all([1, 2, 3, 4].map(() => register('race@example.test')));
    expect(answers.map(outcome).sort()).toEqual([
      '200',
      '409 email_taken',
      '409 email_taken',
      '409 email_taken',
    ]);
    expect(await countRows('tenant')).toBe(before + 1);
  });

  it('names every fault of its body at once', async () => {
    const { status, body } = await register('no e-mail', { password: 'short', organization: ' ' });
    expect(status).toBe(400);
    expect(body.error.faults?.map(({ path, code }) => ({ path, code }))).toEqual([
      { path: 'email', code: 'invalid' },
      { path: 'password', code: 'out_of_range' },
      { path: 'organization', code: 'out_of_range' },
    ]);
  });

  it('refuses text that cannot be stored, by name', async () => {
    const answer = await register('nul@example.test', { organization: 'a\u0000b' });
    expect(outcome(answer)).toBe('400 invalid_request');
    expect(answer.body.error.param).toBe('organization');
  });

  it('stores a password as argon2id only', async () => {
    await register('hash@example.test');
    const { rows } = await app.owner.pool.query<{ password_hash: string }>(
      "SELECT password_hash FROM app_user WHERE email = 'hash@example.test'",
    );
    expect(rows[0]?.password_hash).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$/);
  });
});

describe('login', () => {
  it('takes the e-mail in whatever case and answers over REST and GraphQL alike', async () => {
    await register('login@example.test');
    const answer = await rest(app, 'POST', '/auth/login', {
      body: { email: ' Login@example.test', password: PASSWORD },
    });
    const user = { id: expect.any(String), email: 'login@example.test', role: 'owner' };
    expect(answer.body).toEqual({
      user,
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: 900,
    });
    const { data } = await graphql(
      app,
      `mutation($password: String!) {
        authLogin(email: "login@example.test", password: $password) {
          user { id email role } tokenType
        }
      }`,
      { password: PASSWORD },
    );
    expect(data).toEqual({ authLogin: { user, tokenType: 'Bearer' } });
  });

  it('answers a wrong password and an unknown e-mail alike', async () => {
    await register('known@example.test');
    const shown = async (email: string) => {
      const { status, body } = await rest<ErrorBody>(app, 'POST', '/auth/login', {
        body: { email, password: 'not the password' },
      });
      const { request_id, ...error } = body.error;
      return { status, error };
    };
    const wrong = await shown('known@example.test');
    expect(wrong).toMatchObject({ status: 401, error: { code: 'invalid_login' } });
    expect(await shown('unknown@example.test')).toEqual(wrong);
  });

  it('is refused to members of a suspended organization, and so are their tokens', async () => {
    const { body } = await register('suspended@example.test');
    await app.owner.pool.query("UPDATE tenant SET status = 'suspended' WHERE id = $1", [
      body.tenant?.id,
    ]);
    const credential = String(body.accessToken);
    expect(outcome(await rest(app, 'GET', '/me', { credential }))).toBe('403 tenant_suspended');
    const login = { email: 'suspended@example.test', password: PASSWORD };
    const answer = await rest(app, 'POST', '/auth/login', { body: login });
    expect(outcome(answer)).toBe('403 tenant_suspended');
  });
});
