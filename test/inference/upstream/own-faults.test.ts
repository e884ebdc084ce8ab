import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failureOfSocket } from '../../../src/inference/upstream/attempt-failure.js';
import { UpstreamAborted } from '../../../src/inference/upstream/failure.js';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';
import { chatCall, type Lanes, makeLanes, until, whole } from './lanes.js';

let double: UpstreamDouble;
let lanes: Lanes;
beforeAll(async () => {
  double = await startUpstreamDouble();
});
afterAll(async () => {
  await lanes.upstream.close();
  await double.close();
});
beforeEach(async () => {
  await lanes?.upstream.close();
  lanes = makeLanes(['a', 'b', 'c'].map((name) => ({ name, origin: double.origin })));
  for (const name of ['a', 'b', 'c']) double.script(name, {});
});

const standsUntouched = { state: 'closed', failures: 0, aside: null };

describe('a fault of our own', () => {
  it('while the body is made comes out as it is and counts against nobody', async () => {
    const ours = new TypeError('the body cannot be made');
    const mark = double.log.length;
    for (let call = 0; call < 30; call += 1) {
      const bodyFor = () => {
        throw ours;
      };
      await expect(whole(lanes, ['a', 'b'], { bodyFor })).rejects.toBe(ours);
    }
    expect(double.log).toHaveLength(mark);
    expect(lanes.upstream.health()[0]).toMatchObject({ ...standsUntouched, calls: 30 });
  });

  it('in a second attempt gives the place in the retry budget back', async () => {
    double.script('a', { status: 500 });
    const ours = new TypeError('the body cannot be made');
    for (let call = 0; call < 4; call += 1) {
      const bodyFor: typeof good = (deployment) => {
        if (deployment.providerId === 'b') throw ours;
        return good(deployment);
      };
      await expect(whole(lanes, ['a', 'b'], { bodyFor })).rejects.toBe(ours);
    }
    // Three places were there; were they not given back, this one would fail for want of one.
    double.script('c', { status: 500 }, {});
    const answer = await whole(lanes, ['c']);
    expect(answer.attempts.map(({ error }) => error)).toEqual(['server_error', null]);
    expect(lanes.upstream.health()[1]).toMatchObject(standsUntouched);
  });

  it('in the carrier, which closes because the process stops, counts against nobody', async () => {
    double.script('a', { blackHole: true });
    const mark = double.log.length;
    const answer = whole(lanes, ['a', 'b']);
    await until(() => double.log.length > mark);
    await Promise.all([
      lanes.upstream.close(),
      expect(answer).rejects.toMatchObject({ code: 'internal_error' }),
    ]);
    expect(lanes.upstream.health()[0]).toMatchObject(standsUntouched);
  });

  it.each(['EMFILE', 'ENOBUFS', 'EADDRNOTAVAIL', 'UND_ERR_DESTROYED'])(
    'of the sockets of this process is told from one of the provider: %s',
    (code) => {
      const error = Object.assign(new Error('x'), { code });
      expect(failureOfSocket(error, false).error).toBe('internal');
    },
  );
});

const { bodyFor: good } = chatCall(false);

describe('what speaks of the request', () => {
  it.each([400, 404, 413, 422])('as a %i does counts against nobody', async (status) => {
    double.script('a', { status });
    for (let call = 0; call < 25; call += 1) {
      await expect(whole(lanes, ['a'])).rejects.toMatchObject({
        attempts: [{ error: 'rejected', counted: false, status }],
      });
    }
    expect(lanes.upstream.health()[0]).toMatchObject({ ...standsUntouched, calls: 25 });
  });

  it('a client that leaves counts against nobody, and leaves no place taken', async () => {
    double.script('a', { blackHole: true });
    for (let call = 0; call < 12; call += 1) {
      const client = new AbortController();
      const mark = double.log.length;
      const answer = whole(lanes, ['a', 'b'], { signal: client.signal });
      await until(() => double.log.length > mark);
      client.abort();
      await expect(answer).rejects.toBeInstanceOf(UpstreamAborted);
    }
    expect(lanes.upstream.health()[0]).toMatchObject({ ...standsUntouched, calls: 12 });
  });
});

describe('credentials that are refused', () => {
  it('are no failure of the provider; others are asked first until a probe', async () => {
    double.script('a', { status: 401 });
    for (let call = 0; call < 3; call += 1) {
      const answer = await whole(lanes, ['a', 'b']);
      expect(answer.attempts[0]).toMatchObject({ error: 'credentials_refused', counted: false });
    }
    const mark = double.log.length;
    const answer = await whole(lanes, ['a', 'b']);
    expect(double.log.slice(mark).map(({ lane }) => lane)).toEqual(['b']);
    expect(answer.skipped).toEqual([{ deployment: 'a:a/model', reason: 'set_aside' }]);
    expect(lanes.upstream.health()[0]).toMatchObject({
      state: 'closed',
      failures: 0,
      aside: 'credentials_refused',
    });
  });

  it('do not keep the only deployment from being asked', async () => {
    double.script('a', { status: 403 });
    for (let call = 0; call < 5; call += 1) await whole(lanes, ['a']).catch(() => undefined);
    double.script('a', {});
    expect((await whole(lanes, ['a'])).attempts).toHaveLength(1);
  });
});

describe('a breaker that opens while others are on their way', () => {
  it('costs no request its answer: they move on', async () => {
    double.script('a', { status: 500 });
    for (let round = 0; round < 6; round += 1) {
      const fresh = makeLanes(['a', 'b'].map((name) => ({ name, origin: double.origin })));
      const calls = Array.from({ length: 40 }, () => whole(fresh, ['a', 'b']));
      const late = Array.from({ length: 40 }, async (_, index) => {
        await until(() => (fresh.upstream.health()[0]?.failures ?? 0) > index % 5);
        return whole(fresh, ['a', 'b']);
      });
      const answers = await Promise.all([...calls, ...late]);
      expect(answers.map(({ deployment }) => deployment.providerId)).toEqual(Array(80).fill('b'));
      await fresh.upstream.close();
    }
  });

  it('lets one probe go and all others move on, whatever becomes of it', async () => {
    const mixed = makeLanes(['a', 'b'].map((name) => ({ name, origin: double.origin })));
    double.script('a', { status: 500 });
    for (let call = 0; call < 5; call += 1) await whole(mixed, ['a', 'b']);
    const { now } = performance;
    performance.now = () => now.call(performance) + 30_000;
    try {
      const mark = double.log.length;
      const answers = await Promise.all(Array.from({ length: 20 }, () => whole(mixed, ['a', 'b'])));
      expect(answers.map(({ deployment }) => deployment.providerId)).toEqual(Array(20).fill('b'));
      expect(double.log.slice(mark).filter(({ lane }) => lane === 'a')).toHaveLength(1);
      const skips = answers.flatMap(({ skipped }) => skipped);
      expect(skips).toEqual(Array(19).fill({ deployment: 'a:a/model', reason: 'breaker_open' }));
    } finally {
      performance.now = now;
      await mixed.upstream.close();
    }
  });
});

describe('a deployment that is discredited', () => {
  it('by its answers is called no more, and health says why', async () => {
    const [first] = lanes.chain('a');
    if (first === undefined) throw new Error('there is a lane');
    for (let call = 0; call < 5; call += 1) {
      const answer = await whole(lanes, ['a', 'b']);
      expect(answer.deployment).toBe(first);
      lanes.upstream.discredit(answer.deployment, 'usage_beyond_bounds');
    }
    expect(lanes.upstream.healthy(first)).toBe(false);
    expect(lanes.upstream.health()[0]).toMatchObject({
      state: 'open',
      calls: 5,
      failures: 5,
      discredited: { usage_beyond_bounds: 5, output_beyond_limit: 0 },
    });
    expect((await whole(lanes, ['a', 'b'])).skipped).toEqual([
      { deployment: 'a:a/model', reason: 'breaker_open' },
    ]);
  });
});
