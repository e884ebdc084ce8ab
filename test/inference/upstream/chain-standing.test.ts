import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StreamAnswer } from '../../../src/inference/upstream/call.js';
import { UpstreamFailure } from '../../../src/inference/upstream/failure.js';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';
import { chatCall, drain, type Lanes, makeLanes, whole } from './lanes.js';

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
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UpstreamFailure);
  return error as UpstreamFailure;
}

describe('circuit breakers', () => {
  it('pass over a deployment after five failures in a row, and say so', async () => {
    double.script('a', { status: 500 });
    for (let call = 0; call < 5; call += 1) await whole(lanes, ['a', 'b']);
    const [first] = lanes.chain('a');
    expect(first && lanes.upstream.healthy(first)).toBe(false);
    const mark = markNow();
    const answer = await whole(lanes, ['a', 'b']);
    expect(since(mark)).toEqual(['b']);
    expect(answer.skipped).toEqual([{ deployment: 'a:a/model', reason: 'breaker_open' }]);
    expect(lanes.upstream.health().find((one) => one.deployment === 'a:a/model')).toEqual({
      deployment: 'a:a/model',
      state: 'open',
      calls: 5,
      failures: 5,
      latencyMs: null,
      aside: null,
      discredited: { usage_beyond_bounds: 0, output_beyond_limit: 0 },
    });
  });

  it('give upstream_unavailable and the time of the next probe when all are open', async () => {
    double.script('a', { status: 500 });
    for (let call = 0; call < 5; call += 1) await whole(lanes, ['a', 'b']);
    const error = await failure(whole(lanes, ['a']));
    expect(error).toMatchObject({ code: 'upstream_unavailable', status: 503, attempts: [] });
    expect(error.details.retryAfterMs).toBeGreaterThan(1_000);
  });

  it('are honoured as long as one of the chain is closed, however many are open', async () => {
    for (const name of ['a', 'b', 'c']) double.script(name, { status: 500 });
    for (let call = 0; call < 5; call += 1) await failure(whole(lanes, ['a', 'b', 'c']));
    const states = lanes.upstream.health().map(({ state }) => state);
    expect(states.filter((state) => state === 'open')).toHaveLength(3);
    const four = lanes.chain('gone', 'gone');
    for (let call = 0; call < 3; call += 1) {
      await failure(lanes.upstream.call(four, chatCall(false)));
    }
    const mark = markNow();
    const answer = await whole(lanes, ['a', 'b', 'gone', 'c', 'd']);
    expect([answer.deployment.providerId, since(mark)]).toEqual(['d', ['d']]);
    expect(answer.attempts).toHaveLength(1);
  });

  it('are ignored when more than half of all deployments are open', async () => {
    const two = makeLanes(['a', 'b'].map((name) => ({ name, origin: double.origin })));
    for (const name of ['a', 'b']) double.script(name, { status: 500 });
    for (let call = 0; call < 4; call += 1) await failure(whole(two, ['a', 'b']));
    expect(two.upstream.health().map((one) => one.state)).toEqual(['open', 'open']);
    for (const name of ['a', 'b']) double.script(name, {});
    expect((await whole(two, ['a', 'b'])).deployment.providerId).toBe('a');
    await two.upstream.close();
  });
});

/** The most requests that a lane had at once since a mark. */
function mostAtOnce(lane: string, mark: number): number {
  const mine = double.log.slice(mark).filter((entry) => entry.lane === lane);
  const during = (atMs: number) =>
    mine.filter((entry) => entry.atMs <= atMs && (entry.endMs ?? Number.POSITIVE_INFINITY) > atMs);
  return Math.max(...mine.map(({ atMs }) => during(atMs).length));
}

describe('the retry budget', () => {
  it('bounds no move to a deployment that is answering', async () => {
    double.script('a', { status: 500, delayMs: 20 });
    await whole(lanes, ['a', 'b']);
    double.script('b', { delayMs: 600 });
    const mark = markNow();
    const answers = await Promise.all(Array.from({ length: 12 }, () => whole(lanes, ['a', 'b'])));
    expect(answers.map(({ deployment }) => deployment.providerId)).toEqual(Array(12).fill('b'));
    // Three are the most where each has to take a place.
    expect(mostAtOnce('b', mark)).toBeGreaterThan(3);
  });

  it('bounds moves to one that is not', async () => {
    double.script('a', { status: 500 });
    double.script('b', { status: 500, delayMs: 50 });
    const mark = markNow();
    const ends = await Promise.all(
      Array.from({ length: 12 }, () => failure(whole(lanes, ['a', 'b']))),
    );
    expect(ends.map(({ code }) => code)).toEqual(Array(12).fill('upstream_failed'));
    expect(mostAtOnce('b', mark)).toBeLessThanOrEqual(3);
  });
});

describe('the first byte', () => {
  it('is waited for over all attempts no longer than the time for it', async () => {
    const short = makeLanes(
      ['a', 'b', 'c'].map((name) => ({ name, origin: double.origin })),
      { firstByteMs: 400, firstByteTotalMs: 500 },
    );
    for (const name of ['a', 'b', 'c']) double.script(name, { silentAfterHeaders: true });
    const error = await failure(short.upstream.call(short.chain('a', 'b', 'c'), chatCall(true)));
    expect(error).toMatchObject({ code: 'upstream_timeout', status: 504 });
    // The first two were given half of what was left each; for the third the time ran out.
    expect(error.attempts.map((one) => [one.error, one.counted])).toEqual([
      ['first_byte_timeout', false],
      ['first_byte_timeout', false],
      ['total_timeout', false],
    ]);
    expect(short.upstream.health().map(({ failures }) => failures)).toEqual([0, 0, 0]);
    await short.upstream.close();
  });

  it('is waited for as long as configured where nobody else could answer', async () => {
    const patient = makeLanes([{ name: 'a', origin: double.origin }], {
      firstByteMs: 3_000,
      firstByteTotalMs: 6_000,
    });
    for (let call = 0; call < 12; call += 1) await whole(patient, ['a']);
    double.script('a', { delayMs: 1_600 });
    expect((await whole(patient, ['a'])).attempts).toHaveLength(1);
    await patient.upstream.close();
  });

  it('of one with a short history is not waited for beyond it when a peer can answer', async () => {
    const peers = makeLanes(
      ['a', 'b'].map((name) => ({ name, origin: double.origin, model: 'one/model' })),
      { firstByteMs: 60_000, firstByteTotalMs: 120_000, totalMs: 200_000 },
    );
    const stream = () => peers.upstream.call(peers.chain('a', 'b'), chatCall(true));
    for (let call = 0; call < 10; call += 1) await drain((await stream()) as StreamAnswer);
    double.script('a', { silentAfterHeaders: true });
    const answer = await stream();
    expect(answer.attempts.map((one) => [one.providerId, one.error, one.counted])).toEqual([
      ['a', 'first_byte_timeout', false],
      ['b', null, false],
    ]);
    expect(peers.upstream.health()[0]).toMatchObject({ state: 'closed', failures: 0 });
    await peers.upstream.close();
  });
});
