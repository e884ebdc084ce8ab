import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, graphql, newCustomer, rest } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { startUpstreamDouble, type UpstreamDouble } from '../support/upstream-double.mjs';
import { type Books, openBooks } from './books.js';
import { chat, errorCodeOf, inParallel, type Seen } from './client.js';
import { type Folder, newFolder, writeProviders } from './providers.js';
import { addressOf, type ServiceProxy, startProxy } from './proxy.js';

const STREAMS = 10;
/** A refusal has to come within 2.5 s, a loaded machine gets more. */
const TEST_MS_MAX = 120_000;

let double: UpstreamDouble;
let folder: Folder;
let database: TestDatabase;
let proxy: ServiceProxy;
let environment: NodeJS.ProcessEnv;
let books: Books;
let gateway: GatewayProcess;
let customer: Customer;
let unusedKey: string;

beforeAll(async () => {
  double = await startUpstreamDouble();
  folder = newFolder();
  database = await freshDatabase();
  proxy = await startProxy(addressOf(database.connection));
  // The books are read past the proxy.
  books = openBooks(database.connection);
  const lanes = ['long', 'short'].map((lane) => ({ lane, model: `${lane}/model` }));
  const { user, database: name } = database.connection;
  environment = {
    GW_DATA_DIR: folder.path,
    DATABASE_URL: `postgresql://${user}@127.0.0.1:${proxy.port}/${name}`,
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, lanes),
  };
  gateway = await startGateway(environment);
  customer = await newCustomer(gateway, 10_000);
  const made = await rest<{ key: string }>(gateway, 'POST', '/api-keys', {
    credential: customer.token,
    body: { keyType: 'service', name: 'unused' },
  });
  unusedKey = made.body.key;
});
afterAll(async () => {
  await killGateways();
  await proxy.close();
  await double.close();
  await books.close();
  await database.drop();
  folder.remove();
});

function bodyOf(lane: string, stream: boolean): Record<string, unknown> {
  return { model: `${lane}/model`, stream, messages: [{ role: 'user', content: 'Погода?' }] };
}

async function openStreams(): Promise<{ ended: Promise<Seen[]> }> {
  const begun = new Set<number>();
  const ended = inParallel(STREAMS, STREAMS, (index) =>
    chat(gateway.url, {
      credential: customer.key,
      body: bodyOf('long', true),
      cutWhen(text) {
        if (text.includes('"content"')) begun.add(index);
        return false;
      },
    }),
  );
  while (begun.size < STREAMS) await sleep(10);
  return { ended };
}

/** Asks until the node answers readiness with this status. */
async function readiness(status: number): Promise<void> {
  for (;;) {
    if ((await fetch(`${gateway.url}/readyz`)).status === status) return;
    await sleep(50);
  }
}

async function refusal(credential: string, stream: boolean): Promise<unknown> {
  const seen = await chat(gateway.url, { credential, body: bodyOf('short', stream) });
  return {
    status: seen.status,
    code: errorCodeOf(seen),
    retryAfter: seen.headers['retry-after'],
  };
}

const REFUSED = { status: 503, code: 'ledger_unavailable', retryAfter: '1' };

async function awayAndBack(leave: () => void): Promise<void> {
  double.script('long', { gapMs: 100, repeat: 5 });
  const warm = await chat(gateway.url, { credential: customer.key, body: bodyOf('short', false) });
  expect(warm.status).toBe(200);
  const streams = await openStreams();
  const callsBefore = double.received('short').length;
  leave();
  // Known by heart or not, whole or streamed: nobody is admitted, nothing is called.
  const refusals = await Promise.all([
    refusal(customer.key, false),
    refusal(customer.key, true),
    refusal(unusedKey, false),
    refusal(unusedKey, true),
  ]);
  expect(refusals).toEqual([REFUSED, REFUSED, REFUSED, REFUSED]);
  expect(double.received('short')).toHaveLength(callsBefore);
  await readiness(503);
  expect((await fetch(`${gateway.url}/livez`)).status).toBe(200);
  const lists = await rest(gateway, 'GET', '/api-keys', { credential: customer.token });
  expect(lists.status).toBe(503);
  const { errors } = await graphql(gateway, '{ me { role } }', {}, customer.token);
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['ledger_unavailable']);
  const seen = await streams.ended;
  expect(seen.map(({ complete }) => complete)).toEqual(Array(STREAMS).fill(true));
  proxy.pass();
  await readiness(200);
  const late = await chat(gateway.url, { credential: unusedKey, body: bodyOf('short', false) });
  expect(late.status).toBe(200);
  await settled();
  expect(await books.violations()).toEqual([]);
  const booked = await books.requests();
  const states = seen.map(({ requestId }) => booked.get(requestId));
  for (const state of states) {
    expect(state).toMatchObject({ state: 'delivered', status: 'complete', charges: 1 });
  }
}

/** Waits until what is on its way into the books has come. */
async function settled(): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await books.violations()).length === 0) return;
    await sleep(50);
  }
}

describe('a gateway whose database goes away', () => {
  it(
    'frozen: admits nobody, ends its streams well, and settles them when it is back',
    () => awayAndBack(() => proxy.freeze()),
    TEST_MS_MAX,
  );

  it(
    'gone: admits nobody, ends its streams well, and settles them when it is back',
    () => awayAndBack(() => proxy.refuse()),
    TEST_MS_MAX,
  );

  it(
    'killed while its database was away: settles from the journal, and nothing stays open',
    async () => {
      double.script('long', { gapMs: 100, repeat: 3 });
      const streams = await openStreams();
      proxy.refuse();
      const seen = await streams.ended;
      expect(seen.map(({ complete }) => complete)).toEqual(Array(STREAMS).fill(true));
      await gateway.kill();
      proxy.pass();
      gateway = await startGateway(environment);
      expect(await books.violations()).toEqual([]);
      const booked = await books.requests();
      for (const { requestId } of seen) {
        const one = booked.get(requestId);
        expect(one).toMatchObject({ status: 'complete', charges: 1 });
        // Given back where the kill came before the journal said that the last byte had left.
        const left = (one?.chargedMicro ?? 0n) - (one?.refundedMicro ?? 0n);
        expect([one?.state, left]).toEqual(
          one?.state === 'refunded' ? ['refunded', 0n] : ['delivered', one?.chargedMicro],
        );
      }
    },
    TEST_MS_MAX,
  );
});
