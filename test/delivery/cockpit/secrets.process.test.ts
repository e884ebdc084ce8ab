import { randomBytes } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type Books, openBooks } from '../../faults/books.js';
import { type Folder, newFolder } from '../../faults/providers.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../../support/gateway-process.js';
import { COCKPIT, type ShownRun } from './runs.js';

const TEST_MS_MAX = 120_000;
const RUN = 'mutation { migrationCheckRun { id status } }';

let folder: Folder;
let database: TestDatabase;
let books: Books;
let gateway: GatewayProcess;
let customer: Customer;

beforeAll(async () => {
  folder = newFolder();
  database = await freshDatabase();
  books = openBooks(database.connection);
  gateway = await startGateway({
    LOG_LEVEL: 'debug',
    GW_DATA_DIR: folder.path,
    DATABASE_URL: database.databaseUrl,
  });
  customer = await newCustomer(gateway, 500);
}, TEST_MS_MAX);
afterAll(async () => {
  await killGateways();
  await books.close();
  await database.drop();
  folder.remove();
});

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
    parts.push(...rows.map(({ line }) => line));
  }
  return parts.join('\n');
}

/** The places that hold a secret in any form in which it could lie there. */
function placesOf(secret: string, places: Readonly<Record<string, string>>): string[] {
  const bytes = Buffer.from(secret);
  const forms = [secret, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)];
  return Object.entries(places).flatMap(([place, text]) =>
    forms.some((form) => text.includes(form)) ? [place] : [],
  );
}

function runOverSocket(credential: string): Promise<unknown> {
  const client = createClient({
    url: `${gateway.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${credential}` },
    retryAttempts: 0,
  });
  return new Promise((resolve, reject) => {
    let answer: unknown;
    client.subscribe(
      { query: RUN },
      {
        next: ({ data }) => {
          answer = data;
        },
        error: reject,
        complete: () => {
          void client.dispose();
          resolve(answer);
        },
      },
    );
  });
}

describe('the cockpit', () => {
  it(
    'stores and logs no key, whichever way it comes: REST, GraphQL and socket',
    async () => {
      const { key, token } = customer;
      const whole = await rest<ShownRun>(gateway, 'POST', COCKPIT, { credential: key, body: {} });
      const asked = await graphql(gateway, RUN, {}, token);
      const socket = await runOverSocket(key);
      const passed = { migrationCheckRun: expect.objectContaining({ status: 'passed_simulated' }) };
      expect([whole.body.status, asked.data, socket]).toEqual(['passed_simulated', passed, passed]);
      const rows = await dump();
      expect(rows).toContain(whole.body.id);
      const answers = JSON.stringify([whole.body, asked, socket]);
      const places = { rows, answers, logs: gateway.logs() };
      expect(placesOf(key, places)).toEqual([]);
      expect(placesOf(token, places)).toEqual([]);
      expect(places.logs.length).toBeGreaterThan(1_000);
    },
    TEST_MS_MAX,
  );
});

describe('import-config', () => {
  it(
    'no secret value leaves the parser, in an answer, a log or a row',
    async () => {
      const canaries = Array.from(
        { length: 6 },
        () => `sk-${randomBytes(18).toString('base64url')}`,
      );
      const [first, second, third, fourth, fifth, sixth] = canaries;
      const texts = {
        env: `OPENAI_API_KEY=${first}\nnot a line ${first}\n`,
        python: `from openai import OpenAI\nOpenAI(api_key="${second}", model="${second}" ((`,
        node: `new OpenAI({ apiKey: '${third}', baseURL: 'https://u:${third}@x.y/v1' }); // ${third}`,
        litellm: `model_list:\n- litellm_params: {api_key: ${fourth}\n bad: [${fourth}`,
        n8n: `{"nodes": [{"password": "${fifth}", "model": "${fifth}"}], ${fifth}`,
        curl: `curl -H 'Authorization: Bearer ${sixth}' https://x.y/v1?key=${sixth}`,
      };
      const answers: unknown[] = [];
      const path = '/v1/gw/migration/import-config';
      for (const [kind, content] of Object.entries(texts)) {
        const { status, body } = await rest(gateway, 'POST', path, { body: { kind, content } });
        expect([kind, status]).toEqual([kind, 200]);
        const wrong = await rest(gateway, 'POST', path, { body: { kind: content, content } });
        const query =
          'query($c: String!) { migrationConfigImport(kind: auto, content: $c) { no } }';
        answers.push(body, wrong.body, await graphql(gateway, query, { c: content }));
      }
      const rows = await dump();
      const places = { answers: JSON.stringify(answers), rows, logs: gateway.logs() };
      const found = canaries.map((canary) => placesOf(canary, places));
      expect(found).toEqual(canaries.map(() => []));
    },
    TEST_MS_MAX,
  );
});
