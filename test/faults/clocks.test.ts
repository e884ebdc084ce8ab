import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../src/platform/database/project-root.js';
import { codeOf, enrol } from '../access/credentials/authenticator.js';
import { codesOf, logIn, me, refresh } from '../access/credentials/nodes.js';
import { invite, newKey, newMember, outcome, PASSWORD } from '../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { startUpstreamDouble, type UpstreamDouble } from '../support/upstream-double.mjs';
import { type Books, openBooks } from './books.js';
import { chat, errorCodeOf } from './client.js';
import { type Folder, newFolder, writeProviders } from './providers.js';
import { strayInstants } from './stray-instants.js';
import { ONE_RUBLE } from './two-nodes.js';

const HOUR_MS = 3_600_000;
const HALF_HOUR = 30 * 60;
const OVER = ['invalid_password_reset'];
const TOO_LATE = '422 approval_already_decided';
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

let double: UpstreamDouble;
let database: TestDatabase;
let books: Books;
let folders: readonly Folder[];
/** Its wall clock is an hour behind. */
let late: GatewayProcess;
/** Its wall clock is an hour ahead. */
let early: GatewayProcess;
let owner: Customer;
let beganMs: number;

function start(name: string, folder: Folder, shiftMs: number): Promise<GatewayProcess> {
  const lanes = ['own', 'shaky'].map((lane) => {
    return { lane, model: `${lane}/model`, inputRub: 0, outputRub: 1_000_000 };
  });
  return startGateway({
    GW_DATA_DIR: folder.path,
    GW_NODE_ID: name,
    DATABASE_URL: database.databaseUrl,
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, lanes),
    NODE_OPTIONS: `--import=${join(projectRoot(), 'test', 'support', 'shifted-clock.mjs')}`,
    GW_TEST_CLOCK_SHIFT_MS: String(shiftMs),
  });
}

beforeAll(async () => {
  beganMs = Date.now();
  double = await startUpstreamDouble();
  for (const lane of ['own', 'shaky']) double.script(lane, { text: 'Да', usage: USAGE });
  database = await freshDatabase();
  books = openBooks(database.connection);
  folders = [newFolder(), newFolder()];
  const [one, other] = folders as [Folder, Folder];
  late = await start('late', one, -HOUR_MS);
  early = await start('early', other, HOUR_MS);
  owner = await newCustomer(late, 10_000);
}, 240_000);
afterAll(async () => {
  await killGateways();
  await double.close();
  await books.close();
  await database.drop();
  for (const folder of folders) folder.remove();
});

/** Moves the end of rows to so many seconds from now, by the clock of the database. */
async function endIn(seconds: number, table: string, column: string, where: string): Promise<void> {
  const sql = `UPDATE ${table} SET ${column} = clock_timestamp() + make_interval(secs => $1)
    WHERE ${where}`;
  const { rowCount } = await books.pool.query(sql, [seconds]);
  expect(rowCount).toBeGreaterThan(0);
}

/** What both nodes say: the one that is late, and the one that is early. */
async function both(
  ask: (node: GatewayProcess) => Promise<Parameters<typeof outcome>[0]>,
): Promise<readonly string[]> {
  return [outcome(await ask(late)), outcome(await ask(early))];
}

const ask = (credential: string) => (node: GatewayProcess) =>
  rest(node, 'POST', '/v1/chat/completions', { credential, body: ONE_RUBLE });

describe('of two nodes whose clocks are an hour behind and an hour ahead', () => {
  it('each takes the access tokens of the other, which last for fifteen minutes', async () => {
    for (const node of [late, early]) {
      const nowSeconds = Date.now() / 1_000;
      const { body } = await logIn(node, owner.email);
      const { iat = 0, exp = 0 } = decodeJwt(body.accessToken);
      expect(Math.abs(iat - nowSeconds)).toBeLessThan(60);
      expect(exp - iat).toBe(900);
      expect(await both((each) => me(each, body.accessToken))).toEqual(['200', '200']);
    }
  });

  it('none ends a session early or lets it live on', async () => {
    const { userId, refreshToken } = await newMember(early, owner.token, 'viewer');
    const own = `user_id = '${userId}'`;
    await endIn(HALF_HOUR, 'session', 'expires_at', own);
    const { body } = await refresh(early, refreshToken);
    const { body: next } = await refresh(late, body.refreshToken);
    await endIn(-HALF_HOUR, 'session', 'expires_at', own);
    expect(await both((node) => refresh(node, next.refreshToken))).toEqual([
      '401 invalid_token',
      '401 invalid_token',
    ]);
    const { rows } = await books.pool.query(
      `SELECT count(*)::int AS open FROM auth_session WHERE ${own}
       AND expires_at BETWEEN now() + interval '29 days' AND now() + interval '31 days'`,
    );
    expect(rows).toEqual([{ open: 1 }]);
  });

  it('none takes an invite that is over, or refuses one that is not', async () => {
    const accept = (token: string) => (node: GatewayProcess) =>
      rest(node, 'POST', '/auth/accept-invite', { body: { token, password: PASSWORD } });
    for (const node of [late, early]) {
      const open = await invite(late, owner.token, 'viewer');
      await endIn(HALF_HOUR, 'invite', 'expires_at', `id = '${open.id}'`);
      expect(outcome(await accept(open.token)(node))).toBe('200');
    }
    const over = await invite(early, owner.token, 'viewer');
    await endIn(-HALF_HOUR, 'invite', 'expires_at', `id = '${over.id}'`);
    expect(await both(accept(over.token))).toEqual(['400 invalid_invite', '400 invalid_invite']);
  });

  it('none takes a link for a password that is over, or refuses one that is not', async () => {
    const issue = 'mutation($id: ID!) { memberPasswordResetIssue(id: $id) { token } }';
    const reset = `mutation($token: String!, $new: String!) {
      authPasswordReset(token: $token, newPassword: $new) { endedSessions }
    }`;
    const { userId } = await newMember(late, owner.token, 'viewer');
    const tried: unknown[] = [];
    for (const seconds of [HALF_HOUR, -HALF_HOUR]) {
      for (const [node, other] of [[late, early] as const, [early, late] as const]) {
        const { data } = await graphql<{ memberPasswordResetIssue: { token: string } }>(
          other,
          issue,
          { id: userId },
          owner.token,
        );
        const { token } = data.memberPasswordResetIssue;
        const open = `user_id = '${userId}' AND used_at IS NULL AND replaced_at IS NULL`;
        await endIn(seconds, 'password_reset', 'expires_at', open);
        const given = { token, new: `another password ${tried.length}` };
        tried.push(await codesOf(node, undefined, reset, given));
      }
    }
    expect(tried).toEqual([undefined, undefined, OVER, OVER]);
  });

  it('each takes the codes of a second factor, and keeps a lock for its time', async () => {
    const { email, token, userId } = await newMember(early, owner.token, 'viewer');
    const secret = await enrol(late, token);
    const confirm =
      'mutation($code: String!) { authSecondFactorConfirm(code: $code) { endedSessions } }';
    expect(await codesOf(late, token, confirm, { code: codeOf(secret) })).toBeUndefined();
    const own = `user_id = '${userId}'`;
    const again = () => books.pool.query(`UPDATE second_factor SET last_step = 0 WHERE ${own}`);
    const enter = async (node: GatewayProcess) => {
      await again();
      return logIn(node, email, { code: codeOf(secret) });
    };
    expect(await both(enter)).toEqual(['200', '200']);
    const guess = (node: GatewayProcess) => logIn(node, email, { code: '000000' });
    await books.pool.query(`UPDATE second_factor SET failures = 9 WHERE ${own}`);
    await endIn(HALF_HOUR, 'second_factor', 'locked_until', own);
    expect(await both(guess)).toEqual(['429 second_factor_locked', '429 second_factor_locked']);
    await endIn(-HALF_HOUR, 'second_factor', 'locked_until', own);
    expect(await both(enter)).toEqual(['200', '200']);
  });

  it('each knows when a key ends, and takes no end that lies behind', async () => {
    const make = (seconds: number) => (node: GatewayProcess) => {
      const expiresAt = new Date(Date.now() + seconds * 1_000).toISOString();
      const body = { keyType: 'service', name: 'ends', expires_at: expiresAt };
      return rest(node, 'POST', '/api-keys', { credential: owner.token, body });
    };
    expect(await both(make(HALF_HOUR))).toEqual(['200', '200']);
    expect(await both(make(-HALF_HOUR))).toEqual(['400 invalid_request', '400 invalid_request']);
    const { id, key } = await newKey(early, owner.token, 'service');
    await endIn(HALF_HOUR, 'api_key', 'expires_at', `id = '${id}'`);
    expect(await both(ask(key))).toEqual(['200', '200']);
    await endIn(-HALF_HOUR, 'api_key', 'expires_at', `id = '${id}'`);
    expect(await both(ask(key))).toEqual(['401 api_key_revoked', '401 api_key_revoked']);
  });

  it('each knows when the grace of a rotated key is over', async () => {
    for (const node of [late, early]) {
      const { id, key } = await newKey(late, owner.token, 'service');
      const path = `/api-keys/${id}/rotate`;
      const body = { grace_seconds: HALF_HOUR };
      await rest(node, 'POST', path, { credential: owner.token, body });
      expect(await both(ask(key))).toEqual(['200', '200']);
      await endIn(-HALF_HOUR, 'key_secret', 'ends_at', `key_id = '${id}'`);
      expect(await both(ask(key))).toEqual(['401 api_key_revoked', '401 api_key_revoked']);
    }
  });

  it('each lets a token live as long as it was issued for', async () => {
    for (const node of [late, early]) {
      const path = '/v1/gw/abuse/ephemeral-tokens';
      const body = { max_requests: 10, max_cost: 100, ttl_seconds: HALF_HOUR };
      const made = await rest<{ id: string; token: string }>(node, 'POST', path, {
        credential: owner.token,
        body,
      });
      const { id, token } = made.body;
      expect(await both(ask(token))).toEqual(['200', '200']);
      await endIn(-HALF_HOUR, 'api_key', 'expires_at', `id = '${id}'`);
      const over = '401 ephemeral_token_expired';
      expect(await both(ask(token))).toEqual([over, over]);
    }
  });

  it('what waits for an approval waits on both until its end', async () => {
    const credential = owner.token;
    const tool = { tool_key: 'desk', verbs: ['delete'], endpoint_url: 'https://desk.example.com' };
    await rest(late, 'POST', '/v1/gw/tools/register', { credential, body: tool });
    const call = { tool_key: 'desk', verb: 'delete', arguments: {}, reason: 'asked' };
    const told: string[] = [];
    for (const seconds of [HALF_HOUR, -HALF_HOUR]) {
      for (const node of [late, early]) {
        const asked = await rest<{ id: string; status: string }>(
          node,
          'POST',
          '/v1/gw/tools/execute',
          { credential, body: call },
        );
        const { id, status } = asked.body;
        expect(status).toBe('pending');
        await endIn(seconds, 'approval', 'expires_at', `subject_id = '${id}'`);
        const reject = `/v1/gw/tools/calls/${id}/reject`;
        told.push(outcome(await rest(node, 'POST', reject, { credential, body: {} })));
      }
    }
    expect(told).toEqual(['200', '200', TOO_LATE, TOO_LATE]);
  });

  it('an idempotency key is known on both, and a kept answer is given once more', async () => {
    const headers = { 'idempotency-key': `clock-${process.pid}` };
    const once = (node: GatewayProcess) =>
      chat(node.url, { credential: owner.key, headers, body: ONE_RUBLE });
    const before = double.received('own').length;
    const answers = [await once(late), await once(early), await once(late)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(double.received('own').length - before).toBe(1);
  });
});

/** Sets the wall clock of a running node an hour ahead. */
async function setAhead(node: GatewayProcess): Promise<void> {
  const before = node.logs().split('the wall clock says').length;
  process.kill(node.pid, 'SIGUSR2');
  await expect.poll(() => node.logs().split('the wall clock says').length).toBe(before + 1);
}

describe('a node whose wall clock is set an hour ahead while it serves', () => {
  it('keeps a breaker open, a rate window full and its leases', async () => {
    const broken = { ...ONE_RUBLE, model: 'shaky/model' };
    const { key, token } = await newCustomer(late, 1_000);
    const tried = () => chat(late.url, { credential: key, body: broken });
    double.script('shaky', { status: 500 });
    while ((await tried()).headers['retry-after'] === undefined) {}
    double.script('shaky', { text: 'Да', usage: USAGE });
    const calls = double.received('shaky').length;
    const limits = { name: 'one a minute', limits: { rpm: 1 } };
    await rest(late, 'POST', '/v1/gw/policies', { credential: token, body: limits });
    const own = () => chat(late.url, { credential: key, body: ONE_RUBLE });
    await expect.poll(async () => errorCodeOf(await own())).toBe('rate_limit_requests');
    await setAhead(late);
    expect(errorCodeOf(await own())).toBe('rate_limit_requests');
    const other = await newKey(late, owner.token, 'service');
    const refused = await chat(late.url, { credential: other.key, body: broken });
    expect([refused.status, errorCodeOf(refused)]).toEqual([503, 'upstream_unavailable']);
    expect(double.received('shaky').length).toBe(calls);
    expect((await rest(late, 'GET', '/readyz')).status).toBe(200);
    expect(outcome(await me(late, owner.token))).toBe('200');
    const { rows } = await books.pool.query(`SELECT count(*)::int AS nodes FROM gateway_node
      WHERE retired_at IS NULL AND seen_at > clock_timestamp() - interval '30 s'`);
    expect(rows).toEqual([{ nodes: 2 }]);
  });
});

describe('after all of it', () => {
  it('no row and no id holds an instant of a clock that was wrong', async () => {
    expect(await strayInstants(books.pool, beganMs)).toEqual([]);
    expect((await books.violations()).map(String)).toEqual([]);
  });
});
