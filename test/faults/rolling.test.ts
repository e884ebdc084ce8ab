import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { startUpstreamDouble, type UpstreamDouble } from '../support/upstream-double.mjs';
import { type Books, openBooks } from './books.js';
import { chat, errorCodeOf, inParallel } from './client.js';
import { type Folder, newFolder, writeProviders } from './providers.js';

const CLIENTS = 20;
const PROBE_EVERY_MS = 100;
const TEST_MS_MAX = 120_000;

let double: UpstreamDouble;
let folder: Folder;
let database: TestDatabase;
let books: Books;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  double = await startUpstreamDouble();
  folder = newFolder();
  database = await freshDatabase();
  books = openBooks(database.connection);
  environment = {
    NODE_ENV: 'production',
    GW_ALLOW_MANUAL_TOP_UP: 'on',
    GW_DATA_DIR: folder.path,
    DATABASE_URL: database.databaseUrl,
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, [{ lane: 'own', model: 'own/model' }]),
  };
});
afterAll(async () => {
  await killGateways();
  await double.close();
  await books.close();
  await database.drop();
  folder.remove();
});

/** Knows which nodes are ready, as a balancer does: by asking them again and again. */
class Balancer {
  readonly nodes: GatewayProcess[] = [];
  private ready: readonly string[] = [];
  private turn = 0;
  private readonly timer = setInterval(() => void this.probe(), PROBE_EVERY_MS);

  next(): string {
    this.turn += 1;
    return this.ready[this.turn % this.ready.length] ?? '';
  }

  async probe(): Promise<void> {
    const ready = await Promise.all(
      this.nodes.map(async ({ url }) => {
        const isReady = await fetch(`${url}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        );
        return isReady ? [url] : [];
      }),
    );
    this.ready = ready.flat();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

describe('two nodes that are restarted one after the other under load', () => {
  it(
    'fail no request, and charge each once',
    async () => {
      double.script('own', { delayMs: 20, gapMs: 20 });
      const balancer = new Balancer();
      balancer.nodes.push(...(await Promise.all([0, 1].map(() => startGateway(environment)))));
      await balancer.probe();
      const [first] = balancer.nodes;
      if (!first) throw new Error('no node has started');
      const { key } = await newCustomer(first, 100_000);
      const messages = [{ role: 'user', content: 'Добрый день' }];
      let running = true;
      const load = inParallel(CLIENTS, CLIENTS, async (index) => {
        const seen: string[] = [];
        for (let turn = index; running; turn += 1) {
          const body = { model: 'own/model', messages, stream: turn % 2 === 0 };
          const one = await chat(balancer.next(), { credential: key, body });
          seen.push(`${one.status} ${errorCodeOf(one) ?? (one.complete ? 'complete' : 'cut')}`);
        }
        return seen;
      });
      for (let restart = 0; restart < 2; restart += 1) {
        await sleep(500);
        const [oldest] = balancer.nodes;
        expect(await oldest?.terminate()).toBe(0);
        balancer.nodes.shift();
        balancer.nodes.push(await startGateway(environment));
      }
      await sleep(500);
      running = false;
      const seen = (await load).flat();
      balancer.stop();
      expect([...new Set(seen)]).toEqual(['200 complete']);
      for (const node of balancer.nodes) expect(await node.terminate()).toBe(0);
      expect(await books.violations()).toEqual([]);
      const states = [...(await books.requests()).values()].map(({ state }) => state);
      expect(states).toEqual(Array(seen.length).fill('delivered'));
    },
    TEST_MS_MAX,
  );
});
