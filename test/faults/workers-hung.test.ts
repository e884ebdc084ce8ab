import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { killGateways } from '../support/gateway-process.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../support/upstream-double.js';
import { faultsOf } from './booked-as-seen.js';
import { chat } from './client.js';
import {
  bodyOf,
  CONCURRENCY,
  figuresOf,
  isAlive,
  load,
  standing,
  type TwoWorkers,
  twoWorkers,
  untilServing,
  workersOf,
} from './workers.js';

const TEST_MS_MAX = 90_000;
const HANG_MS = 3_000;
const DRAIN_MS = 300;
/** What is published for a stop, beyond its drain. */
const STOP_SLACK_MS = 15_000;
/** Asks of one connection each; at most one of them is on its way to a worker that has hung. */
const ASKED_MEANWHILE = 10;

let double: SpawnedDouble;
let two: TwoWorkers;

beforeAll(async () => {
  double = await spawnUpstreamDouble();
  two = await twoWorkers(double.origin, ['quick', 'slow'], {
    GW_HANG_TIMEOUT_MS: String(HANG_MS),
    GW_DRAIN_TIMEOUT_MS: String(DRAIN_MS),
  });
  await double.script('quick', { delayMs: 40, gapMs: 5 });
  await double.script('slow', { gapMs: 60, repeat: 4 });
});
afterEach(killGateways);
afterAll(async () => {
  await double.close();
  two.folder.remove();
});

/** The lines of the log with this message. */
function linesOf(logs: string, message: string): unknown[] {
  const lines = logs.split('\n').filter((line) => line.includes(message));
  return lines.map((line) => JSON.parse(line));
}

describe('a worker that is stopped by SIGSTOP', () => {
  it(
    'is killed and replaced, the other one serves meanwhile, and no money is lost',
    async () => {
      const gateway = await two.start();
      const { key } = await newCustomer(gateway, 100_000);
      const [first = 0] = workersOf(gateway);
      let isEnough = false;
      const loading = load(gateway.url, key, () => isEnough);
      await sleep(1_000);
      process.kill(first, 'SIGSTOP');
      const asks = Array.from({ length: ASKED_MEANWHILE }, () =>
        chat(gateway.url, {
          credential: key,
          body: bodyOf(1),
          headers: { connection: 'close' },
          cutAfterMs: HANG_MS - 1_000,
        }),
      );
      const meanwhile = await Promise.all(asks);
      const served = meanwhile.filter(({ status }) => status === 200);
      expect(served.length).toBeGreaterThan(0);
      while (isAlive(first)) await sleep(50);
      await untilServing(gateway.url, 2);
      isEnough = true;
      const seen = await loading;
      expect(linesOf(gateway.logs(), 'a worker has hung and is killed')).toEqual([
        expect.objectContaining({
          worker: expect.stringMatching(/^shared\.w[12]$/),
          silent_ms: expect.any(Number),
        }),
      ]);
      expect(linesOf(gateway.logs(), 'a worker has ended and is started again')).toEqual([
        expect.objectContaining({
          ended: 'SIGKILL',
          reason: expect.stringMatching(/^it was silent for \d{4} ms$/),
        }),
      ]);
      expect(await figuresOf(gateway.url, 'gw_workers_killed_total')).toEqual({ primary: 1 });
      const after = await load(gateway.url, key, twice());
      expect(new Set(after.map(({ status }) => status))).toEqual(new Set([200]));
      const { violations, booked } = await standing(two.folder);
      expect(violations).toEqual([]);
      const known = [...seen, ...meanwhile, ...after].filter(({ status }) => status === 200);
      expect(faultsOf(known, booked)).toEqual([]);
      expect([...booked.values()].filter(({ state }) => state === 'open')).toEqual([]);
      expect(await gateway.terminate()).toBe(0);
    },
    TEST_MS_MAX,
  );

  it(
    'does not keep the gateway from ending within its limit, with 1',
    async () => {
      const never = { ...two.environment, GW_HANG_TIMEOUT_MS: '600000' };
      const gateway = await two.start(never);
      const workers = workersOf(gateway);
      process.kill(workers[0] ?? 0, 'SIGSTOP');
      const startedMs = performance.now();
      expect(await gateway.terminate()).toBe(1);
      expect(performance.now() - startedMs).toBeLessThan(DRAIN_MS + STOP_SLACK_MS);
      expect(gateway.logs()).toContain('a worker has not ended in time and is killed');
      expect([gateway.pid, ...workers].filter(isAlive)).toEqual([]);
    },
    TEST_MS_MAX,
  );
});

describe('a primary that was suspended', () => {
  it(
    'kills none of its workers, with them or without',
    async () => {
      const gateway = await two.start();
      const workers = workersOf(gateway);
      for (const suspended of [[gateway.pid], [gateway.pid, ...workers]]) {
        for (const pid of suspended) process.kill(pid, 'SIGSTOP');
        await sleep(2 * HANG_MS);
        // The primary first: it looks before its workers could have beaten.
        for (const pid of suspended) process.kill(pid, 'SIGCONT');
        await sleep(2_000);
      }
      expect(workersOf(gateway)).toEqual(workers);
      expect(await figuresOf(gateway.url, 'gw_workers_killed_total')).toEqual({ primary: 0 });
      expect(await gateway.terminate()).toBe(0);
    },
    TEST_MS_MAX,
  );
});

describe('a worker whose primary is killed', () => {
  it(
    'ends although its event loop is blocked for ever',
    async () => {
      const gateway = await two.start({
        ...two.environment,
        NODE_OPTIONS: '--import=./test/support/blocked-loop.mjs',
      });
      const workers = workersOf(gateway);
      process.kill(workers[0] ?? 0, 'SIGUSR2');
      await sleep(100);
      await gateway.kill();
      while (workers.some(isAlive)) await sleep(50);
    },
    TEST_MS_MAX,
  );
});

/** False for the first two turns of each of those who ask. */
function twice(): () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    return asked > 2 * CONCURRENCY;
  };
}
