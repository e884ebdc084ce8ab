import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { newCustomer } from '../support/app.js';
import { killGateways } from '../support/gateway-process.js';
import { chat, errorCodeOf, inParallel } from './client.js';
import { ONE_RUBLE, services, startTwoNodes, type TwoNodes } from './two-nodes.js';

const TEST_MS_MAX = 120_000;
const CUTS = 100;

const found = await services();
let nodes: TwoNodes;

interface Item {
  readonly cursor: string;
  readonly entry: { readonly requestId: string; readonly type: string };
}

interface Message {
  readonly type: string;
  readonly payload?: { readonly data?: { readonly ledgerEvents: Item } };
}

const FEED = `subscription($after: String) {
  ledgerEvents(after: $after) { cursor entry { requestId type } }
}`;

/** Follows the feed until the socket is cut; every item goes to `take`. */
async function follow(
  credential: string,
  after: string | undefined,
  take: (item: Item) => void,
): Promise<WebSocket> {
  const address = `${nodes.second.url.replace('http', 'ws')}/graphql`;
  const socket = new WebSocket(address, 'graphql-transport-ws');
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  let cut = false;
  socket.once('close', () => {
    cut = true;
  });
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.type === 'connection_ack') {
      const payload = { query: FEED, variables: { after } };
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
    }
    const item = message.payload?.data?.ledgerEvents;
    if (item && !cut && socket.readyState === WebSocket.OPEN) take(item);
  });
  const authorization = `Bearer ${credential}`;
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }));
  return socket;
}

function nameOf({ requestId, type }: Item['entry']): string {
  return `${type.toLowerCase()} ${requestId}`;
}

describe.skipIf(!found)('two nodes', () => {
  beforeAll(async () => {
    if (found) nodes = await startTwoNodes(found);
  });
  afterAll(killGateways);
  afterAll(() => nodes.close());

  it(
    'a reader of one that is cut off 100 times sees each entry of the other once, in order',
    async () => {
      const { first, books } = nodes;
      const { key, token, accountId } = await newCustomer(first, 5_000);
      const items: Item[] = [];
      const take = (item: Item) => {
        items.push(item);
      };
      const opening = await follow(token, undefined, take);
      // The feed without a cursor begins when the subscription stands: it stands at its first item.
      await chat(first.url, { credential: key, body: ONE_RUBLE });
      while (items.length === 0) {
        await chat(first.url, { credential: key, body: ONE_RUBLE });
        await sleep(50);
      }
      opening.terminate();
      let running = true;
      const load = inParallel(4, 4, async () => {
        while (running) await chat(first.url, { credential: key, body: ONE_RUBLE });
      });
      for (let cut = 0; cut < CUTS; cut += 1) {
        const socket = await follow(token, items.at(-1)?.cursor, take);
        await sleep(Math.random() * 120);
        socket.terminate();
      }
      running = false;
      await load;
      const { rows } = await books.pool.query<{ name: string }>(
        `SELECT type || ' ' || request_id AS name FROM ledger_entry WHERE account_id = $1
         ORDER BY account_version`,
        [accountId],
      );
      const names = rows.map(({ name }) => name);
      const last = await follow(token, items.at(-1)?.cursor, take);
      const expected = names.slice(names.indexOf(nameOf(items[0]?.entry ?? NO_ENTRY)));
      for (let tries = 0; items.length < expected.length && tries < 200; tries += 1)
        await sleep(50);
      await sleep(200);
      last.terminate();
      expect(items.map(({ entry }) => nameOf(entry))).toEqual(expected);
      expect(expected.length).toBeGreaterThan(CUTS);
    },
    TEST_MS_MAX,
  );

  it(
    'a request that comes to both at once with one idempotency key runs once',
    async () => {
      const { first, second, books, double } = nodes;
      const { key, accountId } = await newCustomer(first, 1_000);
      double.script('own', {
        text: 'Да',
        delayMs: 30,
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      });
      const before = double.log.length;
      const pairs = await inParallel(50, 10, async (index) => {
        const headers = { 'idempotency-key': `pair-${index}` };
        const ask = (url: string) => chat(url, { credential: key, body: ONE_RUBLE, headers });
        const both = await Promise.all([ask(first.url), ask(second.url)]);
        const again = await ask(index % 2 === 0 ? first.url : second.url);
        return { both, again };
      });
      for (const { both, again } of pairs) {
        const ran = both.filter((one) => one.headers['idempotent-replayed'] === undefined);
        const answered = both.filter(({ status }) => status === 200);
        expect(answered.length).toBeGreaterThan(0);
        expect(ran.filter(({ status }) => status === 200)).toHaveLength(1);
        const codes = both.filter(({ status }) => status !== 200).map(errorCodeOf);
        expect(codes.every((code) => code === 'idempotency_in_progress')).toBe(true);
        expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
        expect(new Set([...answered, again].map(({ text }) => text)).size).toBe(1);
      }
      expect(double.log.length - before).toBe(50);
      const { rows } = await books.pool.query(
        `SELECT count(*)::int AS charges FROM ledger_entry
         WHERE account_id = $1 AND type = 'finalize'`,
        [accountId],
      );
      expect(rows).toEqual([{ charges: 50 }]);
      expect(await books.violations()).toEqual([]);
    },
    TEST_MS_MAX,
  );
});

const NO_ENTRY: Item['entry'] = { requestId: '', type: '' };
