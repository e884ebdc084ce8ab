import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UpstreamAborted, UpstreamFailure } from '../../../src/inference/upstream/failure.js';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';
import { chatCall, KEY, type Lanes, makeLanes, until, whole } from './lanes.js';

let double: UpstreamDouble;
let lanes: Lanes;
beforeAll(async () => {
  double = await startUpstreamDouble();
});
afterAll(() => double.close());

/** Fresh breakers and budgets for each test; `gone` is a port where nobody listens. */
beforeEach(async () => {
  await lanes?.upstream.close();
  const nobody = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => nobody.once('listening', resolve));
  const { port } = nobody.address() as AddressInfo;
  await new Promise((resolve) => nobody.close(resolve));
  lanes = makeLanes([
    ...['a', 'b', 'c', 'd'].map((name) => ({ name, origin: double.origin })),
    { name: 'gone', origin: `http://127.0.0.1:${port}` },
    { name: 'abroad', origin: double.origin, jurisdiction: 'outside' },
  ]);
  for (const name of ['a', 'b', 'c', 'd', 'abroad']) double.script(name, {});
});

const markNow = () => double.log.length;
const since = (mark: number) => double.log.slice(mark).map(({ lane }) => lane);

async function failure(promise: Promise<unknown>): Promise<UpstreamFailure> {
  const error = await promise.then(
    () => new Error('it answered'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UpstreamFailure);
  const shown = inspect(error, { depth: 9, showHidden: true });
  expect(shown + JSON.stringify(error)).not.toContain(KEY);
  return error as UpstreamFailure;
}

describe('an answer', () => {
  it('comes whole with the usage of its bytes and a trace of one attempt', async () => {
    const answer = await whole(lanes, ['a']);
    expect(JSON.parse(answer.body.toString('utf8'))).toMatchObject({ model: 'a-upstream' });
    expect(answer.usage).toEqual({ prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 });
    expect(answer.deployment.key).toBe('a:a/model');
    expect(answer.attempts).toEqual([
      {
        deployment: 'a:a/model',
        providerId: 'a',
        modelId: 'a/model',
        status: 200,
        error: null,
        counted: false,
        latencyMs: expect.any(Number),
      },
    ]);
    expect(answer.skipped).toEqual([]);
  });

  it('was asked for at the path, with the key and the bytes of its own deployment', async () => {
    const mark = markNow();
    await whole(lanes, ['a']);
    const [entry] = double.log.slice(mark);
    expect(entry?.path).toBe('/v1/chat/completions');
    expect(entry?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
    });
    expect(JSON.parse(entry?.body ?? '')).toMatchObject({ model: 'a-upstream' });
  });
});

describe('a failure that another attempt may cure', () => {
  it.each([
    ['a reset', { reset: true }, 'reset', null],
    ['a status of 500', { status: 500 }, 'server_error', 500],
    ['a status of 503', { status: 503 }, 'server_error', 503],
    ['a status of 429', { status: 429 }, 'rate_limited', 429],
    ['refused credentials', { status: 401 }, 'credentials_refused', 401],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, 'invalid_answer', 302],
    ['a page instead of an answer', { raw: '<html>' }, 'invalid_answer', 200],
    ['a body cut in the middle', { cutAfter: 0 }, 'cut', 200],
    ['an error with status 200', { raw: '{"error":{"message":"x"}}' }, 'server_error', 200],
    ['an answer that never begins', { blackHole: true }, 'first_byte_timeout', null],
  ] as const)('moves on after %s', async (_, behaviour, error, status) => {
    double.script('a', behaviour);
    const mark = markNow();
    const answer = await whole(lanes, ['a', 'b']);
    expect(answer.deployment.providerId).toBe('b');
    expect(answer.attempts.map((one) => [one.providerId, one.error, one.status])).toEqual([
      ['a', error, status],
      ['b', null, 200],
    ]);
    expect(since(mark)).toEqual(['a', 'b']);
  });

  it('moves on where nobody listens', async () => {
    const answer = await whole(lanes, ['gone', 'b']);
    expect(answer.attempts.map((one) => [one.providerId, one.error])).toEqual([
      ['gone', 'connect_failed'],
      ['b', null],
    ]);
  });

  it('repeats the only deployment after a 500 and succeeds', async () => {
    double.script('a', { status: 500 }, {});
    const answer = await whole(lanes, ['a']);
    expect(answer.attempts.map((one) => one.error)).toEqual(['server_error', null]);
  });

  it('waits as long as a 429 asks for when that is short', async () => {
    double.script('a', { status: 429, headers: { 'retry-after-ms': '120' } }, {});
    const mark = markNow();
    const answer = await whole(lanes, ['a']);
    expect(answer.attempts.map((one) => one.error)).toEqual(['rate_limited', null]);
    const [first, second] = double.log.slice(mark);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(119);
  });

  it('makes three attempts at most, over all deployments', async () => {
    for (const name of ['a', 'b', 'c', 'd']) double.script(name, { status: 500 });
    const mark = markNow();
    const error = await failure(whole(lanes, ['a', 'b', 'c', 'd']));
    expect(since(mark)).toEqual(['a', 'b', 'c']);
    expect(error).toMatchObject({ code: 'upstream_failed', status: 502 });
    expect(error.attempts).toHaveLength(3);
  });
});

describe('a failure that stands', () => {
  it.each([400, 404, 422])(
    'keeps the words of a %i as 400 and calls nobody else',
    async (status) => {
      double.script('a', { status, message: `no such thing; key ${KEY}` });
      const mark = markNow();
      const error = await failure(whole(lanes, ['a', 'b']));
      expect(error).toMatchObject({
        code: 'upstream_rejected',
        status: 400,
        message: 'no such thing; key [secret]',
      });
      expect(since(mark)).toEqual(['a']);
    },
  );

  it('says upstream_rate_limited when all are limited, with the time to wait', async () => {
    for (const name of ['a', 'b']) {
      double.script(name, { status: 429, headers: { 'retry-after': '7' } });
    }
    const error = await failure(whole(lanes, ['a', 'b']));
    expect(error).toMatchObject({ code: 'upstream_rate_limited', status: 429 });
    expect(error.details.retryAfterMs).toBe(7_000);
  });

  const limited = (afterMs: number) => ({
    status: 429,
    headers: { 'retry-after-ms': String(afterMs) },
  });
  it.each([
    ['the shortest time that was named', [limited(9_000), limited(4_000), limited(70_000)], 4_000],
    ['the time of the last word', [{ status: 500 }, limited(8_000)], 8_000],
    ['the time of the one that does not fail otherwise', [limited(6_000), { status: 500 }], 6_000],
    ['the same beside refused credentials', [limited(6_000), { status: 401 }], 6_000],
    ['the same beside a silent one', [limited(6_000), { silentAfterHeaders: true }], 6_000],
    ['a second where none is named', [{ status: 429 }, { status: 503 }], 1_000],
  ] as const)('tells a rate limit with %s', async (_, behaviours, afterMs) => {
    const names = ['a', 'b', 'c'].slice(0, behaviours.length);
    for (const [at, name] of names.entries()) double.script(name, behaviours[at] ?? {});
    const error = await failure(lanes.upstream.call(lanes.chain(...names), chatCall(true)));
    expect(error).toMatchObject({ code: 'upstream_rate_limited', status: 429 });
    expect(error.details.retryAfterMs).toBe(afterMs);
  });

  it('of a request is told also when another deployment is at its limit', async () => {
    double.script('a', limited(6_000));
    double.script('b', { status: 400, message: 'no such parameter' });
    const error = await failure(whole(lanes, ['a', 'b']));
    expect(error).toMatchObject({ code: 'upstream_rejected', status: 400 });
  });

  it('waits for nothing that would take more than two seconds in all', async () => {
    double.script('a', { status: 429, headers: { 'retry-after-ms': '1500' } });
    const mark = markNow();
    const startedMs = performance.now();
    const error = await failure(whole(lanes, ['a']));
    expect(error.code).toBe('upstream_rate_limited');
    // The second wait would pass the two seconds, so it is not begun.
    expect(since(mark)).toEqual(['a', 'a']);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(1_499);
  });

  it('says upstream_timeout when the last one never answers', async () => {
    double.script('a', { blackHole: true });
    const mark = markNow();
    const error = await failure(whole(lanes, ['a']));
    expect(error).toMatchObject({ code: 'upstream_timeout', status: 504 });
    expect(since(mark)).toEqual(['a']);
    await until(() => double.log.slice(mark).every((entry) => entry.end === 'aborted'));
  });

  it('says nothing of the inner words of a provider that failed', async () => {
    double.script('a', { status: 500, message: 'secret stack trace' });
    const error = await failure(whole(lanes, ['a']));
    expect(error.message).toBe('The provider failed: Provider a: it failed inside.');
  });

  it('ends at the deadline of the whole call', async () => {
    const hasty = makeLanes([{ name: 'a', origin: double.origin }], { totalMs: 150 });
    double.script('a', { delayMs: 2_000 });
    const error = await failure(whole(hasty, ['a']));
    expect(error.attempts.map((one) => one.error)).toEqual(['total_timeout']);
    await hasty.upstream.close();
  });
});

describe('the client', () => {
  it('who goes away stops the upstream at once and pays for no further attempt', async () => {
    double.script('a', { blackHole: true });
    const mark = markNow();
    const client = new AbortController();
    const answer = whole(lanes, ['a', 'b'], { signal: client.signal });
    await until(() => double.log.length > mark);
    client.abort();
    await expect(answer).rejects.toBeInstanceOf(UpstreamAborted);
    await until(() => double.log[mark]?.end === 'aborted');
    expect(since(mark)).toEqual(['a']);
  });

  it('who was gone before reaches nobody', async () => {
    const mark = markNow();
    const answer = whole(lanes, ['a'], { signal: AbortSignal.abort() });
    await expect(answer).rejects.toBeInstanceOf(UpstreamAborted);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(double.log.slice(mark).every((entry) => entry.end !== 'finished')).toBe(true);
  });
});

describe('routes', () => {
  it('outside are passed over where the data must stay, and recorded so', async () => {
    const mark = markNow();
    const answer = await whole(lanes, ['abroad', 'b'], { jurisdictionsAllowed: ['rf'] });
    expect(answer.skipped).toEqual([{ deployment: 'abroad:abroad/model', reason: 'jurisdiction' }]);
    expect(since(mark)).toEqual(['b']);
  });

  it('outside alone give data_route_forbidden, and no socket', async () => {
    const error = await failure(whole(lanes, ['abroad'], { jurisdictionsAllowed: ['rf'] }));
    expect(error).toMatchObject({ code: 'data_route_forbidden', status: 403 });
    expect(lanes.upstream.egress()).toEqual([]);
  });

  it('are counted by host, jurisdiction and operator once they were really contacted', async () => {
    await whole(lanes, ['a']);
    // The first connection is free for the next request once its message has ended.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await whole(lanes, ['a']);
    await whole(lanes, ['abroad']);
    const host = new URL(double.origin).host;
    expect(lanes.upstream.egress()).toEqual([
      {
        host,
        jurisdiction: 'rf',
        operator: 'Operator a',
        providerId: 'a',
        connections: 1,
        requests: 2,
      },
      {
        host,
        jurisdiction: 'outside',
        operator: 'Operator abroad',
        providerId: 'abroad',
        connections: 1,
        requests: 1,
      },
    ]);
  });
});
