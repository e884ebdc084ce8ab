import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetLogins } from '../../../src/access/auth/sessions.js';
import { newMember, outcome } from '../../journeys/people.js';
import { openSocket } from '../../journeys/sockets.js';
import { type Customer, graphql, newCustomer, type TestApp } from '../../support/app.js';
import {
  codesOf,
  type Login,
  logIn,
  me,
  type Nodes,
  openFeed,
  refresh,
  startNodes,
} from './nodes.js';

let nodes: Nodes;
let app: TestApp;
let second: TestApp;
let owner: Customer;
beforeAll(async () => {
  nodes = await startNodes();
  ({ first: app, second } = nodes);
  owner = await newCustomer(app);
});
afterAll(() => nodes?.stop());

const LIST = `{ authSessions { totalCount nodes {
  id createdAt lastSeenAt expiresAt endedAt userAgent network current
} } }`;
const LOGOUT = 'mutation { authLogout { id endedAt userAgent network current } }';
const EVERYWHERE =
  'mutation($keep: Boolean) { authLogoutEverywhere(keepThis: $keep) { endedSessions } }';
const END = 'mutation($id: ID!) { authSessionEnd(id: $id) { id endedAt } }';

interface Shown {
  readonly id: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly userAgent: string | null;
  readonly current: boolean;
}

async function listOf(credential: string): Promise<readonly Shown[]> {
  const { data } = await graphql<{ authSessions: { totalCount: number; nodes: Shown[] } }>(
    app,
    LIST,
    {},
    credential,
  );
  expect(data.authSessions.totalCount).toBe(data.authSessions.nodes.length);
  return data.authSessions.nodes;
}

/** A member with a second login, from another client. */
async function twice() {
  const member = await newMember(app, owner.token, 'developer');
  const { body } = await logIn(app, member.email, {}, { 'user-agent': 'Telephone/1\t(of a test)' });
  return { ...member, other: body };
}

/** Neither node takes any of the tokens of a login. */
async function isClosed({ accessToken, refreshToken }: Login): Promise<void> {
  const asked = [me(app, accessToken), me(second, accessToken)];
  const exchanged = [refresh(app, refreshToken), refresh(second, refreshToken)];
  const answers = await Promise.all<Parameters<typeof outcome>[0]>([...asked, ...exchanged]);
  expect(answers.map(outcome)).toEqual(answers.map(() => '401 invalid_token'));
}

describe('the list of sessions', () => {
  it('shows the own open sessions alone, newest first, with client and network', async () => {
    const { token, other } = await twice();
    const elsewhere = await newMember(app, owner.token, 'developer');
    const shown = await listOf(token);
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    const likely = { id: expect.any(String), createdAt: time, lastSeenAt: time, expiresAt: time };
    const open = { ...likely, endedAt: null, network: '127.0.0.0/24' };
    expect(shown).toEqual([
      { ...open, userAgent: 'Telephone/1(of a test)', current: false },
      { ...open, userAgent: 'node', current: true },
    ]);
    const seenByOther = await listOf(other.accessToken);
    expect(seenByOther.map(({ id, current }) => [id, current])).toEqual([
      [shown[0]?.id, true],
      [shown[1]?.id, false],
    ]);
    expect((await listOf(elsewhere.token)).map(({ current }) => current)).toEqual([true]);
  });

  it('keeps a session the same through its refreshes, and says when it was last seen', async () => {
    const member = await newMember(app, owner.token, 'viewer');
    const [before] = await listOf(member.token);
    const { body } = await refresh(second, member.refreshToken);
    const [after, ...others] = await listOf(body.accessToken);
    expect(others).toEqual([]);
    expect({ ...after, lastSeenAt: '', expiresAt: '' }).toEqual({
      ...before,
      lastSeenAt: '',
      expiresAt: '',
    });
    expect(Date.parse(after?.lastSeenAt ?? '')).toBeGreaterThan(
      Date.parse(before?.lastSeenAt ?? ''),
    );
  });

  it('needs a member: keys have no sessions', async () => {
    expect(await codesOf(app, owner.key, LIST)).toEqual(['permission_denied']);
    expect(await codesOf(app, owner.key, LOGOUT)).toEqual(['permission_denied']);
    expect(await codesOf(app, undefined, LIST)).toEqual(['missing_credential']);
  });

  it('forgets sessions with their tokens when they have expired, and no others', async () => {
    const { userId, token } = await newMember(app, owner.token, 'viewer');
    const { pool } = app.owner;
    const old = "now() - interval '25 hours'";
    await pool.query(`UPDATE session SET expires_at = ${old} WHERE user_id = $1`, [userId]);
    await pool.query(`UPDATE auth_session SET expires_at = ${old} WHERE user_id = $1`, [userId]);
    await forgetLogins(app.server.services);
    const { rows } = await pool.query(
      `SELECT 1 FROM session WHERE user_id = $1
       UNION ALL SELECT 1 FROM auth_session WHERE user_id = $1`,
      [userId],
    );
    expect(rows).toEqual([]);
    // Its access token was still good for some minutes.
    expect(outcome(await me(app, token))).toBe('200');
    expect(outcome(await me(app, owner.token))).toBe('200');
  });
});

describe('logging out', () => {
  it('ends this session on every node with its sockets and feeds, and no other', async () => {
    const { token: accessToken, refreshToken, other } = await twice();
    const [socket, far, feed] = await Promise.all([
      openSocket(app, accessToken),
      openSocket(second, accessToken),
      openFeed(second, accessToken),
    ]);
    const { data } = await graphql(app, LOGOUT, {}, accessToken);
    expect(data).toEqual({
      authLogout: {
        id: expect.any(String),
        endedAt: expect.any(String),
        userAgent: null,
        network: null,
        current: true,
      },
    });
    await isClosed({ accessToken, refreshToken });
    expect(await Promise.all([socket.closed, far.closed])).toEqual([4403, 4403]);
    await feed.ended;
    expect(outcome(await me(second, other.accessToken))).toBe('200');
    expect((await listOf(other.accessToken)).map(({ current }) => current)).toEqual([true]);
  });

  it('everywhere ends all sessions, or all but this one, of this member alone', async () => {
    const { token, refreshToken, other } = await twice();
    const kept = await graphql(app, EVERYWHERE, { keep: true }, token);
    expect(kept.data).toEqual({ authLogoutEverywhere: { endedSessions: 1 } });
    await isClosed(other);
    expect(outcome(await me(second, token))).toBe('200');
    const all = await graphql(second, EVERYWHERE, {}, token);
    expect(all.data).toEqual({ authLogoutEverywhere: { endedSessions: 1 } });
    await isClosed({ accessToken: token, refreshToken });
    expect(outcome(await me(app, owner.token))).toBe('200');
  });

  it('everywhere leaves no session of a login or refresh that ran beside it', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { email, token, other } = await twice();
      const [, during, renewed] = await Promise.all([
        graphql(app, EVERYWHERE, { keep: true }, token),
        logIn(second, email),
        refresh(second, other.refreshToken),
      ]);
      // A login is wholly before, and ended, or wholly after; a refresh never outlives its session.
      const open = (await listOf(token)).filter(({ current }) => !current);
      const alive = outcome(await me(app, during.body.accessToken)) === '200';
      expect(open.length).toBe(alive ? 1 : 0);
      expect(outcome(await me(app, other.accessToken))).toBe('401 invalid_token');
      if (renewed.status === 200) await isClosed(renewed.body);
    }
  });
});

describe('ending a session', () => {
  it('ends one of the own sessions on every node', async () => {
    const { token, other } = await twice();
    const [ended] = await listOf(token);
    const socket = await openSocket(second, other.accessToken);
    const { data } = await graphql(app, END, { id: ended?.id }, token);
    expect(data).toEqual({ authSessionEnd: { id: ended?.id, endedAt: expect.any(String) } });
    await isClosed(other);
    expect(await socket.closed).toBe(4403);
    expect(await codesOf(app, token, END, { id: ended?.id })).toEqual(['not_found']);
  });

  it('takes the session of somebody else, also of a colleague, for an unknown one', async () => {
    const { token } = await twice();
    const colleague = await twice();
    const stranger = await newCustomer(app);
    const [theirs] = await listOf(colleague.token);
    const [strange] = await listOf(stranger.token);
    for (const id of [theirs?.id, strange?.id]) {
      for (const credential of [token, owner.token]) {
        expect(await codesOf(app, credential, END, { id })).toEqual(['not_found']);
      }
    }
    expect(outcome(await me(app, colleague.other.accessToken))).toBe('200');
    expect(outcome(await me(app, stranger.token))).toBe('200');
  });

  it('ends also the tokens that a refresh beside it has made', async () => {
    const { token, other } = await twice();
    const [ended] = await listOf(token);
    await graphql(app, END, { id: ended?.id }, token);
    // What such a refresh leaves: a token that nobody has revoked.
    await app.owner.pool.query('UPDATE session SET revoked_at = NULL WHERE family_id = $1', [
      ended?.id,
    ]);
    await isClosed(other);
  });

  it('leaves nothing of where it was from', async () => {
    const { token } = await twice();
    const [ended] = await listOf(token);
    await graphql(app, END, { id: ended?.id }, token);
    const { rows } = await app.owner.pool.query(
      'SELECT user_agent, network FROM auth_session WHERE id = $1',
      [ended?.id],
    );
    expect(rows).toEqual([{ user_agent: null, network: null }]);
  });
});
