import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../support/upstream-double.js';
import { type Books, openBooks } from './books.js';
import { inParallel } from './client.js';
import { type KeyedAnswer, type KeyedChange, sendChange } from './keyed-requests.js';
import { type Folder, newFolder, writeProviders } from './providers.js';
import { addressOf, type ServiceProxy, startProxy } from './proxy.js';

/** The second is of a gateway that has taken up what the first one left. */
const KILLS = 2;
const WIDTH = 16;
const TEST_MS_MAX = 180_000;
const TRIES_MAX = 300;

let double: SpawnedDouble;
let folder: Folder;
let database: TestDatabase;
let proxy: ServiceProxy;
let books: Books;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  double = await spawnUpstreamDouble();
  await double.script('own', { delayMs: 30, gapMs: 4 });
  folder = newFolder();
  database = await freshDatabase();
  proxy = await startProxy(addressOf(database.connection));
  books = openBooks(database.connection);
  const { user, database: name } = database.connection;
  environment = {
    GW_DATA_DIR: folder.path,
    GW_NODE_ID: 'the-one',
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, [{ lane: 'own', model: 'own/model' }]),
    DATABASE_URL: `postgresql://${user}@127.0.0.1:${proxy.port}/${name}`,
  };
});
afterEach(() => proxy.pass());
afterAll(async () => {
  await killGateways();
  await proxy.close();
  await books.close();
  await database.drop();
  await double.close();
  folder.remove();
});

const bodyOf = (feature: string) => ({
  model: 'own/model',
  max_tokens: 50,
  messages: [{ role: 'user', content: 'Здравствуйте' }],
  metadata: { feature },
});
const PLAIN = 'mutation A($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }';
const TWO = `mutation A($input: ChatCompletionRequest!, $other: ChatCompletionRequest!) {
  first: chatCompletionCreate(input: $input) second: chatCompletionCreate(input: $other) }`;

/** Each makes the body of a keyed chat whose usage bears the mark. */
const KINDS: Readonly<Record<string, (mark: string) => readonly [path: string, body: object]>> = {
  'REST, plain': (mark) => ['/v1/chat/completions', bodyOf(mark)],
  'REST, streamed': (mark) => ['/v1/chat/completions', { ...bodyOf(mark), stream: true }],
  'GraphQL, plain': (mark) => ['/graphql', { query: PLAIN, variables: { input: bodyOf(mark) } }],
  'GraphQL, two fields': (mark) => [
    '/graphql',
    { query: TWO, variables: { input: bodyOf(mark), other: bodyOf(`${mark} too`) } },
  ],
};

function newChat(kind: string): KeyedChange {
  const mark = randomUUID();
  const [path, body] = KINDS[kind]?.(mark) ?? ['', {}];
  return { kind, key: `key-${mark}`, mark, path, body: JSON.stringify(body) };
}

/** True for a whole answer, in whatever voice. */
function isWhole(answer: KeyedAnswer | undefined): answer is KeyedAnswer {
  if (answer?.status !== 200 || answer.text.includes('"errors"')) return false;
  return !answer.text.startsWith('data:') || answer.text.endsWith('data: [DONE]\n\n');
}

async function untilWhole(url: string, credential: string, chat: KeyedChange) {
  const between: KeyedAnswer[] = [];
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await sendChange(url, credential, chat);
    if (isWhole(answer)) return { answer, between };
    if (answer) between.push(answer);
    await sleep(100);
  }
  throw new Error(`${chat.kind} was never answered: ${JSON.stringify(between.at(-1))}`);
}

interface Sent {
  readonly chat: KeyedChange;
  readonly answer: KeyedAnswer | undefined;
}

async function chatsUntil(url: string, credential: string, end: () => Promise<void>) {
  const sent: Sent[] = [];
  const kinds = Object.keys(KINDS);
  let ended = false;
  const load = inParallel(WIDTH, WIDTH, async (worker) => {
    for (let turn = 0; !ended; turn += 1) {
      const chat = newChat(kinds[(worker + turn) % kinds.length] ?? '');
      sent.push({ chat, answer: await sendChange(url, credential, chat) });
    }
  });
  await sleep(400 + Math.random() * 600);
  await end();
  ended = true;
  await load;
  return sent;
}

/** Repeats everything until it is answered, and names what does not stand exactly once. */
async function faultsAfter(url: string, credential: string, sent: readonly Sent[]) {
  const faults: string[] = [];
  await inParallel(sent.length, WIDTH, async (index) => {
    const one = sent[index];
    if (!one) return;
    const { chat } = one;
    const { answer, between } = await untilWhole(url, credential, chat);
    const { answer: again } = await untilWhole(url, credential, chat);
    if (again.text !== answer.text) {
      faults.push(`${chat.kind} is answered in two ways`);
    }
    if (isWhole(one.answer) && one.answer.text !== answer.text) {
      faults.push(`${chat.kind} was answered otherwise at first`);
    }
    for (const { status, text, retryAfter } of between) {
      const isToldWhen = (status === 409 || status === 503) && retryAfter !== null;
      if (!isToldWhen && status !== 200) faults.push(`${chat.kind}: ${status} ${text}`);
    }
  });
  const { rows } = await books.pool.query<{ mark: string; standing: number }>(STANDING, [
    sent.flatMap(({ chat: { mark, kind } }) =>
      kind.endsWith('two fields') ? [mark, `${mark} too`] : [mark],
    ),
  ]);
  for (const { mark, standing } of rows) {
    if (standing !== 1) faults.push(`${mark} stands ${standing} times`);
  }
  return faults;
}

const STANDING = `
  SELECT mark, (
    SELECT count(*)::int FROM usage_event u JOIN hold h ON h.request_id = u.id
    WHERE u.feature = mark AND h.charged_micro > h.refunded_micro
  ) AS standing
  FROM unnest($1::text[]) AS mark`;

describe('a keyed chat of a gateway that is killed', () => {
  it(
    'is charged once and answered alike when it is repeated',
    async () => {
      let gateway = await startGateway(environment);
      const customer = await newCustomer(gateway, 10_000);
      let interrupted = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const sent = await chatsUntil(gateway.url, customer.key, () => gateway.kill());
        interrupted += sent.filter(({ answer }) => !isWhole(answer)).length;
        gateway = await startGateway(environment);
        expect(await faultsAfter(gateway.url, customer.key, sent)).toEqual([]);
      }
      expect(interrupted).toBeGreaterThan(KILLS);
      expect(await books.violations()).toEqual([]);
      await gateway.kill();
    },
    TEST_MS_MAX,
  );
});

describe('a keyed chat', () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGateway(environment);
  }, TEST_MS_MAX);

  it(
    'whose database goes away is answered where it was settled, and never charged twice',
    async () => {
      const customer = await newCustomer(gateway, 10_000);
      const sent = await chatsUntil(gateway.url, customer.key, async () => {
        proxy.refuse();
        await sleep(1_500);
        proxy.pass();
        await sleep(500);
      });
      expect(await faultsAfter(gateway.url, customer.key, sent)).toEqual([]);
      await expect.poll(() => books.violations(), { timeout: 10_000 }).toEqual([]);
    },
    TEST_MS_MAX,
  );

  it(
    'goes on when its client leaves, and is answered when the client comes back',
    async () => {
      const customer = await newCustomer(gateway, 10_000);
      const stranger = await newCustomer(gateway, 10_000);
      const chats = Object.keys(KINDS).map(newChat);
      for (const { path, key, body } of chats) {
        const headers = {
          'content-type': 'application/json',
          authorization: `Bearer ${customer.key}`,
          'idempotency-key': key,
        };
        const signal = AbortSignal.timeout(60);
        await fetch(gateway.url + path, { method: 'POST', headers, body, signal })
          .then((answer) => answer.text())
          .catch(() => undefined);
      }
      const sent = chats.map((chat) => ({ chat, answer: undefined }));
      expect(await faultsAfter(gateway.url, customer.key, sent)).toEqual([]);
      // The same keys of another organization are other keys.
      for (const chat of chats) {
        const own = await untilWhole(gateway.url, customer.key, chat);
        const foreign = await untilWhole(gateway.url, stranger.key, chat);
        expect(foreign.answer.text).not.toBe(own.answer.text);
      }
      expect(await books.violations()).toEqual([]);
    },
    TEST_MS_MAX,
  );
});
