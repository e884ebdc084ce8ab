import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, newCustomer, rest } from '../support/app.js';
import { type GatewayProcess, killGateways } from '../support/gateway-process.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../support/upstream-double.js';
import { chat, errorCodeOf, inParallel } from './client.js';
import { figuresOf, type TwoWorkers, twoWorkers, workersOf } from './workers.js';

const TEST_MS_MAX = 60_000;
const MINUTE_MS = 60_000;

let double: SpawnedDouble;
let two: TwoWorkers;
let gateway: GatewayProcess;

beforeAll(async () => {
  double = await spawnUpstreamDouble();
  two = await twoWorkers(double.origin, ['quick', 'slow']);
  await double.script('slow', { gapMs: 40, repeat: 4 });
  gateway = await two.start();
}, TEST_MS_MAX);
afterAll(killGateways);
afterAll(async () => {
  await double.close();
  two.folder.remove();
});

const BODY = { model: 'quick/model', messages: [{ role: 'user', content: 'Добрый день' }] };

const LOG_OUT = 'mutation { authLogoutEverywhere { __typename } }';

/** How many of some answers had each status or code. */
function tally(answers: readonly { status: number; text: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const name = errorCodeOf(answer) ?? String(answer.status);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** So many at once, on connections that workers get in turn. */
function ask(credential: string, times: number, body: Record<string, unknown> = BODY) {
  return inParallel(times, times, () => chat(gateway.url, { credential, body }));
}

/** What flows into a bucket while a test runs, at most. */
function flowedIn(perMinute: number, sinceMs: number): number {
  return Math.ceil(((performance.now() - sinceMs) * perMinute) / MINUTE_MS);
}

async function limited(limits: Readonly<Record<string, number>>): Promise<string> {
  const { key, token } = await newCustomer(gateway, 10_000);
  const made = await rest(gateway, 'POST', '/v1/gw/policies', {
    credential: token,
    body: { name: 'limited', limits },
  });
  expect(made.status).toBe(200);
  return key;
}

describe('two workers on one port', () => {
  it(
    'both answer, and the metrics tell each of them and the primary',
    async () => {
      const { key } = await newCustomer(gateway, 10_000);
      expect(tally(await ask(key, 20))).toEqual({ 200: 20 });
      expect(workersOf(gateway)).toHaveLength(2);
      const answered = await figuresOf(gateway.url, 'gw_http_requests_total');
      expect(Object.keys(answered)).toEqual(['1', '2']);
      expect(Math.min(...Object.values(answered))).toBeGreaterThan(0);
      const processes = await figuresOf(gateway.url, 'process_start_time_seconds');
      expect(Object.keys(processes).sort()).toEqual(['1', '2', 'primary']);
      expect(await figuresOf(gateway.url, 'gw_workers_serving')).toEqual({ primary: 2 });
    },
    TEST_MS_MAX,
  );

  it(
    'a limit of requests a minute is one limit over both',
    async () => {
      const key = await limited({ rpm: 10 });
      const sinceMs = performance.now();
      const { 200: admitted = 0, ...others } = tally(await ask(key, 60));
      expect(admitted).toBeGreaterThanOrEqual(10);
      expect(admitted).toBeLessThanOrEqual(10 + flowedIn(10, sinceMs));
      expect(others).toEqual({ rate_limit_requests: 60 - admitted });
    },
    TEST_MS_MAX,
  );

  it(
    'a limit of requests at the same time is one limit over both',
    async () => {
      const key = await limited({ concurrency: 3 });
      const body = { ...BODY, model: 'slow/model', stream: true };
      // Each that is admitted runs for longer than all of them take to arrive.
      expect(tally(await ask(key, 20, body))).toEqual({ 200: 3, rate_limit_concurrency: 17 });
      expect(tally(await ask(key, 3, body))).toEqual({ 200: 3 });
    },
    TEST_MS_MAX,
  );

  it(
    'tries of a password are one limit over both',
    async () => {
      const { email } = await newCustomer(gateway);
      const sinceMs = performance.now();
      const answers = await inParallel(16, 16, async () => {
        const body = { email, password: 'not the password' };
        const { body: answer } = await rest<{ error: { code: string } }>(
          gateway,
          'POST',
          '/auth/login',
          { body },
        );
        return answer.error.code;
      });
      const tried = answers.filter((code) => code === 'invalid_login').length;
      expect(tried).toBeGreaterThanOrEqual(5);
      expect(tried).toBeLessThanOrEqual(5 + flowedIn(5, sinceMs));
      expect(answers.filter((code) => code === 'login_throttled')).toHaveLength(16 - tried);
    },
    TEST_MS_MAX,
  );

  it(
    'a key that is revoked and a session that has ended work on none of them',
    async () => {
      const { key, keyId, token } = await newCustomer(gateway, 10_000);
      expect(tally(await ask(key, 12))).toEqual({ 200: 12 });
      await rest(gateway, 'DELETE', `/api-keys/${keyId}`, { credential: token });
      const keyed = await ask(key, 12);
      expect(new Set(keyed.map(({ status }) => status))).toEqual(new Set([401]));
      const me = () => rest(gateway, 'GET', '/me', { credential: token });
      const statuses = async () =>
        new Set((await inParallel(12, 12, me)).map(({ status }) => status));
      expect(await statuses()).toEqual(new Set([200]));
      const left = await graphql(gateway, LOG_OUT, {}, token);
      expect(left.errors).toBeUndefined();
      expect(await statuses()).toEqual(new Set([401]));
    },
    TEST_MS_MAX,
  );
});
