import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer, rest } from '../support/app.js';
import { killGateways } from '../support/gateway-process.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../support/upstream-double.js';
import { faultsOf } from './booked-as-seen.js';
import { embeddedConnection, openBooks } from './books.js';
import {
  CONCURRENCY,
  figuresOf,
  load,
  once,
  standing,
  type TwoWorkers,
  twoWorkers,
  untilServing,
  workersOf,
} from './workers.js';

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

/** Names of nodes that have not retired. */
async function namesOf(): Promise<string[]> {
  const books = openBooks(embeddedConnection(two.folder.path));
  const { rows } = await books.pool.query<{ node_id: string }>(
    'SELECT node_id FROM gateway_node WHERE retired_at IS NULL ORDER BY node_id',
  );
  await books.close();
  return rows.map(({ node_id }) => node_id);
}

describe('a worker that is killed in the middle of requests', () => {
  it(
    'takes neither the port nor the other one down, comes back, and no money is lost',
    async () => {
      const gateway = await two.start();
      const { key, token } = await newCustomer(gateway, 100_000);
      // As many as are asked at once: a slot that the dead one kept would be missing.
      await rest(gateway, 'POST', '/v1/gw/policies', {
        credential: token,
        body: { name: 'slots', limits: { concurrency: CONCURRENCY } },
      });
      expect(await namesOf()).toEqual(['shared.w1', 'shared.w2']);
      const [first, second] = workersOf(gateway);
      let isEnough = false;
      const loading = load(gateway.url, key, () => isEnough);
      await sleep(1_500);
      process.kill(first ?? 0, 'SIGKILL');
      while (!gateway.logs().includes('a worker has ended and is started again')) await sleep(20);
      await untilServing(gateway.url, 2);
      isEnough = true;
      const seen = await loading;
      expect(await figuresOf(gateway.url, 'gw_workers_ended_total')).toEqual({ primary: 1 });
      const after = await load(gateway.url, key, once(CONCURRENCY));
      expect(new Set(after.map(({ status }) => status))).toEqual(new Set([200]));
      const cut = seen.filter(({ complete }) => !complete);
      // Only connections of the one that died: the other one had about as many.
      expect(cut.length).toBeGreaterThan(0);
      expect(cut.length).toBeLessThanOrEqual(CONCURRENCY);
      expect(cut.filter(({ status }) => status !== 0 && status !== 200)).toEqual([]);
      const now = workersOf(gateway);
      expect([now.length, now.includes(second ?? 0), now.includes(first ?? 0)]).toEqual([
        2,
        true,
        false,
      ]);
      expect(await namesOf()).toEqual(['shared.w1', 'shared.w2']);
      const lines = gateway.logs().match(/^.*a worker has ended.*$/gm) ?? [];
      expect(lines.map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({
          worker: expect.stringMatching(/^shared\.w[12]$/),
          ended: 'SIGKILL',
          again_in_ms: 100,
        }),
      ]);
      const { violations, booked } = await standing(two.folder);
      expect(violations).toEqual([]);
      const known = [...seen, ...after].filter(({ status }) => status === 200);
      expect(faultsOf(known, booked)).toEqual([]);
      expect([...booked.values()].filter(({ state }) => state === 'open')).toEqual([]);
      expect(await gateway.terminate()).toBe(0);
    },
    TEST_MS_MAX,
  );
});
