import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Canary, startCanary } from '../actions/webhook/canary.js';
import { type Customer, newCustomer, rest } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type Books, openBooks } from './books.js';
import { type Folder, newFolder } from './providers.js';

const TEST_MS_MAX = 120_000;
const WAIT = { timeout: 40_000, interval: 20 };

let database: TestDatabase;
let books: Books;
let folders: readonly Folder[];
let receiver: Canary;
/** What the receiver does with the message of a number, from 1. */
let reply: (number: number) => number | 'hang';
beforeAll(async () => {
  database = await freshDatabase();
  books = openBooks(database.connection);
  folders = [newFolder(), newFolder()];
});
beforeEach(async () => {
  reply = () => 200;
  receiver = await startCanary((response, number) => {
    const status = reply(number);
    if (status === 'hang') setTimeout(() => response.destroy(), 10_000).unref();
    else response.writeHead(status).end();
  });
});
afterEach(async () => {
  await killGateways();
  await receiver.stop();
});
afterAll(async () => {
  await books?.close();
  await database?.drop();
  for (const folder of folders ?? []) folder.remove();
});

function start(name: 'first' | 'second'): Promise<GatewayProcess> {
  return startGateway({
    GW_DATA_DIR: folders[name === 'first' ? 0 : 1]?.path,
    GW_NODE_ID: name,
    DATABASE_URL: database.databaseUrl,
    GW_WEBHOOK_ALLOW: '127.0.0.1',
    GW_WEBHOOK_RETRY_SECONDS: '2,2,2,2,2',
    GW_WEBHOOK_TIMEOUT_MS: '4000',
  });
}

interface Watched {
  readonly customer: Customer;
  readonly policyId: string;
  readonly secret: string;
}

/** An organization whose approvals are told to the receiver. */
async function watched(gateway: GatewayProcess): Promise<Watched> {
  const customer = await newCustomer(gateway);
  const post = <T>(path: string, body: object) =>
    rest<T>(gateway, 'POST', path, { credential: customer.token, body });
  const budgets = { daily_rub: 100 };
  const policy = await post<{ id: string }>('/v1/gw/policies', { budgets });
  const endpoint = await post<{ secret: string }>('/v1/gw/webhooks', {
    url: `http://127.0.0.1:${receiver.port}/hook`,
    event_types: ['approval.requested'],
  });
  return { customer, policyId: policy.body.id, secret: endpoint.body.secret };
}

/** Asks for more than a budget allows, which tells the feed. @returns the id of the approval */
async function ask(gateway: GatewayProcess, { customer, policyId }: Watched): Promise<string> {
  const path = `/v1/gw/policies/${policyId}/budget-exceptions`;
  const body = { period: 'day', amount_rub: 1, reason: 'A release' };
  const options = { credential: customer.token, body };
  return (await rest<{ approval_id: string }>(gateway, 'POST', path, options)).body.approval_id;
}

/** The approvals of messages that have arrived, by the `webhook-id`; signatures are checked. */
function arrivals({ secret }: Watched): Map<string, string[]> {
  const seen = new Map<string, string[]>();
  for (const { body, headers } of receiver.hits) {
    const { data } = new Webhook(secret).verify(body, headers) as { data: { approval_id: string } };
    const id = headers['webhook-id'] ?? '';
    seen.set(id, [...(seen.get(id) ?? []), data.approval_id]);
  }
  return seen;
}

/** What the feed of a tenant has, as it was committed. */
async function committed({ customer }: Watched): Promise<string[]> {
  const sql = `SELECT payload ->> 'approvalId' AS id FROM feed_event WHERE tenant_id = $1
    AND type = 'requested' ORDER BY 1`;
  const { rows } = await books.pool.query<{ id: string }>(sql, [customer.tenantId]);
  return rows.map(({ id }) => id);
}

/** How many deliveries are known to have arrived. */
async function delivered({ customer }: Watched): Promise<number> {
  const sql = `SELECT count(*)::int AS many FROM webhook_delivery
    WHERE tenant_id = $1 AND status = 'delivered'`;
  return (await books.pool.query<{ many: number }>(sql, [customer.tenantId])).rows[0]?.many ?? 0;
}

const idsOf = (seen: Map<string, string[]>) => [...seen.values()].map(([id]) => id).sort();

describe('a process that is killed', () => {
  it(
    'between two attempts makes the next one when it is back, under the same id',
    async () => {
      reply = (number) => (number === 1 ? 500 : 200);
      const gateway = await start('first');
      const owner = await watched(gateway);
      const asked = await ask(gateway, owner);
      await expect.poll(() => receiver.hits.length, WAIT).toBe(1);
      await gateway.kill();
      await start('first');
      await expect.poll(() => receiver.hits.length, WAIT).toBe(2);
      expect([...arrivals(owner).values()]).toEqual([[asked, asked]]);
    },
    TEST_MS_MAX,
  );

  it(
    'in the middle of attempts and of events tells each of them, under one id each',
    async () => {
      reply = (number) => (number % 3 === 0 ? 'hang' : 200);
      const gateway = await start('first');
      const owner = await watched(gateway);
      const asking = Array.from({ length: 30 }, () => ask(gateway, owner).catch(() => undefined));
      await expect.poll(() => receiver.hits.length, WAIT).toBeGreaterThanOrEqual(3);
      await gateway.kill();
      await Promise.all(asking);
      reply = () => 200;
      await start('first');
      const expected = await committed(owner);
      expect(expected.length).toBeGreaterThan(0);
      await expect.poll(() => idsOf(arrivals(owner)), WAIT).toEqual(expected);
      // Those that hung when it was killed are made again, and end.
      await expect.poll(() => delivered(owner), WAIT).toBe(expected.length);
      for (const told of arrivals(owner).values()) expect(new Set(told).size).toBe(1);
    },
    TEST_MS_MAX,
  );
});

describe('of two nodes', () => {
  it(
    'one delivers, each event once; the other goes on where it is killed',
    async () => {
      const [first, second] = [await start('first'), await start('second')];
      const owner = await watched(second);
      for (let n = 0; n < 10; n += 1) await ask(n % 2 ? first : second, owner);
      // What has arrived is known to have arrived only when its outcome is written.
      await expect.poll(() => delivered(owner), WAIT).toBe(10);
      const { rows } = await books.pool.query<{ node_id: string; term: bigint }>(
        'SELECT node_id, term FROM webhook_worker',
      );
      expect(rows).toHaveLength(1);
      const [delivering, left] =
        rows[0]?.node_id === 'first' ? [first, second] : ([second, first] as const);
      await delivering.kill();
      for (let n = 0; n < 5; n += 1) await ask(left, owner);
      const expected = await committed(owner);
      expect(expected).toHaveLength(15);
      await expect.poll(() => idsOf(arrivals(owner)), WAIT).toEqual(expected);
      expect(receiver.hits).toHaveLength(15);
    },
    TEST_MS_MAX,
  );
});
