import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../support/upstream-double.js';
import { embeddedConnection, openBooks } from './books.js';
import { type Folder, newUsedFolder, writeProviders } from './providers.js';

const TEST_MS_MAX = 120_000;
/** Long enough for more than one checkpoint of a stream without a key. */
const KILL_AFTER_MS = 3_000;
const TRIES_MAX = 50;

let double: SpawnedDouble;
let folder: Folder;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  double = await spawnUpstreamDouble();
  folder = await newUsedFolder();
  environment = {
    GW_DATA_DIR: folder.path,
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, [{ lane: 'own', model: 'own/model' }]),
  };
});
afterEach(killGateways);
afterAll(async () => {
  await double.close();
  folder.remove();
});

const BODY = { model: 'own/model', messages: [{ role: 'user', content: 'Здравствуйте' }] };
const QUERY =
  'subscription A($input: ChatCompletionRequest!) { chatCompletionStream(input: $input) }';

const VOICES: readonly (readonly [voice: string, path: string, body: object])[] = [
  ['REST', '/v1/chat/completions', { ...BODY, stream: true }],
  ['GraphQL', '/graphql', { query: QUERY, variables: { input: BODY } }],
];

/** The text of a stream under a key; undefined where it broke. */
async function ask(
  { url }: GatewayProcess,
  credential: string,
  [voice, path, body]: (typeof VOICES)[number],
): Promise<string | undefined> {
  try {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: `Bearer ${credential}`,
        'idempotency-key': `killed-over-${voice}`,
      },
      body: JSON.stringify(body),
    });
    return await answer.text();
  } catch {
    return undefined;
  }
}

describe('a long stream under a key whose gateway is killed', () => {
  it(
    'is answered when it is repeated, and charged for that answer alone',
    async () => {
      await double.script('own', { gapMs: 500 });
      let gateway = await startGateway(environment);
      const { key } = await newCustomer(gateway, 100);
      const asked = Promise.all(VOICES.map((voice) => ask(gateway, key, voice)));
      await sleep(KILL_AFTER_MS);
      await gateway.kill();
      expect(await asked).toEqual([undefined, undefined]);
      await double.script('own', {});
      gateway = await startGateway(environment);
      for (const voice of VOICES) {
        let text: string | undefined;
        for (let tries = 0; tries < TRIES_MAX && !text?.includes('gw_routing'); tries += 1) {
          text = await ask(gateway, key, voice);
        }
        expect(text).toContain('gw_routing');
        expect((await ask(gateway, key, voice))?.includes('gw_routing')).toBe(true);
      }
      const books = openBooks(embeddedConnection(folder.path));
      expect(await books.violations()).toEqual([]);
      const booked = [...(await books.requests()).values()];
      const standing = booked.filter(({ state }) => state === 'delivered');
      const lost = booked.filter(({ state }) => state === 'released');
      expect(standing.map(({ status }) => status)).toEqual(['complete', 'complete']);
      expect(lost.map(({ errorCode }) => errorCode)).toEqual(['node_lost', 'node_lost']);
      expect(booked).toHaveLength(4);
      await books.close();
    },
    TEST_MS_MAX,
  );
});
