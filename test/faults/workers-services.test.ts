import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer, rest } from '../support/app.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../support/upstream-double.js';
import { faultsOf } from './booked-as-seen.js';
import { openBooks } from './books.js';
import { chat, errorCodeOf, inParallel, type Seen } from './client.js';
import { type Folder, newFolder, writeProviders } from './providers.js';
import { services } from './two-nodes.js';
import { bodyOf, CONCURRENCY, load, untilServing, workersOf } from './workers.js';

const TEST_MS_MAX = 90_000;
const MINUTE_MS = 60_000;
const LANES = ['quick', 'slow'];

const found = await services();
const folders: Folder[] = [];
let double: SpawnedDouble;
let gateways: readonly [GatewayProcess, GatewayProcess];

/** A gateway of two workers on the services of the environment. */
function startTwoWorkers(): Promise<GatewayProcess> {
  const folder = newFolder();
  folders.push(folder);
  const models = LANES.map((lane) => ({ lane, model: `${lane}/model` }));
  return startGateway({
    GW_WORKERS: '2',
    GW_DATA_DIR: folder.path,
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, models),
    DATABASE_URL: found?.database.databaseUrl,
    REDIS_URL: found?.redisUrl,
  });
}

describe.skipIf(!found)('two gateways of two workers on one PostgreSQL and one Redis', () => {
  beforeAll(async () => {
    double = await spawnUpstreamDouble();
    await double.script('quick', { delayMs: 40, gapMs: 5 });
    await double.script('slow', { gapMs: 60, repeat: 4 });
    gateways = await Promise.all([startTwoWorkers(), startTwoWorkers()]);
  }, TEST_MS_MAX);
  afterAll(async () => {
    await killGateways();
    await double.close();
    await found?.database.drop();
    for (const folder of folders) folder.remove();
  });

  it(
    'a limit of requests a minute is one limit over all four',
    async () => {
      const [first, second] = gateways;
      const { key, token } = await newCustomer(first, 10_000);
      await rest(first, 'POST', '/v1/gw/policies', {
        credential: token,
        body: { name: 'limited', limits: { rpm: 12 } },
      });
      const sinceMs = performance.now();
      const answers = await inParallel(60, 60, (index) => {
        const { url } = index % 2 === 0 ? first : second;
        return chat(url, { credential: key, body: { ...bodyOf(1), model: 'quick/model' } });
      });
      const admitted = answers.filter(({ status }) => status === 200).length;
      const flowedIn = Math.ceil(((performance.now() - sinceMs) * 12) / MINUTE_MS);
      expect(admitted).toBeGreaterThanOrEqual(12);
      expect(admitted).toBeLessThanOrEqual(12 + flowedIn);
      const refused = answers.filter(({ status }) => status !== 200).map(errorCodeOf);
      expect(new Set(refused)).toEqual(new Set(['rate_limit_requests']));
    },
    TEST_MS_MAX,
  );

  it(
    'a worker that is killed takes nothing else down, and every charge has its answer',
    async () => {
      const [first, second] = gateways;
      const books = openBooks(found?.database.connection ?? {});
      const { key } = await newCustomer(first, 100_000);
      const before = new Set((await books.requests()).keys());
      let isEnough = false;
      const loading = Promise.all([first, second].map(({ url }) => load(url, key, () => isEnough)));
      await sleep(1_500);
      process.kill(workersOf(first)[0] ?? 0, 'SIGKILL');
      while (!first.logs().includes('a worker has ended and is started again')) await sleep(20);
      await untilServing(first.url, 2);
      isEnough = true;
      const [ofFirst, ofSecond] = (await loading) as [Seen[], Seen[]];
      expect(ofSecond.filter(({ complete, status }) => !complete || status !== 200)).toEqual([]);
      const cut = ofFirst.filter(({ complete }) => !complete).length;
      expect([cut > 0, cut <= CONCURRENCY]).toEqual([true, true]);
      expect([await first.terminate(), await second.terminate()]).toEqual([0, 0]);
      const booked = new Map([...(await books.requests())].filter(([id]) => !before.has(id)));
      const known = [...ofFirst, ...ofSecond].filter(({ status }) => status === 200);
      expect(faultsOf(known, booked)).toEqual([]);
      expect([...booked.values()].filter(({ state }) => state === 'open')).toEqual([]);
      expect(await books.violations()).toEqual([]);
      await books.close();
    },
    TEST_MS_MAX,
  );
});
