import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RewrittenStream } from '../../../src/inference/chat/rewritten-stream.js';
import { inspectRequestApart, THREADS } from '../../../src/inference/firewall/apart/apart.js';
import {
  ScanAbandoned,
  ScanThread,
  ScanUnbegun,
  type Turn,
} from '../../../src/inference/firewall/apart/scan-thread.js';
import { ScanLost } from '../../../src/inference/firewall/apart/work.js';
import { Vault } from '../../../src/inference/firewall/mask.js';
import { UpstreamAborted } from '../../../src/inference/upstream/failure.js';
import type { GatewayError } from '../../../src/kernel/errors/fail.js';
import { withOwnClasses } from '../../../src/kernel/firewall/modes.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A thread that answers each text when it is told to, by the text `next`. */
const HELD = `
  const { parentPort } = require('node:worker_threads');
  const state = new Int32Array(require('node:worker_threads').workerData);
  parentPort.on('message', ({ text }) => {
    Atomics.wait(state, 0, 0);
    Atomics.store(state, 0, 0);
    parentPort.postMessage({ kind: text.startsWith('lost') ? 'lost' : 'done', result: text });
  });`;

/** A thread whose work takes as long as is said of it, by the clock of the test. */
function heldThread() {
  const workerData = new SharedArrayBuffer(4);
  const state = new Int32Array(workerData);
  const thread = new ScanThread(() => new Worker(HELD, { eval: true, workerData }), 600_000);
  const modes = { modes: DEFAULT_MODES, rules: [] };
  const vault = new Vault().packed();
  let nowMs = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  return {
    run: (text: string, turn: Turn) =>
      thread.run({ kind: 'said', text, modes, vault }, turn) as Promise<unknown>,
    /** Lets the text at hand end, after that time. */
    end(tookMs: number) {
      nowMs += tookMs;
      Atomics.store(state, 0, 1);
      Atomics.notify(state, 0);
    },
  };
}

describe('a turn of the thread that scans', () => {
  it('goes to the owner that has used the least time, whoever came first', async () => {
    const { run, end } = heldThread();
    const order: unknown[] = [];
    const done = (text: string, owner: string) => run(text, { owner }).then((t) => order.push(t));
    const all = [
      done('slow 1', 'slow'),
      done('slow 2', 'slow'),
      done('slow 3', 'slow'),
      done('quick 1', 'quick'),
      done('quick 2', 'quick'),
      done('quick 3', 'quick'),
    ];
    for (let turn = 0; turn < all.length; turn += 1) {
      const isSlow = turn === 0 || turn > 3;
      end(isSlow ? 15_000 : 1_000);
      await expect.poll(() => order.length).toBe(turn + 1);
    }
    await Promise.all(all);
    // In turns by count it would be slow, quick, slow, quick.
    expect(order).toEqual(['slow 1', 'quick 1', 'quick 2', 'quick 3', 'slow 2', 'slow 3']);
  });

  it('is waited for no longer than is stated, and what has begun is done', async () => {
    const { run, end } = heldThread();
    const begun = run('begun', { owner: 'a', waitMsMax: 1 });
    const late = run('late', { owner: 'b', waitMsMax: 1 });
    await expect(late).rejects.toEqual(new ScanUnbegun());
    end(1);
    expect(await begun).toBe('begun');
    const next = run('next', { owner: 'b' });
    end(1);
    expect(await next).toBe('next');
  });

  it('is left by a client that leaves, and by that one alone', async () => {
    const { run, end } = heldThread();
    const first = run('first', { owner: 'a' });
    const leaving = new AbortController();
    const left = run('left', { owner: 'b', signal: leaving.signal });
    leaving.abort();
    await expect(left).rejects.toEqual(new ScanAbandoned());
    end(1);
    expect(await first).toBe('first');
  });

  it('tells where the thread has lost what it kept', async () => {
    const { run, end } = heldThread();
    const lost = run('lost', { owner: 'a' });
    end(1);
    await expect(lost).rejects.toEqual(new ScanLost());
  });
});

describe('a request that waits for its scan', () => {
  const inspected = () =>
    inspectRequestApart({ input: 'text' }, DEFAULT_MODES, undefined, { owner: 'one' });

  it('is refused as busy with the time after which to come back', async () => {
    vi.spyOn(THREADS, 'requests').mockRejectedValue(new ScanUnbegun());
    const refusal = (await inspected().catch((thrown: unknown) => thrown)) as GatewayError;
    expect([refusal.code, refusal.status, refusal.details]).toEqual([
      'firewall_busy',
      503,
      { values: { seconds: 30 }, retryAfterMs: 10_000 },
    ]);
  });

  it('ends as one that its client has left', async () => {
    vi.spyOn(THREADS, 'requests').mockRejectedValue(new ScanAbandoned());
    await expect(inspected()).rejects.toBeInstanceOf(UpstreamAborted);
  });
});

describe('a stream that is read apart', () => {
  const MASKING = withOwnClasses({ ...DEFAULT_MODES, card: 'mask' }, [
    { name: 'ticket', words: [], patterns: ['T-[0-9]{4}'], mode: 'mask', dataClass: 'C2' },
  ]);
  const event = (content: string) =>
    Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
  const codeOf = (thrown: unknown) => (thrown as GatewayError).code;

  const TEXTS = ['Заявка T-1234 принята. ', 'Карта 4111 1111 1111 1111. ', 'Дальше. '];

  /** How the events of a stream end whose thread is lost by the calls that are named. */
  async function sent(isLost: (call: number) => boolean) {
    const ask = THREADS.streams;
    let calls = 0;
    vi.spyOn(THREADS, 'streams').mockImplementation((work, turn) => {
      calls += 1;
      return isLost(calls) ? Promise.reject(new ScanLost()) : ask(work, turn);
    });
    const stream = new RewrittenStream({
      publicModel: 'public',
      modes: MASKING,
      vault: new Vault(),
      asker: { owner: 'one' },
    });
    const pushed = TEXTS.map((text) => stream.push(event(text), 1));
    const ends = await Promise.allSettled([...pushed, stream.flush()]);
    stream.end();
    vi.restoreAllMocks();
    return ends.map((end) => (end.status === 'rejected' ? codeOf(end.reason) : String(end.value)));
  }

  it('is read again where its thread was lost, and sends what it would have sent', async () => {
    const whole = await sent(() => false);
    expect(whole.join('')).toContain('Дальше');
    expect(whole.join('')).not.toContain('4111');
    expect(await sent((call) => call === 3)).toEqual(whole);
  });

  it('sends nothing more once each thread has lost it, not even what came meanwhile', async () => {
    const [first, ...others] = await sent((call) => call >= 3);
    expect(first).toContain('"public"');
    expect(others).toEqual(Array(3).fill('firewall_scan_lost'));
  });
});
