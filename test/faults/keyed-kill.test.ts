import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type Books, openBooks } from './books.js';
import { inParallel } from './client.js';
import {
  isAnswered,
  KEYED_KINDS,
  type KeyedAnswer,
  type KeyedChange,
  newChange,
  repeatChange,
  sendChange,
  standingOf,
  standingOnce,
} from './keyed-requests.js';
import { type Folder, newFolder } from './providers.js';
import { addressOf, type ServiceProxy, startProxy } from './proxy.js';

/** The second is of a gateway that has taken up what the first one left. */
const KILLS = 2;
const WIDTH = 14;
const TEST_MS_MAX = 180_000;

let folder: Folder;
let database: TestDatabase;
let proxy: ServiceProxy;
let books: Books;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = newFolder();
  database = await freshDatabase();
  proxy = await startProxy(addressOf(database.connection));
  books = openBooks(database.connection);
  const { user, database: name } = database.connection;
  environment = {
    GW_DATA_DIR: folder.path,
    GW_NODE_ID: 'the-one',
    DATABASE_URL: `postgresql://${user}@127.0.0.1:${proxy.port}/${name}`,
  };
});
afterEach(() => proxy.pass());
afterAll(async () => {
  await killGateways();
  await proxy.close();
  await books.close();
  await database.drop();
  folder.remove();
});

interface Sent {
  readonly change: KeyedChange;
  readonly answer: KeyedAnswer | undefined;
}

/** Makes changes until `end` has happened; answers everything that was sent. */
async function changesUntil(
  url: string,
  credential: string,
  end: () => Promise<void>,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  let ended = false;
  const load = inParallel(WIDTH, WIDTH, async (worker) => {
    for (let turn = 0; !ended; turn += 1) {
      const kind = KEYED_KINDS[(worker + turn) % KEYED_KINDS.length] ?? '';
      const change = newChange(kind);
      const answer = await sendChange(url, credential, change);
      sent.push({ change, answer });
      // Refusals come fast, and each of them is repeated later.
      if (!isAnswered(answer)) await sleep(100);
    }
  });
  await sleep(300 + Math.random() * 500);
  await end();
  ended = true;
  await load;
  return sent;
}

/** Repeats everything that was sent, and names what is not as it should be. */
async function faultsAfter(
  gateway: GatewayProcess,
  { token }: Customer,
  sent: readonly Sent[],
): Promise<string[]> {
  const faults: string[] = [];
  await inParallel(sent.length, WIDTH, async (index) => {
    const one = sent[index];
    if (!one) return;
    const { change } = one;
    const { answer, between } = await repeatChange(gateway.url, token, change);
    const again = await sendChange(gateway.url, token, change);
    if (again?.text !== answer.text) faults.push(`${change.kind} is answered in two ways`);
    if (isAnswered(one.answer) && one.answer.text !== answer.text) {
      faults.push(`${change.kind} was answered otherwise at first`);
    }
    for (const { status, text, retryAfter } of between) {
      const isToldWhen = (status === 409 || status === 503) && retryAfter !== null;
      if (!isToldWhen && status !== 200) faults.push(`${change.kind}: ${status} ${text}`);
    }
  });
  const standing = await standingOf(
    books.pool,
    sent.map(({ change }) => change.mark),
  );
  for (const { change } of sent) {
    const [counts, once] = [standing.get(change.mark), standingOnce(change.kind)];
    if (String(counts) !== String(once)) faults.push(`${change.kind} stands ${counts} times`);
  }
  return faults;
}

describe('changes under keys of a gateway that is killed', () => {
  it(
    'stand once, and are answered alike when they are repeated',
    async () => {
      let gateway = await startGateway(environment);
      const customer = await newCustomer(gateway);
      let interrupted = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const sent = await changesUntil(gateway.url, customer.token, () => gateway.kill());
        interrupted += sent.filter(({ answer }) => !isAnswered(answer)).length;
        gateway = await startGateway(environment);
        expect(await faultsAfter(gateway, customer, sent)).toEqual([]);
      }
      expect(interrupted).toBeGreaterThan(KILLS);
      expect(await books.violations()).toEqual([]);
      await gateway.kill();
    },
    TEST_MS_MAX,
  );
});

describe('changes under keys of one gateway', () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGateway(environment);
  }, TEST_MS_MAX);

  it.each<[string, () => Promise<void>]>([
    ['is cut off', async () => proxy.refuse()],
    ['is frozen', async () => proxy.freeze()],
    [
      'loses its connections',
      async () => {
        await books.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'gw'`);
      },
    ],
  ])(
    'whose database %s stand once, and are answered alike when they are repeated',
    async (_how, leave) => {
      const customer = await newCustomer(gateway);
      const sent = await changesUntil(gateway.url, customer.token, async () => {
        await leave();
        // Longer than a statement is waited for.
        await sleep(2_600);
        proxy.pass();
        await sleep(500);
      });
      expect(await faultsAfter(gateway, customer, sent)).toEqual([]);
      expect(sent.some(({ answer }) => !isAnswered(answer))).toBe(true);
      expect(await books.violations()).toEqual([]);
    },
    TEST_MS_MAX,
  );

  it(
    'are nothing to another member or another organization with the same keys',
    async () => {
      const [customer, stranger] = [await newCustomer(gateway), await newCustomer(gateway)];
      for (const kind of KEYED_KINDS) {
        const change = newChange(kind);
        const { answer } = await repeatChange(gateway.url, customer.token, change);
        for (const other of [customer.key, stranger.token]) {
          const foreign = await sendChange(gateway.url, other, change);
          expect(foreign?.text).not.toBe(answer.text);
          const { answer: own } = await repeatChange(gateway.url, customer.token, change);
          expect(own.text).toBe(answer.text);
        }
      }
    },
    TEST_MS_MAX,
  );
});
