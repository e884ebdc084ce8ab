import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { startUpstreamDouble, type UpstreamDouble } from '../support/upstream-double.mjs';
import { type Books, openBooks } from './books.js';
import { chat, inParallel } from './client.js';
import { type Folder, newFolder, writeProviders } from './providers.js';

const REQUESTS = 300;
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
  const lanes = ['hole', 'flaky', 'slow'].map((lane) => ({ lane, model: 'own/model' }));
  gateway = await startGateway({
    GW_DATA_DIR: folder.path,
    DATABASE_URL: database.databaseUrl,
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, lanes),
  });
});
afterAll(async () => {
  await killGateways();
  await double.close();
  await books.close();
  await database.drop();
  folder.remove();
});

async function gauge(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

describe('one of three deployments black-holed, one resetting three in ten, one slow', () => {
  it(
    'every request is answered with at most 1.2 attempts each, and charged once',
    async () => {
      double.script('hole', { blackHole: true });
      double.script('flaky', { resetShare: 0.3 });
      double.script('slow', { delayMs: 50 });
      const { key, accountId } = await newCustomer(gateway, 10_000);
      const messages = [{ role: 'user', content: 'Добрый день' }];
      const seen = await inParallel(REQUESTS, 10, (index) => {
        const body = { model: 'own/model', messages, stream: index % 2 === 0 };
        return chat(gateway.url, { credential: key, body });
      });
      const answered = seen.filter(({ status, complete }) => status === 200 && complete);
      expect(answered).toHaveLength(REQUESTS);
      const apart =
        (await gauge('gw_upstream_breakers_open')) + (await gauge('gw_upstream_asked_last'));
      expect(apart).toBeGreaterThanOrEqual(1);
      // The one that answers nothing was left alone as soon as that was clear.
      expect(double.received('hole').length).toBeLessThan(40);
      const booked = await books.requests();
      const mine = seen.map(({ requestId }) => booked.get(requestId));
      const attempts = mine.reduce((sum, one) => sum + (one?.attempts ?? 0), 0);
      expect(attempts).toBe(double.log.length);
      expect(attempts / REQUESTS).toBeLessThanOrEqual(1.2);
      for (const { requestId } of answered) {
        expect(booked.get(requestId)).toMatchObject({ charges: 1, status: 'complete' });
      }
      const { rows } = await books.pool.query<{ charges: number }>(
        `SELECT count(*)::int AS charges FROM ledger_entry
         WHERE account_id = $1 AND type = 'finalize'`,
        [accountId],
      );
      expect(rows[0]?.charges).toBe(answered.length);
      expect(await books.violations()).toEqual([]);
    },
    TEST_MS_MAX,
  );
});
