import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { loadTokenizer } from '../../src/catalog/providers/tokenizer.js';
import { type Customer, newCustomer } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import {
  type Received,
  startUpstreamDouble,
  type UpstreamDouble,
} from '../support/upstream-double.mjs';
import { type Booked, type Books, openBooks } from './books.js';
import { chat, inParallel, type Seen } from './client.js';
import { type Folder, newFolder, writeProviders } from './providers.js';

const TEXT = 'Раз два три четыре пять, вышел зайчик погулять. Now some words in English, too.';
const REPEAT = 12;
const GAP_MS = 15;
/** The abort has to reach the provider within 250 ms; a loaded machine gets more. */
const ABORT_MS_MAX = 2_000;
const TEST_MS_MAX = 120_000;
const QUIET_MS_MAX = 10_000;

let double: UpstreamDouble;
let folder: Folder;
let database: TestDatabase;
let books: Books;
let gateway: GatewayProcess;
let customer: Customer;

beforeAll(async () => {
  double = await startUpstreamDouble();
  folder = newFolder();
  database = await freshDatabase();
  books = openBooks(database.connection);
  const lanes = ['stream', 'whole', 'socket'].map((lane) => ({ lane, model: `${lane}/model` }));
  gateway = await startGateway({
    GW_DATA_DIR: folder.path,
    DATABASE_URL: database.databaseUrl,
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, lanes),
  });
  customer = await newCustomer(gateway, 10_000);
});
afterAll(async () => {
  await killGateways();
  await double.close();
  await books.close();
  await database.drop();
  folder.remove();
});

/** Waits until nothing is held and no connection to the provider is open. */
async function quiet(): Promise<void> {
  const deadlineMs = performance.now() + QUIET_MS_MAX;
  while (performance.now() < deadlineMs) {
    const isOpen = double.log.some(({ end }) => end === 'open');
    if (!isOpen && (await books.violations()).length === 0) return;
    await sleep(50);
  }
}

/** The exchange of the double that belongs to the n-th request of this test. */
function exchangeOf(mark: string): Received | undefined {
  return double.log.find(({ body }) => body.includes(mark));
}

function bodyOf(lane: string, mark: string, stream: boolean): Record<string, unknown> {
  return { model: `${lane}/model`, stream, messages: [{ role: 'user', content: mark }] };
}

const PIECES = Array.from({ length: REPEAT }, () => TEXT.match(/\s*\S+/g) ?? []).flat();

/** Token counts that a charge may have: of every text from what came to what was sent. */
async function countsFrom(cameChunks: number, sentChunks: number): Promise<Set<number>> {
  const tokenizer = await loadTokenizer();
  const counts = new Set<number>();
  // The first chunk has the role and no text.
  for (let chunks = cameChunks; chunks <= sentChunks; chunks += 1) {
    counts.add(tokenizer.count(PIECES.slice(0, Math.max(0, chunks - 1)).join('')));
  }
  return counts;
}

describe('clients that go away', () => {
  it(
    '100 streams cut at random: the provider is cut at once, and what was forwarded is charged',
    async () => {
      double.script('stream', { text: TEXT, repeat: REPEAT, gapMs: GAP_MS });
      const credential = customer.key;
      const seen = await inParallel(100, 25, (index) => {
        const wanted = 1 + Math.floor(Math.random() * 60);
        const body = bodyOf('stream', `cut-${index}-`, true);
        const cutWhen = (text: string) => text.split('\n\n').length > wanted;
        return chat(gateway.url, { credential, body, cutWhen });
      });
      await quiet();
      expect(await books.violations()).toEqual([]);
      const booked = await books.requests();
      const faults: string[] = [];
      for (const [index, one] of seen.entries()) {
        const exchange = exchangeOf(`cut-${index}-`);
        faults.push(...(await faultsOf(one, exchange, booked.get(one.requestId))));
      }
      expect(faults).toEqual([]);
    },
    TEST_MS_MAX,
  );

  it(
    'whole requests cut before their answer cost nothing and are recorded as given up',
    async () => {
      double.script('whole', { delayMs: 5_000 });
      const before = new Set((await books.requests()).keys());
      await inParallel(30, 30, (index) => {
        const body = bodyOf('whole', `whole-${index}-`, false);
        const cutAfterMs = 500 + Math.random() * 500;
        return chat(gateway.url, { credential: customer.key, body, cutAfterMs });
      });
      await quiet();
      expect(await books.violations()).toEqual([]);
      const fresh = [...(await books.requests()).values()].filter(
        ({ requestId }) => !before.has(requestId),
      );
      expect(fresh).toHaveLength(30);
      for (const one of fresh) {
        expect(one).toMatchObject({
          state: 'released',
          status: 'failed',
          errorCode: 'client_closed_request',
        });
      }
      expect(double.received('whole').map(({ end }) => end)).toEqual(Array(30).fill('aborted'));
    },
    TEST_MS_MAX,
  );

  it(
    'subscriptions that a socket opens and gives up at any moment leave nothing held',
    async () => {
      double.script('socket', { text: TEXT, repeat: REPEAT, gapMs: GAP_MS });
      await inParallel(60, 10, (index) => giveUpSubscription(index));
      await quiet();
      expect(await books.violations()).toEqual([]);
      const ends = new Set(double.received('socket').map(({ end }) => end));
      expect([...ends].filter((end) => end !== 'aborted' && end !== 'finished')).toEqual([]);
    },
    TEST_MS_MAX,
  );
});

async function faultsOf(
  seen: Seen,
  exchange: Received | undefined,
  booked: Booked | undefined,
): Promise<string[]> {
  if (!exchange || !booked) return [`${seen.requestId} is not known`];
  const faults: string[] = [];
  if (exchange.end !== 'aborted') faults.push(`the provider saw ${exchange.end}`);
  const abortMs = (exchange.endMs ?? Number.POSITIVE_INFINITY) - seen.endedMs;
  if (abortMs > ABORT_MS_MAX) faults.push(`the provider went on for ${abortMs} ms`);
  if (booked.state !== 'delivered') faults.push(`it is ${booked.state}`);
  if (booked.usageSource !== 'estimated') faults.push(`usage is ${booked.usageSource}`);
  const came = seen.text.split('\n\n').length - 1;
  const allowed = await countsFrom(came, exchange.chunks + 1);
  if (!allowed.has(booked.outputTokens ?? -1)) {
    faults.push(`${booked.outputTokens} tokens for ${came} of ${exchange.chunks} chunks`);
  }
  return faults.map((fault) => `${seen.requestId}: ${fault}`);
}

const SUBSCRIPTION = `subscription($input: ChatCompletionRequest!) {
  chatCompletionStream(input: $input)
}`;

/** Opens a stream over a socket and completes or cuts it after a while, or not a while at all. */
async function giveUpSubscription(index: number): Promise<void> {
  const address = `${gateway.url.replace('http', 'ws')}/graphql`;
  const socket = new WebSocket(address, 'graphql-transport-ws');
  const acknowledged = new Promise<void>((resolve, reject) => {
    socket.on('message', (data) => {
      if (String(data).includes('connection_ack')) resolve();
    });
    socket.on('error', reject);
  });
  await new Promise((resolve) => socket.once('open', resolve));
  const authorization = `Bearer ${customer.key}`;
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }));
  await acknowledged;
  const input = bodyOf('socket', `socket-${index}-`, true);
  const payload = { query: SUBSCRIPTION, variables: { input } };
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
  await sleep([0, 2, 5, 10, 20, 50, 200][index % 7]);
  if (index % 2 === 0) {
    socket.send(JSON.stringify({ id: '1', type: 'complete' }));
    await sleep(20);
  }
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (index % 3 === 0) socket.terminate();
  else socket.close();
  await closed;
}
