import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type Folder, newFolder } from './providers.js';
import { addressOf, type ServiceProxy, startProxy } from './proxy.js';

const TEST_MS_MAX = 120_000;
/** Beats, followers, webhooks and sweeps have all been due in this time. */
const AWAY_MS = 12_000;

let folder: Folder;
let database: TestDatabase;
let proxy: ServiceProxy;
let gateway: GatewayProcess;

beforeAll(async () => {
  folder = newFolder();
  database = await freshDatabase();
  proxy = await startProxy(addressOf(database.connection));
  const { user, database: name } = database.connection;
  gateway = await startGateway({
    GW_DATA_DIR: folder.path,
    DATABASE_URL: `postgresql://${user}@127.0.0.1:${proxy.port}/${name}`,
  });
});
afterAll(async () => {
  await killGateways();
  await proxy.close();
  await database.drop();
  folder.remove();
});

it(
  'a database that is away is told of by one line, and by one when it is back',
  async () => {
    const before = gateway.logs().length;
    const said = () => gateway.logs().slice(before).trim().split('\n');
    proxy.refuse();
    await sleep(AWAY_MS);
    proxy.pass();
    while (!said().some((line) => line.includes('answers again'))) await sleep(100);
    expect(said().map((line) => JSON.parse(line).msg)).toEqual([
      'the database is away; all is tried again',
      'the database answers again',
    ]);
  },
  TEST_MS_MAX,
);
