import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { killGateways } from '../support/gateway-process.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../support/upstream-double.js';
import { isAlive, load, standing, type TwoWorkers, twoWorkers, workersOf } from './workers.js';

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

describe('a primary that is killed', () => {
  it(
    'takes its workers along, and another start takes up what all of them left',
    async () => {
      const gateway = await two.start();
      const { key } = await newCustomer(gateway, 100_000);
      const workers = workersOf(gateway);
      let isEnough = false;
      const loading = load(gateway.url, key, () => isEnough);
      await sleep(1_000);
      isEnough = true;
      await gateway.kill();
      await loading;
      while (workers.some(isAlive)) await sleep(20);
      // As of a third worker, which this start has no more.
      const left = join(two.folder.path, 'ledger-journal-shared.w3.jsonl');
      writeFileSync(left, '{"what":"no operation"}\n');
      const again = await two.start();
      expect(statSync(left).size).toBe(0);
      const { violations, booked } = await standing(two.folder);
      expect(violations).toEqual([]);
      expect([...booked.values()].filter(({ state }) => state === 'open')).toEqual([]);
      expect(await again.terminate()).toBe(0);
      const files = readdirSync(two.folder.path).filter((name) =>
        name.startsWith('ledger-journal'),
      );
      expect(files.filter((name) => statSync(join(two.folder.path, name)).size > 0)).toEqual([]);
      expect(existsSync(join(two.folder.path, 'postgres/cluster/postmaster.pid'))).toBe(false);
    },
    TEST_MS_MAX,
  );
});
