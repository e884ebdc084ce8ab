import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chat,
  freshEmail,
  invite,
  newKey,
  newMember,
  outcome,
  PASSWORD,
} from '../../journeys/people.js';
import { openSocket } from '../../journeys/sockets.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
});
afterAll(() => app.stop());

function accept(body: Record<string, unknown>) {
  return rest(app, 'POST', '/auth/accept-invite', { body: { password: PASSWORD, ...body } });
}

async function codeOf(credential: string, text: string, variables: Record<string, unknown>) {
  const { errors } = await graphql(app, text, variables, credential);
  return errors?.map(({ extensions }) => extensions.code);
}

const CREATE = `mutation($email: String!, $role: Role!) {
  inviteCreate(email: $email, role: $role) { token invite { id email role acceptedAt revokedAt } }
}`;
const REMOVE = 'mutation($id: ID!) { memberRemove(id: $id) { id status } }';
const REMOVE_KEEPING = 'mutation($id: ID!) { memberRemove(id: $id, descendants: keep) { id } }';
const CHANGE =
  'mutation($id: ID!, $role: Role!) { memberChangeRole(id: $id, role: $role) { role } }';

describe('an invite', () => {
  it('brings a member of its role into the organization and logs the member in', async () => {
    const { data } = await graphql(
      app,
      CREATE,
      { email: 'Finance@example.test', role: 'finance' },
      owner.token,
    );
    expect(data).toEqual({
      inviteCreate: {
        token: expect.stringMatching(/^gw_in_/),
        invite: {
          id: expect.any(String),
          email: 'finance@example.test',
          role: 'finance',
          acceptedAt: null,
          revokedAt: null,
        },
      },
    });
    const { token } = (data as { inviteCreate: { token: string } }).inviteCreate;
    const joined = await accept({ token, email: 'FINANCE@example.test' });
    expect(joined.body).toEqual({
      user: { id: expect.any(String), email: 'finance@example.test', role: 'finance' },
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: 900,
    });
    const credential = String((joined.body as Record<string, unknown>).accessToken);
    const me = await rest<{ role: string; tenant: { id: string } }>(app, 'GET', '/me', {
      credential,
    });
    expect([me.body.role, me.body.tenant.id]).toEqual(['finance', owner.tenantId]);
  });

  it('works once, also when requests race for it', async () => {
    const { token } = await invite(app, owner.token, 'viewer');
    const answers = await Promise.all([1, 2, 3].map(() => accept({ token })));
    expect(answers.map(outcome).sort()).toEqual([
      '200',
      '400 invalid_invite',
      '400 invalid_invite',
    ]);
    expect(outcome(await accept({ token }))).toBe('400 invalid_invite');
  });

  it('is bound to its e-mail, ends with its time and when it is withdrawn', async () => {
    const bound = await invite(app, owner.token, 'viewer');
    const other = { token: bound.token, email: 'somebody@example.test' };
    expect(outcome(await accept(other))).toBe('400 invalid_invite');

    const late = await invite(app, owner.token, 'viewer');
    const { pool } = app.owner;
    await pool.query("UPDATE invite SET expires_at = now() - interval '1 second' WHERE id = $1", [
      late.id,
    ]);
    expect(outcome(await accept({ token: late.token }))).toBe('400 invalid_invite');

    const revoke = 'mutation($id: ID!) { inviteRevoke(id: $id) { revokedAt } }';
    expect(await codeOf(owner.token, revoke, { id: bound.id })).toBeUndefined();
    expect(outcome(await accept({ token: bound.token }))).toBe('400 invalid_invite');
    expect(await codeOf(owner.token, revoke, { id: bound.id })).toEqual(['not_found']);
    expect(outcome(await accept({ token: 'gw_in_unknown' }))).toBe('400 invalid_invite');
  });

  it('for somebody who has an account is refused and stays open', async () => {
    const elsewhere = await newCustomer(app);
    const { token, id } = await invite(app, owner.token, 'viewer', elsewhere.email);
    expect(outcome(await accept({ token }))).toBe('409 email_taken');
    const { data } = await graphql<{ node: { acceptedAt: string | null } }>(
      app,
      'query($id: ID!) { node(id: $id) { ... on Invite { acceptedAt } } }',
      { id },
      owner.token,
    );
    expect(data.node.acceptedAt).toBeNull();
  });

  it('lets who was removed join again as somebody new, there and elsewhere', async () => {
    const former = await newMember(app, owner.token, 'admin');
    const { email } = former;
    const password = 'another horse battery';
    expect(await codeOf(owner.token, REMOVE, { id: former.userId })).toBeUndefined();
    const again = await invite(app, owner.token, 'viewer', email);
    const elsewhere = await invite(app, (await newCustomer(app)).token, 'viewer', email);
    const both = await Promise.all(
      [again, elsewhere].map(({ token }) => accept({ token, password })),
    );
    expect(both.map(outcome).sort()).toEqual(['200', '409 email_taken']);
    const joined = both.find(({ status }) => status === 200)?.body as { user: { id: string } };
    expect(joined.user).toEqual({ id: expect.any(String), email, role: 'viewer' });
    expect(joined.user.id).not.toBe(former.userId);
    const gone = await rest(app, 'GET', '/me', { credential: former.token });
    expect(outcome(gone)).toBe('401 invalid_token');
    const { rows } = await app.owner.pool.query(
      'SELECT status, role FROM app_user WHERE email = $1 ORDER BY created_at',
      [email],
    );
    expect(rows).toEqual([
      { status: 'removed', role: 'admin' },
      { status: 'active', role: 'viewer' },
    ]);
    const logIn = (shown: string) =>
      rest(app, 'POST', '/auth/login', { body: { email, password: shown } });
    expect(outcome(await logIn(PASSWORD))).toBe('401 invalid_login');
    expect(outcome(await logIn(password))).toBe('200');
  });

  it('cannot give a role above the inviter, nor come from a key', async () => {
    const admin = await newMember(app, owner.token, 'admin');
    const service = await newKey(app, owner.token, 'service');
    const asked = { email: freshEmail(), role: 'owner' };
    expect(await codeOf(admin.token, CREATE, asked)).toEqual(['permission_denied']);
    expect(await codeOf(admin.token, CREATE, { ...asked, role: 'admin' })).toBeUndefined();
    const viewer = { ...asked, role: 'viewer' };
    expect(await codeOf(service.key, CREATE, viewer)).toEqual(['permission_denied']);
  });

  it('works no longer than whoever has sent it could send it', async () => {
    const admin = await newMember(app, owner.token, 'admin');
    const above = await invite(app, admin.token, 'admin');
    const below = await invite(app, admin.token, 'viewer');
    const lessen = { id: admin.userId, role: 'developer' };
    expect(await codeOf(owner.token, CHANGE, lessen)).toBeUndefined();
    expect(outcome(await accept({ token: above.token }))).toBe('400 invalid_invite');
    const restore = { id: admin.userId, role: 'admin' };
    expect(await codeOf(owner.token, CHANGE, restore)).toBeUndefined();
    expect(outcome(await accept({ token: below.token }))).toBe('200');
    expect(await codeOf(owner.token, REMOVE, { id: admin.userId })).toBeUndefined();
    expect(outcome(await accept({ token: above.token }))).toBe('400 invalid_invite');
  });
});

describe('a member', () => {
  it('that is removed has no token, refresh or login from the next request on', async () => {
    const member = await newMember(app, owner.token, 'developer');
    expect(outcome(await chat(app, member.token))).toBe('200');
    const socket = await openSocket(app, member.token);
    const { data } = await graphql(app, REMOVE, { id: member.userId }, owner.token);
    expect(await socket.closed).toBe(4403);
    expect(data).toEqual({ memberRemove: { id: member.userId, status: 'removed' } });
    expect(outcome(await rest(app, 'GET', '/me', { credential: member.token }))).toBe(
      '401 invalid_token',
    );
    expect(outcome(await chat(app, member.token))).toBe('401 invalid_token');
    const refreshed = await rest(app, 'POST', '/auth/refresh', {
      body: { refreshToken: member.refreshToken },
    });
    expect(outcome(refreshed)).toBe('401 invalid_token');
    const login = await rest(app, 'POST', '/auth/login', {
      body: { email: member.email, password: PASSWORD },
    });
    expect(outcome(login)).toBe('401 invalid_login');
    expect(await codeOf(owner.token, REMOVE, { id: member.userId })).toEqual(['not_found']);
  });

  it('that is removed has no key or token left but what is kept for the organization', async () => {
    const member = await newMember(app, owner.token, 'developer');
    const [standard, agent, service] = await Promise.all(
      ['standard', 'agent', 'service'].map((type) => newKey(app, member.token, type)),
    );
    const keys = [standard, agent, service].map((each) => each?.key ?? '');
    const others = (await newKey(app, owner.token, 'standard')).key;
    const tokens: string[] = [];
    for (const credential of [member.token, ...keys, others]) {
      const path = '/v1/gw/abuse/ephemeral-tokens';
      const issued = await rest<{ token?: string }>(app, 'POST', path, { credential, body: {} });
      tokens.push(issued.body.token ?? '');
    }
    // An agent's key issues no tokens.
    const [own = '', ofStandard = '', , ofService = '', ofOthers = ''] = tokens;
    const ended = [keys[0] ?? '', keys[1] ?? '', own, ofStandard];
    const kept = [keys[2] ?? '', ofService, others, ofOthers];
    for (const each of [...ended, ...kept]) expect(outcome(await chat(app, each))).toBe('200');
    const socket = await openSocket(app, ofStandard);
    await graphql(app, REMOVE_KEEPING, { id: member.userId }, owner.token);
    expect(await socket.closed).toBe(4403);
    for (const each of ended) expect(outcome(await chat(app, each))).toBe('401 api_key_revoked');
    for (const each of kept) expect(outcome(await chat(app, each))).toBe('200');
  });

  it('that is removed while it makes keys and tokens leaves none that works', async () => {
    const path = '/v1/gw/abuse/ephemeral-tokens';
    for (let round = 0; round < 6; round++) {
      const { token: credential, userId: id } = await newMember(app, owner.token, 'developer');
      const [key, token] = await Promise.all([
        rest<{ key?: string }>(app, 'POST', '/api-keys', {
          credential,
          body: { keyType: 'agent' },
        }),
        rest<{ token?: string }>(app, 'POST', path, { credential, body: {} }),
        graphql(app, REMOVE, { id }, owner.token),
      ]);
      for (const made of [key.body.key, token.body.token]) {
        if (made) expect(outcome(await chat(app, made))).toBe('401 api_key_revoked');
      }
      expect([200, 401]).toContain(key.status);
      expect([200, 401]).toContain(token.status);
    }
  });

  it('has a changed role at the next request of the same token', async () => {
    const member = await newMember(app, owner.token, 'viewer');
    expect(outcome(await chat(app, member.token))).toBe('403 permission_denied');
    await graphql(app, CHANGE, { id: member.userId, role: 'developer' }, owner.token);
    expect(outcome(await chat(app, member.token))).toBe('200');
    await graphql(app, CHANGE, { id: member.userId, role: 'viewer' }, owner.token);
    expect(outcome(await chat(app, member.token))).toBe('403 permission_denied');
  });

  it('of a role above cannot be changed or removed', async () => {
    const admin = await newMember(app, owner.token, 'admin');
    const asOwner = { id: owner.userId };
    expect(await codeOf(admin.token, REMOVE, asOwner)).toEqual(['permission_denied']);
    const demote = { ...asOwner, role: 'viewer' };
    expect(await codeOf(admin.token, CHANGE, demote)).toEqual(['permission_denied']);
    const promote = { id: admin.userId, role: 'owner' };
    expect(await codeOf(admin.token, CHANGE, promote)).toEqual(['permission_denied']);
  });
});

describe('the last owner', () => {
  it('stays an owner and a member', async () => {
    const alone = await newCustomer(app);
    const demote = { id: alone.userId, role: 'admin' };
    expect(await codeOf(alone.token, CHANGE, demote)).toEqual(['invalid_request']);
    expect(await codeOf(alone.token, REMOVE, { id: alone.userId })).toEqual(['invalid_request']);
    const me = await rest<{ role: string }>(app, 'GET', '/me', { credential: alone.token });
    expect(me.body.role).toBe('owner');
  });

  it('stays also when two owners remove each other at once', async () => {
    const first = await newCustomer(app);
    const second = await newMember(app, first.token, 'owner');
    await Promise.all([
      graphql(app, REMOVE, { id: second.userId }, first.token),
      graphql(app, REMOVE, { id: first.userId }, second.token),
    ]);
    const { rows } = await app.owner.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM app_user
       WHERE tenant_id = $1 AND role = 'owner' AND status = 'active'`,
      [first.tenantId],
    );
    expect(rows[0]?.count).toBe(1);
  });
});

describe('projects', () => {
  it('are created with a name that is unique in the organization', async () => {
    const create = 'mutation($name: String!) { projectCreate(name: $name) { id name } }';
    const { data } = await graphql(app, create, { name: ' Support ' }, owner.token);
    expect(data).toEqual({ projectCreate: { id: expect.any(String), name: 'Support' } });
    expect(await codeOf(owner.token, create, { name: 'Support' })).toEqual(['invalid_request']);
    const elsewhere = await newCustomer(app);
    expect(await codeOf(elsewhere.token, create, { name: 'Support' })).toBeUndefined();
    const listed = await rest<{ data: { name: string }[] }>(app, 'GET', '/projects', {
      credential: owner.token,
    });
    expect(listed.body.data.map(({ name }) => name)).toEqual(['Support', 'default']);
  });
});
