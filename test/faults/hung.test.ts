import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../support/upstream-double.js';
import { chat, type Seen } from './client.js';
import { type Folder, newUsedFolder, writeProviders } from './providers.js';
import { isAlive, standing } from './workers.js';

const TEST_MS_MAX = 60_000;
const HANG_MS = 2_000;
/** One look more than the timeout, and what a busy machine takes to come to it. */
const SLACK_MS = 5_000;
const DRAIN_MS = 300;
/** What is published for a stop, beyond its drain. */
const STOP_SLACK_MS = 15_000;

let double: SpawnedDouble;
let folder: Folder;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  double = await spawnUpstreamDouble();
  folder = await newUsedFolder();
  environment = {
    GW_DATA_DIR: folder.path,
    GW_NODE_ID: 'hung',
    GW_HANG_TIMEOUT_MS: String(HANG_MS),
    GW_DRAIN_TIMEOUT_MS: String(DRAIN_MS),
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, [
      { lane: 'slow', model: 'slow/model' },
    ]),
    NODE_OPTIONS: '--import=./test/support/blocked-loop.mjs',
  };
  await double.script('slow', { gapMs: 100, repeat: 400 });
});
afterEach(killGateways);
afterAll(async () => {
  await double.close();
  folder.remove();
});

/** A stream that has begun. */
async function openStream(
  gateway: GatewayProcess,
  credential: string,
): Promise<{ ended: Promise<Seen> }> {
  let hasBegun = false;
  const messages = [{ role: 'user', content: 'Расскажи о погоде.' }];
  const ended = chat(gateway.url, {
    credential,
    body: { model: 'slow/model', stream: true, messages },
    cutWhen(text) {
      hasBegun ||= text.includes('"content"');
      return false;
    },
  });
  while (!hasBegun) await sleep(10);
  return { ended };
}

/** Waits for the end of a process that was started here. @returns how long it took */
async function msUntilEnd({ pid }: GatewayProcess): Promise<number> {
  const startedMs = performance.now();
  while (isAlive(pid)) await sleep(50);
  return performance.now() - startedMs;
}

/** Nothing is open after the next start, and the books are in order. */
async function expectRecovered(seen: Seen): Promise<void> {
  const gateway = await startGateway(environment);
  const { violations, booked } = await standing(folder);
  expect(violations).toEqual([]);
  expect([...booked.values()].filter(({ state }) => state === 'open')).toEqual([]);
  expect(booked.get(seen.requestId)?.charges).toBeLessThanOrEqual(1);
  expect(await gateway.terminate()).toBe(0);
}

describe('a single process whose event loop is blocked for ever', () => {
  it(
    'ends itself within the timeout and says why, and the next start recovers what was open',
    async () => {
      const gateway = await startGateway(environment);
      const { key } = await newCustomer(gateway, 1_000);
      const stream = await openStream(gateway, key);
      process.kill(gateway.pid, 'SIGUSR2');
      const ms = await msUntilEnd(gateway);
      expect(ms).toBeGreaterThan(HANG_MS - SLACK_MS / 5);
      expect(ms).toBeLessThan(HANG_MS + SLACK_MS);
      const seen = await stream.ended;
      expect(seen.complete).toBe(false);
      expect(gateway.logs()).toMatch(
        /^the event loop has been blocked for \d\.\d s .*ends itself with SIGKILL.*$/m,
      );
      await expectRecovered(seen);
    },
    TEST_MS_MAX,
  );

  it(
    'ends within the timeout although its SIGTERM is never heard',
    async () => {
      const gateway = await startGateway(environment);
      process.kill(gateway.pid, 'SIGUSR2');
      const startedMs = performance.now();
      expect(await gateway.terminate()).toBeNull();
      expect(performance.now() - startedMs).toBeLessThan(HANG_MS + SLACK_MS);
    },
    TEST_MS_MAX,
  );

  it(
    'is left alone while a debugger is attached',
    async () => {
      const gateway = await startGateway({
        ...environment,
        NODE_OPTIONS: `${environment.NODE_OPTIONS} --inspect=127.0.0.1:0`,
      });
      process.kill(gateway.pid, 'SIGUSR2');
      await sleep(HANG_MS + SLACK_MS);
      expect(isAlive(gateway.pid)).toBe(true);
      await gateway.kill();
    },
    TEST_MS_MAX,
  );

  it(
    'that was only suspended for longer serves on',
    async () => {
      const gateway = await startGateway(environment);
      process.kill(gateway.pid, 'SIGSTOP');
      await sleep(HANG_MS + SLACK_MS);
      process.kill(gateway.pid, 'SIGCONT');
      expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
      expect(await gateway.terminate()).toBe(0);
    },
    TEST_MS_MAX,
  );
});

describe('a stop', () => {
  it(
    'ends within its limit although the event loop is blocked after it began',
    async () => {
      const gateway = await startGateway({ ...environment, GW_HANG_TIMEOUT_MS: '600000' });
      const { key } = await newCustomer(gateway, 1_000);
      const stream = await openStream(gateway, key);
      const startedMs = performance.now();
      const exit = gateway.terminate();
      await sleep(DRAIN_MS / 3);
      process.kill(gateway.pid, 'SIGUSR2');
      expect(await exit).toBeNull();
      expect(performance.now() - startedMs).toBeLessThan(DRAIN_MS + STOP_SLACK_MS);
      expect(gateway.logs()).toMatch(/^the stop has taken 1\d\.\d s .*SIGKILL.*$/m);
      await expectRecovered(await stream.ended);
    },
    TEST_MS_MAX,
  );

  it(
    'ends within its limit and with 1 although the embedded database never does',
    async () => {
      const gateway = await startGateway(environment);
      const pidFile = join(folder.path, 'postgres', 'cluster', 'postmaster.pid');
      const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
      process.kill(postmaster, 'SIGSTOP');
      const startedMs = performance.now();
      const code = await gateway.terminate();
      const ms = performance.now() - startedMs;
      process.kill(postmaster, 'SIGCONT');
      expect([code, ms < DRAIN_MS + STOP_SLACK_MS]).toEqual([1, true]);
      expect(gateway.logs()).toContain('the stop has not ended within');
      while (isAlive(postmaster)) await sleep(50);
    },
    TEST_MS_MAX,
  );
});
