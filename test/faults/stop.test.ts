import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { startUpstreamDouble, type UpstreamDouble } from '../support/upstream-double.mjs';
import { type Books, openBooks } from './books.js';
import { chat, chunksOf, inParallel, type Seen } from './client.js';
import { type Folder, newFolder, writeProviders } from './providers.js';

const STREAMS = 50;
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
    // Only in production a node waits until the balancer has seen that it is not ready.
    NODE_ENV: 'production',
    GW_ALLOW_MANUAL_TOP_UP: 'on',
    GW_NODE_ID: 'stopped',
    GW_DATA_DIR: folder.path,
    DATABASE_URL: database.databaseUrl,
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, [{ lane: 'own', model: 'own/model' }]),
  };
});
afterEach(killGateways);
afterAll(async () => {
  await double.close();
  await books.close();
  await database.drop();
  folder.remove();
});

/** Opens streams and waits until each of them has begun. */
async function openStreams(url: string, credential: string): Promise<{ ended: Promise<Seen[]> }> {
  const messages = [{ role: 'user', content: 'Расскажи о погоде.' }];
  const body = { model: 'own/model', stream: true, messages };
  const begun = new Set<number>();
  const ended = inParallel(STREAMS, STREAMS, (index) =>
    chat(url, {
      credential,
      body,
      cutWhen(text) {
        if (text.includes('"content"')) begun.add(index);
        return false;
      },
    }),
  );
  while (begun.size < STREAMS) await sleep(10);
  return { ended };
}

function refused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', () => resolve(true));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}

/** Asks for readiness until the node says why it is not ready. */
async function reasonNotReady(url: string): Promise<readonly string[]> {
  for (;;) {
    const answer = await fetch(`${url}/readyz`);
    const { reasons } = (await answer.json()) as { reasons: string[] };
    if (answer.status === 503) return reasons;
    await sleep(5);
  }
}

/** The epoch of the node, and whether it was retired. */
async function nodeState(): Promise<unknown> {
  const { rows } = await books.pool.query(
    "SELECT retired_at IS NOT NULL AS retired FROM gateway_node WHERE node_id = 'stopped'",
  );
  return rows[0];
}

async function begin(): Promise<{ gateway: GatewayProcess; key: string }> {
  const gateway = await startGateway(environment);
  const { key } = await newCustomer(gateway, 10_000);
  return { gateway, key };
}

describe('a gateway that gets SIGTERM with 50 running streams', () => {
  it(
    'is not ready first, refuses connections next, ends every stream, and leaves clean books',
    async () => {
      double.script('own', { gapMs: 50, repeat: 6 });
      const { gateway, key } = await begin();
      const streams = await openStreams(gateway.url, key);
      const exit = gateway.terminate();
      expect(await reasonNotReady(gateway.url)).toEqual(['draining']);
      const body = { model: 'own/model', messages: [{ role: 'user', content: 'Ещё успею?' }] };
      const late = await chat(gateway.url, { credential: key, body });
      expect([late.status, late.headers.connection]).toEqual([200, 'close']);
      while (!(await refused(gateway.url))) await sleep(20);
      const seen = await streams.ended;
      expect(seen.map(({ status, complete }) => [status, complete])).toEqual(
        Array.from({ length: STREAMS }, () => [200, true]),
      );
      expect(await exit).toBe(0);
      expect(await nodeState()).toEqual({ retired: true });
      expect(await books.violations()).toEqual([]);
      const booked = await books.requests();
      const states = seen.map(({ requestId }) => booked.get(requestId)?.state);
      expect(new Set(states)).toEqual(new Set(['delivered']));
    },
    TEST_MS_MAX,
  );

  it(
    'tells streams that outlast its patience why they end, and charges what they produced',
    async () => {
      double.script('own', { gapMs: 50, repeat: 100, usage: null });
      environment = { ...environment, GW_DRAIN_TIMEOUT_MS: '300' };
      const { gateway, key } = await begin();
      const streams = await openStreams(gateway.url, key);
      expect(await gateway.terminate()).toBe(0);
      const seen = await streams.ended;
      const booked = await books.requests();
      expect(await books.violations()).toEqual([]);
      expect(await nodeState()).toEqual({ retired: true });
      for (const one of seen) {
        const last = chunksOf(one).at(-1) as { error?: { message?: string } };
        expect(last.error?.message).toContain('the gateway is stopping');
        expect(booked.get(one.requestId)).toMatchObject({
          state: 'delivered',
          status: 'partial',
          usageSource: 'estimated',
        });
      }
    },
    TEST_MS_MAX,
  );
});
