import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AttemptFailure } from '../../../src/inference/upstream/attempt-failure.js';
import { DeploymentBreaker } from '../../../src/inference/upstream/breaker.js';
import type { AttemptError } from '../../../src/inference/upstream/call.js';

const answer = async () => 'answer';
const failing = (error: AttemptError) => () => Promise.reject(new AttemptFailure(error, 'x'));

async function run(breaker: DeploymentBreaker, ...errors: (AttemptError | null)[]): Promise<void> {
  for (const error of errors) {
    await breaker.run<unknown>(error === null ? answer : failing(error), false).catch(() => null);
  }
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('DeploymentBreaker', () => {
  let breaker: DeploymentBreaker;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime('2026-11-20T12:00:00Z');
    breaker = new DeploymentBreaker({ opens: true });
  });
  afterEach(() => void vi.useRealTimers());

  it('opens at five failures in a row and not at four', async () => {
    await run(breaker, ...times(4, 'reset' as const), null, ...times(4, 'reset' as const));
    expect([breaker.state, breaker.admits()]).toEqual(['closed', true]);
    await run(breaker, 'reset');
    expect([breaker.state, breaker.admits()]).toEqual(['open', false]);
    expect(breaker.figures).toMatchObject({ calls: 10, failures: 9 });
  });

  it('opens when half of twenty calls failed, though never two in a row', async () => {
    for (let pair = 0; pair < 9; pair += 1) await run(breaker, null, 'server_error');
    expect(breaker.state).toBe('closed');
    await run(breaker, null, 'server_error');
    expect(breaker.state).toBe('open');
  });

  it('forgets calls after thirty seconds', async () => {
    for (let pair = 0; pair < 9; pair += 1) await run(breaker, null, 'server_error');
    vi.advanceTimersByTime(31_000);
    await run(breaker, null, 'server_error');
    expect(breaker.state).toBe('closed');
  });

  it('never opens for requests that were refused, limited or given up', async () => {
    await run(breaker, ...times(30, 'rejected' as const));
    await run(breaker, ...times(30, 'rate_limited' as const));
    await run(breaker, ...times(30, 'aborted' as const));
    expect(breaker.state).toBe('closed');
  });

  it('lets one probe through after thirty seconds, and closes when it succeeds', async () => {
    await run(breaker, ...times(5, 'reset' as const));
    vi.advanceTimersByTime(29_999);
    expect([breaker.admits(), breaker.waitMs]).toEqual([false, 1]);
    vi.advanceTimersByTime(1);
    expect(breaker.admits()).toBe(true);
    let finish: (value: string) => void = () => undefined;
    const probe = breaker.run(() => new Promise<string>((resolve) => (finish = resolve)), false);
    expect([breaker.state, breaker.admits()]).toEqual(['half_open', false]);
    finish('answer');
    expect(await probe).toBe('answer');
    expect([breaker.state, breaker.admits()]).toEqual(['closed', true]);
  });

  it('waits longer with each probe that fails, five minutes at most', async () => {
    await run(breaker, ...times(5, 'reset' as const));
    const waits: number[] = [];
    for (let probe = 0; probe < 12; probe += 1) {
      waits.push(breaker.waitMs);
      vi.advanceTimersByTime(breaker.waitMs);
      await run(breaker, 'first_byte_timeout');
    }
    expect(waits.slice(0, 4)).toEqual([30_000, 60_000, 90_000, 120_000]);
    expect(waits.slice(-2)).toEqual([300_000, 300_000]);
  });

  it('stays open after a probe that the client gave up', async () => {
    await run(breaker, ...times(5, 'reset' as const));
    vi.advanceTimersByTime(30_000);
    await run(breaker, 'aborted');
    expect(breaker.state).toBe('open');
  });

  it('learns from streams that broke after they had begun', async () => {
    for (let stream = 0; stream < 5; stream += 1) {
      await breaker.run(answer, false);
      await breaker.learn(new AttemptFailure('cut', 'x'));
    }
    await run(breaker, ...times(10, 'cut' as const));
    expect(breaker.state).toBe('open');
  });

  it('calls past an open breaker when told to', async () => {
    await run(breaker, ...times(5, 'reset' as const));
    expect(await breaker.run(answer, true)).toBe('answer');
    expect(breaker.state).toBe('open');
  });

  it('keeps figures but never opens for the sandbox', async () => {
    const sandbox = new DeploymentBreaker({ opens: false });
    await run(sandbox, ...times(50, 'server_error' as const));
    expect([sandbox.state, sandbox.figures.failures]).toEqual(['closed', 50]);
  });
});
