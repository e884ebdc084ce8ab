import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newMember, outcome, PASSWORD } from '../../journeys/people.js';
import { openSocket } from '../../journeys/sockets.js';
import { type Customer, graphql, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { codesOf, logIn, me, type Nodes, openFeed, refresh, startNodes } from './nodes.js';

const NEW = 'another horse, another staple';
const CHANGE = `mutation($old: String!, $new: String!) {
  authPasswordChange(currentPassword: $old, newPassword: $new) { endedSessions }
}`;
const REQUEST = 'mutation($email: String!) { authPasswordResetRequest(email: $email) { byEmail } }';
const RESET = `mutation($token: String!, $new: String!) {
  authPasswordReset(token: $token, newPassword: $new) { endedSessions }
}`;
const ISSUE = 'mutation($id: ID!) { memberPasswordResetIssue(id: $id) { token link expiresAt } }';

/** A server that takes every e-mail. */
async function startMailServer() {
  const mails: { readonly to: readonly string[]; readonly text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      let text = '';
      stream.on('data', (part: Buffer) => {
        text += part.toString();
      });
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.server.address() as { port: number };
  return { mails, port, close: () => new Promise<void>((closed) => server.close(closed)) };
}

let mail: Awaited<ReturnType<typeof startMailServer>>;
let nodes: Nodes;
let app: TestApp;
let second: TestApp;
let owner: Customer;
beforeAll(async () => {
  mail = await startMailServer();
  nodes = await startNodes({
    GW_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    GW_SMTP_FROM: 'A gateway <gateway@example.test>',
    GW_PUBLIC_URL: 'https://gateway.example.test',
  });
  ({ first: app, second } = nodes);
  owner = await newCustomer(app);
});
afterAll(async () => {
  await nodes?.stop();
  await mail?.close();
});

async function issued(id: string, credential = owner.token): Promise<string> {
  const { data } = await graphql<{ memberPasswordResetIssue: { token: string } }>(
    app,
    ISSUE,
    { id },
    credential,
  );
  return data.memberPasswordResetIssue.token;
}

/** The token of the link in the latest e-mail to an address, when it has come. */
async function mailedToken(email: string): Promise<string> {
  await expect.poll(() => textTo(email), { timeout: 20_000 }).toBeDefined();
  const [, token = ''] = /reset-password#(\S+)/.exec(textTo(email) ?? '') ?? [];
  return token;
}

/** What was mailed to an address last, without the soft breaks of its encoding. */
function textTo(email: string): string | undefined {
  return mail.mails
    .findLast(({ to }) => to.includes(email))
    ?.text.replace(/=\r?\n/g, '')
    .replace(/=3D/g, '=');
}

describe('a password', () => {
  it('is changed with the present one, which ends all other sessions on every node', async () => {
    const { email, token, refreshToken } = await newMember(app, owner.token, 'developer');
    const { body: other } = await logIn(app, email);
    const socket = await openSocket(second, other.accessToken);
    const feed = await openFeed(second, other.accessToken);
    const { data } = await graphql(app, CHANGE, { old: PASSWORD, new: NEW }, token);
    expect(data).toEqual({ authPasswordChange: { endedSessions: 1 } });
    expect(outcome(await me(second, other.accessToken))).toBe('401 invalid_token');
    expect(outcome(await refresh(second, other.refreshToken))).toBe('401 invalid_token');
    expect(await socket.closed).toBe(4403);
    await feed.ended;
    expect(outcome(await me(second, token))).toBe('200');
    expect(outcome(await refresh(second, refreshToken))).toBe('200');
    expect(outcome(await logIn(second, email))).toBe('401 invalid_login');
    expect(outcome(await logIn(second, email, { password: NEW }))).toBe('200');
  });

  it('is not changed without the present one, to a short one or to the same', async () => {
    const { email, token } = await newMember(app, owner.token, 'developer');
    const tried = [
      { old: NEW, new: `${NEW}!` },
      { old: PASSWORD, new: 'short' },
      { old: PASSWORD, new: PASSWORD },
    ];
    for (const variables of tried) {
      expect(await codesOf(app, token, CHANGE, variables)).toEqual(['invalid_request']);
    }
    const old = { old: PASSWORD, new: NEW };
    expect(await codesOf(app, owner.key, CHANGE, old)).toEqual(['permission_denied']);
    expect(await codesOf(app, undefined, CHANGE, old)).toEqual(['missing_credential']);
    expect(outcome(await logIn(app, email))).toBe('200');
  });

  it('is guessed at by a stolen token only so often', async () => {
    const { token } = await newMember(app, owner.token, 'developer');
    const codes = new Set<string>();
    for (let round = 0; round < 12; round += 1) {
      const guess = { old: `a guess ${round}`, new: NEW };
      for (const code of (await codesOf(app, token, CHANGE, guess)) ?? []) codes.add(code);
    }
    expect([...codes]).toEqual(['invalid_request', 'login_throttled']);
  });

  it('that is changed twice at once is changed once', async () => {
    const { email, token } = await newMember(app, owner.token, 'developer');
    const [one, two] = await Promise.all([
      codesOf(app, token, CHANGE, { old: PASSWORD, new: `${NEW} 1` }),
      codesOf(second, token, CHANGE, { old: PASSWORD, new: `${NEW} 2` }),
    ]);
    expect([one, two].filter((codes) => codes === undefined)).toHaveLength(1);
    const works = [`${NEW} 1`, `${NEW} 2`].map((password) => logIn(app, email, { password }));
    const outcomes = (await Promise.all(works)).map(outcome);
    expect(outcomes[one === undefined ? 0 : 1]).toBe('200');
    expect([...outcomes].sort()).toEqual(['200', '401 invalid_login']);
  });
});

describe('a link for a new password', () => {
  it('comes by e-mail, sets the password and ends all sessions on every node', async () => {
    const { email, token, refreshToken } = await newMember(app, owner.token, 'viewer');
    const { data } = await graphql(app, REQUEST, { email: email.toUpperCase() });
    expect(data).toEqual({ authPasswordResetRequest: { byEmail: true } });
    const code = await mailedToken(email);
    expect(textTo(email)).toContain(`https://gateway.example.test/reset-password#${code}`);
    const socket = await openSocket(second, token);
    const reset = await graphql(second, RESET, { token: code, new: NEW });
    expect(reset.data).toEqual({ authPasswordReset: { endedSessions: 1 } });
    expect(outcome(await me(app, token))).toBe('401 invalid_token');
    expect(outcome(await refresh(app, refreshToken))).toBe('401 invalid_token');
    expect(await socket.closed).toBe(4403);
    expect(outcome(await logIn(app, email))).toBe('401 invalid_login');
    expect(outcome(await logIn(app, email, { password: NEW }))).toBe('200');
  });

  it('is asked for with one answer, whether there is such a member or not', async () => {
    const { email } = await newMember(app, owner.token, 'viewer');
    const removed = await newMember(app, owner.token, 'viewer');
    const remove = 'mutation($id: ID!) { memberRemove(id: $id) { id } }';
    await graphql(app, remove, { id: removed.userId }, owner.token);
    const addresses = [email, removed.email, 'nobody@example.test'];
    const answers: unknown[] = [];
    for (const address of addresses) {
      answers.push(await graphql(app, REQUEST, { email: address }));
      answers.push(await graphql(app, REQUEST, { email: address }));
      expect(await codesOf(app, undefined, REQUEST, { email: address })).toEqual([
        'login_throttled',
      ]);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await mailedToken(email);
    await app.server.services.resetMails?.idle();
    const sent = mail.mails.filter(({ to }) => addresses.some((each) => to.includes(each)));
    expect(sent.map(({ to }) => to)).toEqual([[email]]);
  });

  it('is issued by an owner, and works once when two use it at once on two nodes', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { email, userId } = await newMember(app, owner.token, 'admin');
      const token = await issued(userId);
      const [one, two] = await Promise.all([
        codesOf(app, undefined, RESET, { token, new: `${NEW} 1` }),
        codesOf(second, undefined, RESET, { token, new: `${NEW} 2` }),
      ]);
      expect([one, two].filter((codes) => codes === undefined)).toHaveLength(1);
      expect([one, two]).toContainEqual(['invalid_password_reset']);
      const password = `${NEW} ${one === undefined ? 1 : 2}`;
      expect(outcome(await logIn(app, email, { password }))).toBe('200');
      const again = await codesOf(app, undefined, RESET, { token, new: NEW });
      expect(again).toEqual(['invalid_password_reset']);
    }
  });

  it('leaves no session of a login with the old password that ran beside it', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { email, userId } = await newMember(app, owner.token, 'viewer');
      const token = await issued(userId);
      const [during, codes] = await Promise.all([
        logIn(second, email),
        codesOf(app, undefined, RESET, { token, new: NEW }),
      ]);
      expect(codes).toBeUndefined();
      if (during.status !== 200) continue;
      expect(outcome(await me(app, during.body.accessToken))).toBe('401 invalid_token');
    }
  });

  it('ends with its time, with a newer one and with its member', async () => {
    const { userId } = await newMember(app, owner.token, 'viewer');
    const replaced = await issued(userId);
    const late = await issued(userId);
    const refused = async (token: string) =>
      expect(await codesOf(app, undefined, RESET, { token, new: NEW })).toEqual([
        'invalid_password_reset',
      ]);
    await refused(replaced);
    await app.owner.pool.query(
      "UPDATE password_reset SET expires_at = now() - interval '1 second' WHERE user_id = $1",
      [userId],
    );
    await refused(late);
    const last = await issued(userId);
    const remove = 'mutation($id: ID!) { memberRemove(id: $id) { id } }';
    await graphql(app, remove, { id: userId }, owner.token);
    await refused(last);
    await refused('gw_pr_unknown');
  });

  it('stays when somebody asks for one by e-mail, and ends with whichever is used', async () => {
    const { email, userId } = await newMember(app, owner.token, 'viewer');
    const token = await issued(userId);
    await graphql(app, REQUEST, { email });
    const mailed = await mailedToken(email);
    expect(await codesOf(second, undefined, RESET, { token, new: NEW })).toBeUndefined();
    const late = await codesOf(app, undefined, RESET, { token: mailed, new: PASSWORD });
    expect(late).toEqual(['invalid_password_reset']);
    expect(outcome(await logIn(app, email, { password: NEW }))).toBe('200');
  });

  it('ends when an owner issues one, however it had come', async () => {
    const { email, userId } = await newMember(app, owner.token, 'viewer');
    await graphql(app, REQUEST, { email });
    const mailed = await mailedToken(email);
    await issued(userId);
    const codes = await codesOf(app, undefined, RESET, { token: mailed, new: NEW });
    expect(codes).toEqual(['invalid_password_reset']);
  });

  it('ends when the member changes the password', async () => {
    const member = await newMember(app, owner.token, 'viewer');
    const token = await issued(member.userId);
    const change = { old: PASSWORD, new: 'a password of the member' };
    expect(await codesOf(second, member.token, CHANGE, change)).toBeUndefined();
    expect(await codesOf(app, undefined, RESET, { token, new: NEW })).toEqual([
      'invalid_password_reset',
    ]);
    expect((await logIn(app, member.email, { password: change.new })).status).toBe(200);
  });

  it('works no longer than whoever has issued it could issue it', async () => {
    const admin = await newMember(app, owner.token, 'admin');
    const [raised, left] = [
      await newMember(app, owner.token, 'developer'),
      await newMember(app, owner.token, 'developer'),
    ];
    const tokens = [
      await issued(raised.userId, admin.token),
      await issued(left.userId, admin.token),
    ];
    const ROLE =
      'mutation($id: ID!, $role: Role!) { memberChangeRole(id: $id, role: $role) { id } }';
    const raise = { id: raised.userId, role: 'owner' };
    expect(await codesOf(app, owner.token, ROLE, raise)).toBeUndefined();
    const reset = (token: string | undefined) =>
      codesOf(second, undefined, RESET, { token, new: NEW });
    expect(await reset(tokens[0])).toEqual(['invalid_password_reset']);
    const remove = 'mutation($id: ID!) { memberRemove(id: $id) { id } }';
    expect(await codesOf(app, owner.token, remove, { id: admin.userId })).toBeUndefined();
    expect(await reset(tokens[1])).toEqual(['invalid_password_reset']);
    for (const { email } of [raised, left]) {
      expect((await logIn(app, email)).status).toBe(200);
      expect((await logIn(app, email, { password: NEW })).status).toBe(401);
    }
    expect(await reset(await issued(left.userId))).toBeUndefined();
  });

  it('is stored as a hash alone', async () => {
    const { userId } = await newMember(app, owner.token, 'viewer');
    const token = await issued(userId);
    const { rows } = await app.owner.pool.query(
      `SELECT to_jsonb(r) AS row, length(token_hash) AS bytes FROM password_reset r
       WHERE user_id = $1`,
      [userId],
    );
    expect(rows.map(({ bytes }) => bytes)).toEqual([32]);
    expect(JSON.stringify(rows)).not.toContain(token.slice('gw_pr_'.length));
  });

  it('is issued by nobody for a role above, for another organization or by a key', async () => {
    const admin = await newMember(app, owner.token, 'admin');
    const elsewhere = await newCustomer(app);
    const tried = [
      [admin.token, owner.userId, 'permission_denied'],
      [owner.key, admin.userId, 'permission_denied'],
      [owner.token, elsewhere.userId, 'not_found'],
      [elsewhere.token, admin.userId, 'not_found'],
    ] as const;
    for (const [credential, id, code] of tried) {
      expect(await codesOf(app, credential, ISSUE, { id })).toEqual([code]);
    }
    const { rows } = await app.owner.pool.query(
      'SELECT 1 FROM password_reset WHERE user_id = ANY($1)',
      [[owner.userId, elsewhere.userId, admin.userId]],
    );
    expect(rows).toEqual([]);
  });

  it('opens a page that asks no other host and stays in no cache', async () => {
    const response = await fetch(`${app.url}/reset-password`);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-security-policy')).toContain("connect-src 'self';");
    expect(text).toContain('autocomplete="new-password"');
    expect(text).toContain('<script src="/assets/reset.js" defer>');
    expect((await fetch(`${app.url}/assets/reset.js`)).status).toBe(200);
  });
});

describe('a gateway without a mail server', () => {
  it('says that owners and admins issue the links', async () => {
    const bare = await startApp({
      ...app.environment,
      GW_NODE_ID: 'bare',
      GW_SMTP_URL: undefined,
    });
    try {
      const { data } = await graphql(bare, REQUEST, { email: owner.email });
      expect(data).toEqual({ authPasswordResetRequest: { byEmail: false } });
    } finally {
      await bare.stop();
    }
  });
});
