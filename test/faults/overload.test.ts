import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { startUpstreamDouble, type UpstreamDouble } from '../support/upstream-double.mjs';
import { type Books, openBooks } from './books.js';
import { chat, errorCodeOf, inParallel } from './client.js';
import { type Folder, newFolder, writeProviders } from './providers.js';

const PLACES = 20;
/** One organization gets nine tenths of what chat gets, which is nine tenths of all. */
const CAPACITY = 17;
const TEST_MS_MAX = 120_000;

let double: UpstreamDouble;
let folder: Folder;
let database: TestDatabase;
let books: Books;
let gateway: GatewayProcess;

beforeAll(async () => {
  double = await startUpstreamDouble();
  folder = newFolder();
  database = await freshDatabase();
  books = openBooks(database.connection);
  gateway = await startGateway({
    GW_DATA_DIR: folder.path,
    DATABASE_URL: database.databaseUrl,
    GW_IN_FLIGHT_MAX: String(PLACES),
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, [{ lane: 'own', model: 'own/model' }]),
  });
});
afterAll(async () => {
  await killGateways();
  await double.close();
  await books.close();
  await database.drop();
  folder.remove();
});

describe('a gateway with room for 20 requests that gets many more at once', () => {
  it(
    'answers what it took and another organization, refuses the rest at once, and serves on',
    async () => {
      double.script('own', { delayMs: 3_000, gapMs: 20 });
      const { key } = await newCustomer(gateway, 10_000);
      const { key: neighbour } = await newCustomer(gateway, 10_000);
      const messages = [{ role: 'user', content: 'Добрый день' }];
      const body = { model: 'own/model', messages };
      // From its first answer on a key is known to be one of its organization.
      for (const credential of [key, neighbour]) await chat(gateway.url, { credential, body });
      const before = double.received('own').length;
      const asked = inParallel(CAPACITY * 4, CAPACITY * 4, (index) => {
        const body = { model: 'own/model', messages, stream: index % 2 === 0 };
        return chat(gateway.url, { credential: key, body });
      });
      await expect.poll(() => double.received('own').length - before).toBe(CAPACITY);
      const next = await chat(gateway.url, { credential: neighbour, body });
      expect(next.status).toBe(200);
      const seen = await asked;
      const taken = seen.filter(({ status }) => status === 200);
      const refused = seen.filter(({ status }) => status !== 200);
      expect(taken).toHaveLength(CAPACITY);
      expect(taken.every(({ complete }) => complete)).toBe(true);
      const firstAnsweredMs = Math.min(...taken.map(({ endedMs }) => endedMs));
      for (const one of refused) {
        expect([one.status, errorCodeOf(one)]).toEqual([503, 'overloaded']);
        expect(one.headers['retry-after']).toBe('1');
        // Not after the work of others: before the first of them was answered.
        expect(one.endedMs).toBeLessThan(firstAnsweredMs);
      }
      expect(double.received('own').length - before).toBe(CAPACITY + 1);
      double.script('own', {});
      const later = await inParallel(CAPACITY, CAPACITY, () =>
        chat(gateway.url, { credential: key, body }),
      );
      expect(later.map(({ status }) => status)).toEqual(Array(CAPACITY).fill(200));
      expect(await books.violations()).toEqual([]);
    },
    TEST_MS_MAX,
  );

  it('probes are answered while every place is taken', async () => {
    double.script('own', { delayMs: 1_500 });
    const { key } = await newCustomer(gateway, 10_000);
    const body = { model: 'own/model', messages: [{ role: 'user', content: 'Добрый день' }] };
    const work = inParallel(CAPACITY, CAPACITY, () => chat(gateway.url, { credential: key, body }));
    while (double.log.filter(({ end }) => end === 'open').length < CAPACITY) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const paths = ['/livez', '/readyz', '/metrics'];
    const statuses = await Promise.all(
      paths.map(async (path) => (await fetch(gateway.url + path)).status),
    );
    expect(statuses).toEqual([200, 200, 200]);
    expect((await work).map(({ status }) => status)).toEqual(Array(CAPACITY).fill(200));
  });
});
