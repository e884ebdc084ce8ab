import { beforeEach, describe, expect, it } from 'vitest';
import { AttemptFailure } from '../../../src/inference/upstream/attempt-failure.js';
import type { AttemptError } from '../../../src/inference/upstream/call.js';
import { Standing } from '../../../src/inference/upstream/standing.js';

let nowMs = 0;
const now = () => nowMs;
const pass = (milliseconds: number) => {
  nowMs += milliseconds;
};

/** Calls in order: null is an answer that ends well. */
function run(standing: Standing, ...errors: (AttemptError | null)[]): void {
  for (const error of errors) {
    const visit = standing.enter();
    if (error === null) {
      visit?.answered('stream', 50);
      visit?.ended(undefined);
    } else visit?.failed(new AttemptFailure(error, 'x'));
  }
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

let standing: Standing;
beforeEach(() => {
  standing = new Standing({ opens: true, now });
});

describe('a breaker', () => {
  it('opens at five failures in a row and not at four', () => {
    run(standing, ...times(4, 'reset' as const), null, ...times(4, 'reset' as const));
    expect([standing.state, standing.admits()]).toEqual(['closed', true]);
    run(standing, 'reset');
    expect([standing.state, standing.admits()]).toEqual(['open', false]);
    expect(standing.figures).toMatchObject({ calls: 10, failures: 9 });
  });

  it('opens when half of twenty calls failed, though never two in a row', () => {
    for (let pair = 0; pair < 9; pair += 1) run(standing, null, 'server_error');
    expect(standing.state).toBe('closed');
    run(standing, null, 'server_error');
    expect(standing.state).toBe('open');
  });

  it('forgets calls after thirty seconds', () => {
    for (let pair = 0; pair < 9; pair += 1) run(standing, null, 'server_error');
    pass(31_000);
    run(standing, null, 'server_error');
    expect(standing.state).toBe('closed');
  });

  it.each([
    'rejected',
    'rate_limited',
    'aborted',
    'total_timeout',
    'internal',
    'credentials_refused',
  ] as const)('never opens for %s, which is not the fault of the provider', (error) => {
    run(standing, ...times(100, error));
    expect([standing.state, standing.figures.failures]).toEqual(['closed', 0]);
  });

  it('never opens for what this process throws', () => {
    for (let call = 0; call < 100; call += 1) {
      expect(standing.enter()?.failed(new TypeError('ours'))).toBe(false);
    }
    expect([standing.state, standing.figures.failures]).toEqual(['closed', 0]);
  });

  it('lets one probe through after thirty seconds, and closes when it is answered', () => {
    run(standing, ...times(5, 'reset' as const));
    pass(29_999);
    expect([standing.admits(), standing.waitMs]).toEqual([false, 1]);
    pass(1);
    expect(standing.admits()).toBe(true);
    const probe = standing.enter();
    expect([standing.state, standing.admits(), standing.enter()]).toEqual([
      'half_open',
      false,
      undefined,
    ]);
    probe?.answered('stream', 50);
    expect([standing.state, standing.admits()]).toEqual(['closed', true]);
  });

  it('waits longer with each probe that fails, five minutes at most', () => {
    run(standing, ...times(5, 'reset' as const));
    const waits: number[] = [];
    for (let probe = 0; probe < 12; probe += 1) {
      waits.push(standing.waitMs);
      pass(standing.waitMs);
      run(standing, 'first_byte_timeout');
    }
    expect(waits.slice(0, 4)).toEqual([30_000, 60_000, 90_000, 120_000]);
    expect(waits.slice(-2)).toEqual([300_000, 300_000]);
  });

  it.each([
    ['that the client gave up', new AttemptFailure('aborted', 'x')],
    ['that ran out of the time of its request', new AttemptFailure('total_timeout', 'x')],
    ['that we broke', new Error('ours')],
  ])('after a probe %s lets the next one probe at once', (_, thrown) => {
    run(standing, ...times(5, 'reset' as const));
    pass(30_000);
    for (let probe = 0; probe < 10; probe += 1) standing.enter()?.failed(thrown);
    expect([standing.state, standing.admits(), standing.waitMs]).toEqual(['open', true, 0]);
    run(standing, null);
    expect(standing.state).toBe('closed');
  });

  it.each(['rejected', 'rate_limited'] as const)('closes by a probe that was %s', (error) => {
    run(standing, ...times(5, 'reset' as const));
    pass(30_000);
    run(standing, error);
    expect(standing.state).toBe('closed');
  });

  it('does not hear of calls that began before it opened', () => {
    const late = standing.enter();
    run(standing, ...times(5, 'reset' as const));
    late?.answered('stream', 50);
    expect(standing.state).toBe('open');
    pass(30_000);
    const old = standing.enter();
    expect(standing.state).toBe('half_open');
    old?.failed(new AttemptFailure('reset', 'x'));
    expect(standing.waitMs).toBe(60_000);
  });

  it('opens for five streams in a row that broke after they had begun', () => {
    for (let stream = 0; stream < 5; stream += 1) {
      expect(standing.state).toBe('closed');
      const visit = standing.enter();
      visit?.answered('stream', 50);
      visit?.ended(new AttemptFailure('cut', 'x'));
    }
    expect([standing.state, standing.figures.failures]).toEqual(['open', 5]);
  });

  it('hears of a stream that broke in the read in which it began', () => {
    for (let stream = 0; stream < 5; stream += 1) {
      const visit = standing.enter();
      visit?.ended(new AttemptFailure('cut', 'x'));
      visit?.answered('stream', 50);
    }
    expect(standing.state).toBe('open');
  });

  it('lets calls past it when it is told to, and learns nothing of them', () => {
    run(standing, ...times(5, 'reset' as const));
    standing.enter(true)?.answered('stream', 50);
    expect(standing.state).toBe('open');
  });

  it('counts each call once, however often it is told how it went', () => {
    const visit = standing.enter();
    expect(visit?.failed(new AttemptFailure('reset', 'x'))).toBe(true);
    expect(visit?.failed(new AttemptFailure('reset', 'x'))).toBe(false);
    visit?.answered('stream', 1);
    visit?.ended(new AttemptFailure('cut', 'x'));
    expect(standing.figures).toMatchObject({ calls: 1, failures: 1, latencyMs: null });
  });

  it('keeps figures but never opens for the sandbox, nor is it set aside', () => {
    const sandbox = new Standing({ opens: false, now });
    run(sandbox, ...times(50, 'server_error' as const));
    for (let lie = 0; lie < 50; lie += 1) sandbox.discredit('usage_beyond_bounds');
    expect([sandbox.state, sandbox.keepsOut(), sandbox.figures.failures]).toEqual([
      'closed',
      false,
      100,
    ]);
  });
});

describe('a deployment that is discredited', () => {
  const lie = () => {
    run(standing, null);
    standing.discredit('usage_beyond_bounds');
  };

  it('is called no more after five lies in a row, and is so not after four', () => {
    for (let call = 0; call < 4; call += 1) lie();
    expect(standing.state).toBe('closed');
    lie();
    expect(standing.state).toBe('open');
    expect(standing.figures).toMatchObject({
      calls: 5,
      failures: 5,
      discredited: { usage_beyond_bounds: 5, output_beyond_limit: 0 },
    });
  });

  it('is called no more when half of its answers are lies', () => {
    for (let pair = 0; pair < 10; pair += 1) {
      expect(standing.state).toBe('closed');
      run(standing, null);
      lie();
    }
    expect(standing.state).toBe('open');
  });

  it('is called on when it lies now and then', () => {
    for (let round = 0; round < 20; round += 1) {
      run(standing, ...times(9, null));
      lie();
    }
    expect(standing.state).toBe('closed');
  });
});
