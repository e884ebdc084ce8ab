import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../support/upstream-double.js';
import { faultsOf } from './booked-as-seen.js';
import { type Booked, embeddedConnection, openBooks } from './books.js';
import { chat, chunksOf, inParallel, type Seen } from './client.js';
import { type Folder, newUsedFolder, writeProviders } from './providers.js';

/** The second is of a gateway that has taken up what the first one left. */
const KILLS = 2;
const CONCURRENCY = 200;
const TEST_MS_MAX = 120_000;

let double: SpawnedDouble;
let folder: Folder;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  double = await spawnUpstreamDouble();
  folder = await newUsedFolder();
  const lanes = ['quick', 'slow'].map((lane) => ({ lane, model: `${lane}/model` }));
  environment = {
    GW_DATA_DIR: folder.path,
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, lanes),
  };
  await double.script('quick', { delayMs: 40, gapMs: 5 });
  // Long enough that its ledger keeps a checkpoint of what was produced.
  await double.script('slow', { gapMs: 60, repeat: 6 });
});
afterEach(killGateways);
afterAll(async () => {
  await double.close();
  folder.remove();
});

function bodyOf(index: number): Record<string, unknown> {
  const messages = [{ role: 'user', content: 'Расскажи о погоде.' }];
  const slow = index % 10 === 0;
  return { model: slow ? 'slow/model' : 'quick/model', messages, stream: slow || index % 2 === 0 };
}

/** Loads a gateway, kills it in the middle, and answers what its clients saw. */
async function killUnderLoad(gateway: GatewayProcess, credential: string): Promise<Seen[]> {
  const seen: Seen[] = [];
  let killed = false;
  const load = inParallel(CONCURRENCY, CONCURRENCY, async (index) => {
    for (let turn = 0; !killed; turn += 1) {
      const body = bodyOf(index + (index % 10 === 0 ? 0 : turn % 9));
      const one = await chat(gateway.url, { credential, body });
      if (one.status !== 0) seen.push(one);
    }
  });
  await sleep(2_000 + Math.random() * 1_500);
  killed = true;
  await gateway.kill();
  await load;
  return seen;
}

describe('a gateway killed in the middle of 200 requests', () => {
  it(
    'comes back with every answer charged once, nothing undelivered charged, nothing held',
    async () => {
      let gateway = await startGateway(environment);
      const customer = await newCustomer(gateway, 100_000);
      const seen: Seen[] = [];
      let booked: ReadonlyMap<string, Booked> = new Map();
      for (let kill = 0; kill < KILLS; kill += 1) {
        seen.push(...(await killUnderLoad(gateway, customer.key)));
        gateway = await startGateway(environment);
        const books = openBooks(embeddedConnection(folder.path));
        const violations = await books.violations();
        const { ledgerMicro, usageMicro } = await books.sums();
        booked = await books.requests();
        await books.close();
        expect(violations).toEqual([]);
        expect(ledgerMicro).toBe(usageMicro);
      }
      expect(faultsOf(seen, booked)).toEqual([]);
      const answered = seen.filter(({ complete }) => complete);
      const forgiven = answered.filter(
        ({ requestId }) => booked.get(requestId)?.state === 'refunded',
      );
      expect(answered).not.toEqual([]);
      // Fewer than half of those that were under way at a kill.
      expect(forgiven.length, 'answers of the last moment').toBeLessThan((KILLS * CONCURRENCY) / 2);
      expect(seen.some(({ complete }) => !complete)).toBe(true);
      expect([...booked.values()].some(({ errorCode }) => errorCode === 'node_lost')).toBe(true);
      expect(await gateway.terminate()).toBe(0);
    },
    TEST_MS_MAX,
  );

  it(
    'makes a keyed stream that was cut again, and charges the whole one alone',
    async () => {
      let gateway = await startGateway(environment);
      const { key: credential } = await newCustomer(gateway, 1_000);
      const request = { credential, body: bodyOf(0), headers: { 'idempotency-key': 'cut' } };
      let kill: Promise<void> | undefined;
      const cut = await chat(gateway.url, {
        ...request,
        // Twice the time between two checkpoints, so that one would have been written.
        cutWhen: (text) => {
          if (text.split('\n\n').length > 2_000 / 60) kill ??= gateway.kill();
          return false;
        },
      });
      await kill;
      gateway = await startGateway(environment);
      const whole = await chat(gateway.url, request);
      expect([cut.complete, whole.status, whole.complete]).toEqual([false, 200, true]);
      const { gw_routing: routing } = chunksOf(whole).at(-1) as {
        gw_routing: { request_id: string };
      };
      const books = openBooks(embeddedConnection(folder.path));
      const [violations, booked] = [await books.violations(), await books.requests()];
      await books.close();
      expect(booked.get(cut.requestId)).toMatchObject({ state: 'released', charges: 0 });
      expect(booked.get(routing.request_id)).toMatchObject({ state: 'delivered', charges: 1 });
      expect(violations).toEqual([]);
    },
    TEST_MS_MAX,
  );
});
