import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { freshDatabase, serviceRedisUrl, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { chat, inParallel } from './client.js';
import { type Folder, newFolder } from './providers.js';
import { type ServiceProxy, startProxy } from './proxy.js';

const TEST_MS_MAX = 120_000;

const redisUrl = await serviceRedisUrl();
let folder: Folder;
let database: TestDatabase;
let proxy: ServiceProxy;
let gateway: GatewayProcess;

describe.skipIf(redisUrl === undefined)('a gateway whose Redis goes away', () => {
  beforeAll(async () => {
    const { hostname, port } = new URL(redisUrl ?? '');
    folder = newFolder();
    database = await freshDatabase();
    proxy = await startProxy({ host: hostname, port: Number(port) || 6379 });
    gateway = await startGateway({
      GW_DATA_DIR: folder.path,
      DATABASE_URL: database.databaseUrl,
      REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
    });
  });
  afterAll(async () => {
    await killGateways();
    await proxy.close();
    await database.drop();
    folder.remove();
  });

  it.each(['refuse', 'freeze'] as const)(
    '(%s) fails no request, and says when it is back',
    async (away) => {
      const { key } = await newCustomer(gateway, 1_000);
      const messages = [{ role: 'user', content: 'Добрый день' }];
      let running = true;
      const load = inParallel(10, 10, async (index) => {
        const statuses: string[] = [];
        while (running) {
          const body = { model: 'sandbox/gw-mini', messages, stream: index % 2 === 0 };
          const seen = await chat(gateway.url, { credential: key, body });
          statuses.push(`${seen.status} ${seen.complete}`);
        }
        return statuses;
      });
      await sleep(500);
      const logged = gateway.logs().length;
      proxy[away]();
      await sleep(2_000);
      proxy.pass();
      await sleep(1_000);
      running = false;
      const statuses = (await load).flat();
      expect([...new Set(statuses)]).toEqual(['200 true']);
      expect(gateway.logs().slice(logged)).toContain('redis is away');
      expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    },
    TEST_MS_MAX,
  );
});
