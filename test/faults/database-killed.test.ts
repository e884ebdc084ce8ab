import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareLayout } from '../../src/platform/database/embedded-layout.js';
import { newCustomer } from '../support/app.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../support/upstream-double.js';
import { faultsOf } from './booked-as-seen.js';
import { type Folder, newUsedFolder, writeProviders } from './providers.js';
import { load, standing } from './workers.js';

const TEST_MS_MAX = 120_000;
const KILLS = 3;
const LANES = ['quick', 'slow'];

let double: SpawnedDouble;
let folder: Folder;
let gateway: GatewayProcess;

beforeAll(async () => {
  double = await spawnUpstreamDouble();
  await double.script('quick', { delayMs: 20, gapMs: 5 });
  await double.script('slow', { gapMs: 60, repeat: 4 });
  folder = await newUsedFolder();
  const models = LANES.map((lane) => ({ lane, model: `${lane}/model` }));
  gateway = await startGateway({
    GW_DATA_DIR: folder.path,
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, models),
  });
}, TEST_MS_MAX);
afterAll(async () => {
  await killGateways();
  await double.close();
  folder.remove();
});

function killServer(): void {
  const { cluster } = prepareLayout(join(folder.path, 'postgres'));
  const [pid] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), 'SIGKILL');
}

async function untilReady(): Promise<void> {
  while (!(await fetch(`${gateway.url}/readyz`)).ok) await sleep(50);
}

it(
  'a database that is killed under load loses no charge of an answer, and charges nothing else',
  async () => {
    const { key } = await newCustomer(gateway, 100_000);
    let isEnough = false;
    const loading = load(gateway.url, key, () => isEnough);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(1_500);
      killServer();
      await sleep(500);
      await untilReady();
    }
    await sleep(1_000);
    isEnough = true;
    const seen = await loading;
    await sleep(300);
    const { violations, booked } = await standing(folder);
    expect(violations).toEqual([]);
    const known = seen.filter(({ status }) => status === 200);
    expect(known.length).toBeGreaterThan(100);
    expect(faultsOf(known, booked)).toEqual([]);
    expect(known.filter(({ complete }) => !complete)).toEqual([]);
    expect([...booked.values()].filter(({ state }) => state === 'open')).toEqual([]);
    const states = new Set(known.map(({ requestId }) => booked.get(requestId)?.state));
    expect(states).toEqual(new Set(['delivered']));
    expect(gateway.logs()).not.toContain('a settle found no hold');
    expect(await gateway.terminate()).toBe(0);
  },
  TEST_MS_MAX,
);
