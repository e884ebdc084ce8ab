import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, type Member, newMember, outcome, PASSWORD } from '../../journeys/people.js';
import { openSocket } from '../../journeys/sockets.js';
import { type Customer, graphql, newCustomer, type TestApp } from '../../support/app.js';
import { codeOf, enrol, type Factor, newFactor } from './authenticator.js';
import { codesOf, logIn, me, type Nodes, openFeed, startNodes } from './nodes.js';

let nodes: Nodes;
let app: TestApp;
let second: TestApp;
let owner: Customer;
beforeAll(async () => {
  nodes = await startNodes();
  ({ first: app, second } = nodes);
  owner = await newCustomer(app, 500);
});
afterAll(() => nodes?.stop());

const STATE = '{ authSecondFactor { enabled confirmedAt recoveryCodesLeft required } }';
const CONFIRM = `mutation($code: String!) {
  authSecondFactorConfirm(code: $code) { recoveryCodes endedSessions }
}`;
const REMOVE = `mutation($password: String!, $code: String!) {
  authSecondFactorRemove(password: $password, code: $code) { endedSessions }
}`;
const RENEW = 'mutation($code: String!) { authRecoveryCodesRenew(code: $code) { recoveryCodes } }';
const REMOVE_OF = 'mutation($id: ID!) { memberSecondFactorRemove(id: $id) { id } }';
const REQUIRE =
  'mutation($on: Boolean!) { organizationSecondFactorSet(required: $on) { secondFactorRequired } }';

/** A member with a second factor. */
async function guarded(role: 'viewer' | 'admin' = 'viewer'): Promise<Member & Factor> {
  const member = await newMember(app, owner.token, role);
  return { ...member, ...(await newFactor(app, member.token)) };
}

async function stateOf(credential: string): Promise<unknown> {
  return (await graphql(app, STATE, {}, credential)).data;
}

/** What is kept of the second factor of a member. */
async function rowOf({ userId }: Member): Promise<Record<string, unknown>> {
  const { rows } = await app.owner.pool.query('SELECT * FROM second_factor WHERE user_id = $1', [
    userId,
  ]);
  return rows[0];
}

describe('a second factor', () => {
  it('counts from its confirmation on, and ends sessions that were opened without', async () => {
    const { email, token } = await newMember(app, owner.token, 'viewer');
    const off = { enabled: false, confirmedAt: null, recoveryCodesLeft: 0, required: false };
    expect(await stateOf(token)).toEqual({ authSecondFactor: off });
    const secret = await enrol(app, token);
    const { body: other } = await logIn(second, email);
    const socket = await openSocket(second, other.accessToken);
    expect(await codesOf(app, token, CONFIRM, { code: '000000' })).toEqual([
      'invalid_second_factor',
    ]);
    expect(await stateOf(token)).toEqual({ authSecondFactor: off });
    const { data } = await graphql(second, CONFIRM, { code: codeOf(secret) }, token);
    expect(data).toEqual({
      authSecondFactorConfirm: {
        recoveryCodes: Array.from({ length: 10 }, () =>
          expect.stringMatching(/^(\w{4}-){3}\w{4}$/),
        ),
        endedSessions: 1,
      },
    });
    expect(outcome(await me(app, other.accessToken))).toBe('401 invalid_token');
    expect(await socket.closed).toBe(4403);
    expect(outcome(await me(second, token))).toBe('200');
    const on = { enabled: true, confirmedAt: expect.any(String), recoveryCodesLeft: 10 };
    expect(await stateOf(token)).toEqual({ authSecondFactor: { ...on, required: false } });
    expect(await codesOf(app, token, CONFIRM, { code: codeOf(secret, 1) })).toEqual([
      'second_factor_missing',
    ]);
    const again = 'mutation($p: String!) { authSecondFactorEnroll(password: $p) { uri } }';
    expect(await codesOf(app, token, again, { p: PASSWORD })).toEqual(['second_factor_exists']);
    expect(await codesOf(app, token, again, { p: 'a guess' })).toEqual(['invalid_request']);
    expect(await codesOf(app, owner.key, STATE)).toEqual(['permission_denied']);
  });

  it('is asked for at each login, and only where the password is right', async () => {
    const { email, secret } = await guarded();
    expect(outcome(await logIn(app, email))).toBe('401 second_factor_required');
    expect(outcome(await logIn(app, email, { password: 'a guess of it' }))).toBe(
      '401 invalid_login',
    );
    const wrong = { password: 'a guess of it', code: codeOf(secret) };
    expect(outcome(await logIn(app, email, wrong))).toBe('401 invalid_login');
    expect(outcome(await logIn(second, email, { code: codeOf(secret) }))).toBe('200');
  });

  it('takes each code once, and none before one that was taken', async () => {
    const { email, secret } = await guarded();
    const [before, now, next] = [codeOf(secret, -1), codeOf(secret), codeOf(secret, 1)];
    const tried = [before, next, next, now];
    const outcomes: string[] = [];
    for (const [at, code] of tried.entries()) {
      outcomes.push(outcome(await logIn(at % 2 ? app : second, email, { code })));
    }
    const refused = '401 invalid_second_factor';
    expect(outcomes).toEqual([refused, '200', refused, refused]);
  });

  it('lets in one of the logins that show one code at once on two nodes', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { email, secret, recoveryCodes } = await guarded();
      for (const code of [codeOf(secret, 1), recoveryCodes[0]]) {
        const answers = await Promise.all(
          [app, second].map((each) => logIn(each, email, { code })),
        );
        expect(answers.map(outcome).sort()).toEqual(['200', '401 invalid_second_factor']);
      }
    }
  });

  it('bounds guesses on all nodes together, and a recovery code still lets in', async () => {
    const member = await guarded();
    const { email, secret, recoveryCodes } = member;
    await app.owner.pool.query('UPDATE second_factor SET failures = 8 WHERE user_id = $1', [
      member.userId,
    ]);
    // A key of idempotency undoes no count: whoever has one could guess for ever.
    const keyed = { authorization: `Bearer ${owner.token}`, 'idempotency-key': randomUUID() };
    const first = await logIn(app, email, { code: '000000' }, keyed);
    expect(outcome(first)).toBe('401 invalid_second_factor');
    expect(await rowOf(member)).toMatchObject({ failures: 9, locked_until: null });
    expect(outcome(await logIn(second, email, { code: 'ABCD-ABCD-ABCD-ABCD' }))).toBe(
      '401 invalid_second_factor',
    );
    const locked = await logIn(app, email, { code: codeOf(secret, 1) });
    expect(outcome(locked)).toBe('429 second_factor_locked');
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(3_500);
    expect(outcome(await logIn(second, email, { code: recoveryCodes[3] }))).toBe('200');
    expect(outcome(await logIn(app, email, { code: codeOf(secret, 1) }))).toBe('200');
  });

  it('is kept sealed, and its recovery codes as keyed hashes', async () => {
    const member = await guarded();
    const { rows } = await app.owner.pool.query(
      'SELECT to_jsonb(c) AS row FROM recovery_code c WHERE user_id = $1',
      [member.userId],
    );
    expect(rows).toHaveLength(10);
    const { last_step: _, ...factor } = await rowOf(member);
    const kept = JSON.stringify([rows, factor]);
    for (const each of [member.secret, ...member.recoveryCodes]) expect(kept).not.toContain(each);
    const { secret_sealed: sealed } = await rowOf(member);
    // Sealed for its member: with the row of another one it opens nothing.
    const other = await guarded();
    await app.owner.pool.query('UPDATE second_factor SET secret_sealed = $2 WHERE user_id = $1', [
      other.userId,
      sealed,
    ]);
    const answer = await logIn(app, other.email, { code: codeOf(member.secret) });
    expect(outcome(answer)).toBe('500 internal_error');
  });

  it('is still asked for after the password was set by a link', async () => {
    const { email, userId, secret } = await guarded();
    const issue = 'mutation($id: ID!) { memberPasswordResetIssue(id: $id) { token } }';
    const issued = await graphql<{ memberPasswordResetIssue: { token: string } }>(
      app,
      issue,
      { id: userId },
      owner.token,
    );
    const { token } = issued.data.memberPasswordResetIssue;
    const reset = `mutation($token: String!) {
      authPasswordReset(token: $token, newPassword: "a long new password") { endedSessions }
    }`;
    expect(await codesOf(app, undefined, reset, { token })).toBeUndefined();
    const password = 'a long new password';
    expect(outcome(await logIn(app, email, { password }))).toBe('401 second_factor_required');
    expect(outcome(await logIn(app, email, { password, code: codeOf(secret) }))).toBe('200');
  });
});

describe('recovery codes', () => {
  it('let in once each, and are renewed by a code', async () => {
    const { email, token, secret, recoveryCodes } = await guarded();
    const [first = '', next] = recoveryCodes;
    const typed = first.replaceAll('-', ' ').toLowerCase();
    expect(outcome(await logIn(app, email, { code: typed }))).toBe('200');
    expect(outcome(await logIn(second, email, { code: first }))).toBe('401 invalid_second_factor');
    expect(await stateOf(token)).toMatchObject({ authSecondFactor: { recoveryCodesLeft: 9 } });
    const { data } = await graphql<{ authRecoveryCodesRenew: { recoveryCodes: string[] } }>(
      app,
      RENEW,
      { code: codeOf(secret) },
      token,
    );
    const [renewed] = data.authRecoveryCodesRenew.recoveryCodes;
    expect(outcome(await logIn(app, email, { code: next }))).toBe('401 invalid_second_factor');
    expect(outcome(await logIn(app, email, { code: renewed }))).toBe('200');
  });

  it('of one member are nothing to another', async () => {
    const [one, other] = [await guarded(), await guarded()];
    const answer = await logIn(app, one.email, { code: other.recoveryCodes[0] });
    expect(outcome(answer)).toBe('401 invalid_second_factor');
    expect(outcome(await logIn(app, other.email, { code: other.recoveryCodes[0] }))).toBe('200');
  });
});

describe('the second factor is removed', () => {
  it('by its member with password and code alone, and the other sessions end', async () => {
    const { email, token, secret, recoveryCodes } = await guarded();
    const { body: other } = await logIn(app, email, { code: recoveryCodes[0] });
    const remove = (password: string, code: string) =>
      codesOf(app, token, REMOVE, { password, code });
    expect(await remove('a guess', codeOf(secret))).toEqual(['invalid_request']);
    expect(await remove(PASSWORD, '000000')).toEqual(['invalid_second_factor']);
    expect(await remove(PASSWORD, codeOf(secret))).toBeUndefined();
    expect(outcome(await me(second, other.accessToken))).toBe('401 invalid_token');
    expect(outcome(await logIn(app, email))).toBe('200');
    expect(await remove(PASSWORD, codeOf(secret, 1))).toEqual(['second_factor_missing']);
  });

  it('by an owner or admin for a member who lost it, whose sessions end', async () => {
    const lost = await guarded();
    const socket = await openSocket(second, lost.token);
    const { data } = await graphql(app, REMOVE_OF, { id: lost.userId }, owner.token);
    expect(data).toEqual({ memberSecondFactorRemove: { id: lost.userId } });
    expect(outcome(await me(second, lost.token))).toBe('401 invalid_token');
    expect(await socket.closed).toBe(4403);
    expect(outcome(await logIn(app, lost.email))).toBe('200');
    expect(await codesOf(app, owner.token, REMOVE_OF, { id: lost.userId })).toEqual([
      'second_factor_missing',
    ]);
  });

  it('by nobody for a role above, another organization or themselves, nor by a key', async () => {
    const admin = await guarded('admin');
    const elsewhere = await newCustomer(app);
    const tried = [
      [admin.token, owner.userId, 'permission_denied'],
      [admin.token, admin.userId, 'invalid_request'],
      [elsewhere.token, admin.userId, 'not_found'],
      [owner.key, admin.userId, 'permission_denied'],
    ] as const;
    for (const [credential, id, code] of tried) {
      expect(await codesOf(app, credential, REMOVE_OF, { id })).toEqual([code]);
    }
    expect(outcome(await logIn(app, admin.email))).toBe('401 second_factor_required');
  });
});

describe('an organization that requires a second factor', () => {
  it('lets members without one do nothing but enrol, at once and on every node', async () => {
    const strict = await newCustomer(app, 500);
    const member = await newMember(app, strict.token, 'developer');
    const [socket, feed] = await Promise.all([
      openSocket(second, member.token),
      openFeed(second, member.token),
    ]);
    expect(await codesOf(app, member.token, REQUIRE, { on: true })).toEqual(['permission_denied']);
    const { data } = await graphql(app, REQUIRE, { on: true }, strict.token);
    expect(data).toEqual({ organizationSecondFactorSet: { secondFactorRequired: true } });
    const refused = '403 second_factor_enrollment_required';
    expect(await socket.closed).toBe(4403);
    await feed.ended;
    for (const credential of [strict.token, member.token]) {
      expect(outcome(await me(second, credential))).toBe(refused);
      expect(outcome(await chat(second, credential))).toBe(refused);
    }
    expect(await codesOf(second, member.token, REQUIRE, { on: false })).toEqual([
      'second_factor_enrollment_required',
    ]);
    expect(outcome(await chat(second, strict.key))).toBe('200');
    expect(outcome(await me(app, owner.token))).toBe('200');

    const { body } = await logIn(app, member.email);
    expect(outcome(await me(app, body.accessToken))).toBe(refused);
    const { secret } = await newFactor(app, body.accessToken);
    expect(outcome(await me(second, body.accessToken))).toBe('200');
    expect(outcome(await me(second, member.token))).toBe('401 invalid_token');
    expect(
      await codesOf(app, body.accessToken, REMOVE, {
        password: PASSWORD,
        code: codeOf(secret),
      }),
    ).toBeUndefined();
    expect(outcome(await me(second, body.accessToken))).toBe(refused);
  });

  it('holds for new members too', async () => {
    const strict = await newCustomer(app);
    await newFactor(app, strict.token);
    await graphql(app, REQUIRE, { on: true }, strict.token);
    expect(outcome(await me(app, strict.token))).toBe('200');
    const joined = await newMember(app, strict.token, 'viewer');
    expect(outcome(await me(second, joined.token))).toBe('403 second_factor_enrollment_required');
    expect(await stateOf(joined.token)).toMatchObject({
      authSecondFactor: { enabled: false, required: true },
    });
  });
});
