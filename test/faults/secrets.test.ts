import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, rest } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { startUpstreamDouble, type UpstreamDouble } from '../support/upstream-double.mjs';
import { type Books, openBooks } from './books.js';
import { chat } from './client.js';
import { type Folder, newFolder, writeProviders } from './providers.js';

const TEST_MS_MAX = 120_000;
const PROVIDER_KEY = `provider-${randomBytes(16).toString('hex')}`;
const PASSWORD = `correct ${randomBytes(8).toString('hex')} staple`;
const WRONG_PASSWORD = `wrong ${randomBytes(8).toString('hex')} staple`;
const PROMPT = `зимородок-${randomBytes(8).toString('hex')}`;
const ANSWER = `щегол-${randomBytes(8).toString('hex')}`;
const CARD = '4556 7375 8689 9855';

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
  const lanes = ['own', 'broken', 'refusing', 'unkeyed'].map((lane) => ({
    lane,
    model: `${lane}/model`,
    apiKeyEnv: 'TEST_PROVIDER_KEY',
  }));
  gateway = await startGateway({
    LOG_LEVEL: 'debug',
    TEST_PROVIDER_KEY: PROVIDER_KEY,
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

/** Every form in which a text could lie somewhere. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const escaped = JSON.stringify(secret).slice(1, -1);
  const ascii = escaped.replaceAll(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [secret, escaped, ascii, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)];
}

/** Every row of every table as text. */
async function dump(): Promise<string> {
  const { rows: tables } = await books.pool.query<{ name: string }>(
    "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await books.pool.query<{ line: string }>(
      `SELECT t::text AS line FROM ${name} t`,
    );
    parts.push(`== ${name}`, ...rows.map(({ line }) => line));
  }
  expect(tables.length).toBeGreaterThan(15);
  return parts.join('\n');
}

interface Registered {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Uses the gateway in every way that carries a secret. @returns the secrets that it made */
async function useEverything(): Promise<Record<string, string>> {
  const email = 'canary@example.test';
  const { accessToken, refreshToken } = (
    await rest<Registered>(gateway, 'POST', '/auth/register', {
      body: { email, password: PASSWORD, organization: 'Canary' },
    })
  ).body;
  await rest(gateway, 'POST', '/auth/login', { body: { email, password: PASSWORD } });
  await rest(gateway, 'POST', '/auth/login', { body: { email, password: WRONG_PASSWORD } });
  await rest(gateway, 'POST', '/auth/login', { body: { email, password: { not: PASSWORD } } });
  const variables = { email, password: PASSWORD, unknown: PROMPT };
  await graphql(gateway, 'mutation($password: String!) { nothing(a: $password) }', variables);
  const credential = accessToken;
  const { key } = (
    await rest<{ key: string }>(gateway, 'POST', '/api-keys', {
      credential,
      body: { keyType: 'service', name: 'canary' },
    })
  ).body;
  await rest(gateway, 'POST', '/billing/top-up/manual', { credential, body: { amount_rub: 1000 } });
  await rest(gateway, 'POST', '/v1/gw/policies', {
    credential,
    body: { name: 'masking', firewall: { card: 'mask' } },
  });
  await useModels(key);
  await rest(gateway, 'GET', '/me', { credential: `${key.slice(0, -1)}0` });
  await rest(gateway, 'GET', '/me', { credential: `${accessToken}x` });
  return { key, accessToken, refreshToken };
}

/** Answers, streams, replays, refusals and broken answers, all about the card and the prompt. */
async function useModels(key: string): Promise<void> {
  double.script('own', { text: ANSWER });
  double.script('broken', { text: ANSWER, cutAfter: 2 });
  double.script('refusing', { status: 400, message: `no ${PROMPT} with ${PROVIDER_KEY}` });
  double.script('unkeyed', { status: 401, message: `wrong key ${PROVIDER_KEY}` });
  const messages = [{ role: 'user', content: `${PROMPT}: моя карта ${CARD}` }];
  const statuses: number[] = [];
  for (const lane of ['own', 'broken', 'refusing', 'unkeyed']) {
    for (const stream of [true, false]) {
      const body = { model: `${lane}/model`, messages, stream };
      const headers = { 'idempotency-key': `${lane}-${stream}` };
      for (let turn = 0; turn < 2; turn += 1) {
        const seen = await chat(gateway.url, { credential: key, body, headers });
        expect(seen.text).not.toContain(PROVIDER_KEY);
        statuses.push(seen.status);
      }
    }
  }
  // Answers and their replays; then cut after and before the first content until a breaker opens.
  const answered = [200, 200, 200, 200];
  const cut = [200, 200, 502, 503];
  expect(statuses).toEqual([...answered, ...cut, 400, 400, 400, 400, 502, 502, 502, 502]);
  await chat(gateway.url, { credential: key, body: { model: PROMPT, messages } });
  await chat(gateway.url, { credential: key, body: { model: 'own/model', messages: PROMPT } });
}

/** The files that the gateway itself has written. */
function files(): string {
  const names = readdirSync(folder.path, { recursive: true }) as string[];
  const paths = names.map((name) => join(folder.path, name));
  const read = (path: string) => (statSync(path).isFile() ? readFileSync(path, 'latin1') : '');
  return paths.map(read).join('\n');
}

describe('secrets', () => {
  it(
    'are in no log line, metric, database row or file, and masked values reach no provider',
    async () => {
      const made = await useEverything();
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      const rows = await dump();
      expect(await gateway.terminate()).toBe(0);
      const places = { logs: gateway.logs(), metrics, rows, files: files() };
      const secrets = {
        ...made,
        PASSWORD,
        WRONG_PASSWORD,
        PROVIDER_KEY,
        PROMPT,
        ANSWER,
        CARD,
        cardDigits: CARD.replaceAll(' ', ''),
      };
      const found = Object.entries(places).flatMap(([place, text]) =>
        Object.entries(secrets).flatMap(([name, secret]) =>
          formsOf(secret).some((form) => text.includes(form)) ? [`${name} in ${place}`] : [],
        ),
      );
      expect(found).toEqual([]);
      expect(rows).toContain('canary@example.test');
      // The prompt went out, so the search for the card in what went out means something.
      const sent = double.log.map(({ body }) => body).join('\n');
      expect(sent).toContain(PROMPT);
      expect(sent).not.toContain(CARD);
      expect(sent).not.toContain(secrets.cardDigits);
      expect(places.logs.length).toBeGreaterThan(1_000);
    },
    TEST_MS_MAX,
  );
});
