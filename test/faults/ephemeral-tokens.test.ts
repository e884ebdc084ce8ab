import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCustomer, rest } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { startUpstreamDouble, type UpstreamDouble } from '../support/upstream-double.mjs';
import { type Books, openBooks } from './books.js';
import { chat, errorCodeOf, inParallel } from './client.js';
import { type Folder, newFolder, writeProviders } from './providers.js';
import { ONE_RUBLE } from './two-nodes.js';

const TEST_MS_MAX = 180_000;
const REQUESTS = 100;
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

let double: UpstreamDouble;
let database: TestDatabase;
let books: Books;
const folders: Folder[] = [];
const nodes: GatewayProcess[] = [];

function start(index: number): Promise<GatewayProcess> {
  const lane = { lane: 'own', model: 'own/model', inputRub: 0, outputRub: 1_000_000 };
  const folder = folders[index];
  if (!folder) throw new Error('there is no such node');
  return startGateway({
    GW_DATA_DIR: folder.path,
    GW_NODE_ID: `node-${index}`,
    DATABASE_URL: database.databaseUrl,
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, [lane]),
  });
}

beforeAll(async () => {
  double = await startUpstreamDouble();
  database = await freshDatabase();
  books = openBooks(database.connection);
  folders.push(newFolder(), newFolder());
  nodes.push(await start(0), await start(1));
});
afterAll(async () => {
  await killGateways();
  await double.close();
  await books.close();
  await database.drop();
  for (const folder of folders) folder.remove();
});

it(
  'a token for 100 requests and 60 rubles lets no more through when a node is killed with kill -9',
  async () => {
    const [first, second] = nodes as [GatewayProcess, GatewayProcess];
    const { token: credential } = await newCustomer(first, 10_000);
    const issue = async (body: object) => {
      const path = '/v1/gw/abuse/ephemeral-tokens';
      const made = await rest<{ id: string; token: string }>(first, 'POST', path, {
        credential,
        body,
      });
      return made.body;
    };
    const counted = await issue({ max_requests: REQUESTS, max_cost: 1_000 });
    const capped = await issue({ max_requests: 1_000, max_cost: 60 });
    double.script('own', { text: 'Да', usage: USAGE, delayMs: 40 });
    const urls = [first.url, second.url];
    let ended = 0;
    const racing = inParallel(400, 60, async (index) => {
      const { token } = index % 2 === 0 ? counted : capped;
      const url = urls[Math.floor(index / 2) % 2] ?? '';
      const seen = await chat(url, { credential: token, body: ONE_RUBLE });
      ended += 1;
      if (ended === 60) {
        await second.kill();
        urls[1] = first.url;
      }
      return { token, ...seen };
    });
    const answers = await racing;
    nodes[1] = await start(1);
    urls[1] = nodes[1].url;
    for (const { token } of [counted, capped]) {
      await inParallel(240, 40, async (index) => {
        const seen = await chat(urls[index % 2] ?? '', { credential: token, body: ONE_RUBLE });
        answers.push({ token, ...seen });
      });
      await expect
        .poll(async () => {
          const seen = await chat(first.url, { credential: token, body: ONE_RUBLE });
          if (seen.status === 200) answers.push({ token, ...seen });
          return errorCodeOf(seen);
        }, PATIENT)
        .toBe(token === counted.token ? 'ephemeral_token_spent' : 'budget_exhausted');
    }
    const passed = ({ token }: { token: string }) =>
      answers.filter((each) => each.token === token && each.status === 200).length;
    const lost = answers.filter(({ status }) => status === 0).length;
    const { rows } = await books.pool.query(
      `SELECT e.id, e.requests_used AS used, c.spent_micro AS spent, c.held_micro AS held,
         (SELECT count(*)::int FROM hold h WHERE e.budget_id = ANY (h.budget_ids)) AS holds
       FROM ephemeral_token e JOIN budget_counter c USING (budget_id) ORDER BY e.id`,
    );
    const [ofCounted, ofCapped] = rows;
    // What was answered and what the kill has cut off are all that there was.
    expect(ofCounted).toMatchObject({ id: counted.id, used: REQUESTS, held: 0n });
    expect(passed(counted)).toBeLessThanOrEqual(REQUESTS);
    expect(passed(counted) + lost).toBeGreaterThanOrEqual(REQUESTS);
    expect(ofCounted.holds).toBeLessThanOrEqual(REQUESTS);
    expect(ofCapped).toMatchObject({ id: capped.id, spent: 60_000_000n, held: 0n });
    // The killed node could not say of its last answers that they arrived: they were given back.
    const { rows: refunded } = await books.pool.query<{ id: string }>(
      `SELECT request_id AS id FROM hold WHERE state = 'refunded' AND node_id = 'node-1'`,
    );
    const givenBack = new Set(refunded.map(({ id }) => id));
    const paid = answers.filter(({ token, status, requestId }) => {
      return token === capped.token && status === 200 && !givenBack.has(requestId);
    });
    expect(paid.length).toBeLessThanOrEqual(60);
    expect(paid.length + lost).toBeGreaterThanOrEqual(60);
    expect(await books.violations()).toEqual([]);
  },
  TEST_MS_MAX,
);

const PATIENT = { timeout: 60_000, interval: 500 };
