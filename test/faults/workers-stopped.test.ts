import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { killGateways } from '../support/gateway-process.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../support/upstream-double.js';
import { chat, inParallel } from './client.js';
import { bodyOf, isAlive, type TwoWorkers, twoWorkers, workersOf } from './workers.js';

const TEST_MS_MAX = 60_000;

let double: SpawnedDouble;
let two: TwoWorkers;

beforeAll(async () => {
  double = await spawnUpstreamDouble();
  two = await twoWorkers(double.origin, ['quick', 'slow']);
  await double.script('quick', { delayMs: 40, gapMs: 5 });
  await double.script('slow', { gapMs: 60, repeat: 4 });
});
afterEach(killGateways);
afterAll(async () => {
  await double.close();
  two.folder.remove();
});

describe('a gateway of two workers that gets SIGTERM', () => {
  it(
    'lets both end what they have begun, and leaves nobody and nothing behind',
    async () => {
      const gateway = await two.start();
      const { key } = await newCustomer(gateway, 100_000);
      const workers = workersOf(gateway);
      const begun = new Set<number>();
      const streams = inParallel(20, 20, (index) =>
        chat(gateway.url, {
          credential: key,
          body: { ...bodyOf(0), stream: true },
          cutWhen(text) {
            if (text.includes('"content"')) begun.add(index);
            return false;
          },
        }),
      );
      while (begun.size < 20) await sleep(10);
      expect(await gateway.terminate()).toBe(0);
      const seen = await streams;
      expect(new Set(seen.map(({ complete }) => complete))).toEqual(new Set([true]));
      expect([gateway.pid, ...workers].filter(isAlive)).toEqual([]);
    },
    TEST_MS_MAX,
  );
});
