import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCustomer, rest } from '../support/app.js';
import { killGateways, startGateway } from '../support/gateway-process.js';
import { chat, errorCodeOf, inParallel } from './client.js';
import { newFolder } from './providers.js';
import { ONE_RUBLE, services, startTwoNodes, type TwoNodes } from './two-nodes.js';

const TEST_MS_MAX = 120_000;
const KEYS = 80;
const REQUESTS = 500;
const AFFORDABLE = 100;
const REFUSED = 'model_not_allowed';

const found = await services();
let nodes: TwoNodes;

/** How many of some answers had each status and code. */
function tally(answers: readonly { status: number; text: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const name = errorCodeOf(answer) ?? String(answer.status);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** All requests at once, every other one to the other node. */
function overBoth(credential: string, times: number): ReturnType<typeof inParallel<Seen>> {
  return inParallel(times, times, (index) => {
    const { url } = index % 2 === 0 ? nodes.first : nodes.second;
    return chat(url, { credential, body: ONE_RUBLE });
  });
}

type Seen = Awaited<ReturnType<typeof chat>>;

/** One request to each, so that both know key and policy: what follows is about money alone. */
async function useBoth(credential: string): Promise<void> {
  for (const { url } of [nodes.first, nodes.second]) {
    expect((await chat(url, { credential, body: ONE_RUBLE })).status).toBe(200);
  }
}

describe.skipIf(!found)('two nodes on one PostgreSQL and one Redis', () => {
  beforeAll(async () => {
    if (found) nodes = await startTwoNodes(found);
  });
  afterAll(killGateways);
  afterAll(() => nodes.close());

  it(
    'keys revoked on one node: the other one accepts none of them any more',
    async () => {
      const { first, second } = nodes;
      const { token } = await newCustomer(first, 1_000);
      const after = await inParallel(KEYS, 10, async (index) => {
        const body = { keyType: 'service', name: `key ${index}` };
        const made = await rest<{ id: string; key: string }>(first, 'POST', '/api-keys', {
          credential: token,
          body,
        });
        const { id, key: credential } = made.body;
        // Used before, so that the other node knows it by heart.
        const before = await chat(second.url, { credential, body: ONE_RUBLE });
        const revoked = await rest(first, 'DELETE', `/api-keys/${id}`, { credential: token });
        const used = await Promise.all([
          chat(second.url, { credential, body: ONE_RUBLE }),
          chat(second.url, { credential, body: { ...ONE_RUBLE, stream: true } }),
          rest(second, 'GET', '/v1/models', { credential }),
        ]);
        return [before.status, revoked.status, ...used.map(({ status }) => status)].join(' ');
      });
      expect([...new Set(after)]).toEqual(['200 200 401 401 401']);
    },
    TEST_MS_MAX,
  );

  it(
    'funds for exactly 100 requests admit exactly 100 of 500 at once',
    async () => {
      const { key, accountId } = await newCustomer(nodes.first, 2 + AFFORDABLE);
      await useBoth(key);
      const before = nodes.double.log.length;
      expect(tally(await overBoth(key, REQUESTS))).toEqual({
        200: AFFORDABLE,
        insufficient_balance: REQUESTS - AFFORDABLE,
      });
      expect(nodes.double.log.length - before).toBe(AFFORDABLE);
      const { rows } = await nodes.books.pool.query(
        'SELECT posted_micro, held_micro FROM account WHERE id = $1',
        [accountId],
      );
      expect(rows).toEqual([{ posted_micro: 0n, held_micro: 0n }]);
    },
    TEST_MS_MAX,
  );

  it(
    'a budget for exactly 100 requests admits exactly 100 of 500 at once',
    async () => {
      const { key, token } = await newCustomer(nodes.first, 10_000);
      const made = await rest(nodes.first, 'POST', '/v1/gw/policies', {
        credential: token,
        body: { name: 'cap', budgets: { daily_rub: 2 + AFFORDABLE } },
      });
      expect(made.status).toBe(200);
      await useBoth(key);
      const counts = tally(await overBoth(key, REQUESTS));
      const { 200: admitted, budget_exhausted = 0, budget_reserved = 0, ...others } = counts;
      const refused = budget_exhausted + budget_reserved;
      expect({ admitted, refused, others }).toEqual({
        admitted: AFFORDABLE,
        refused: REQUESTS - AFFORDABLE,
        others: {},
      });
    },
    TEST_MS_MAX,
  );

  it(
    'a limit of requests a minute is one limit over both',
    async () => {
      const { key, token } = await newCustomer(nodes.first, 10_000);
      await rest(nodes.first, 'POST', '/v1/gw/policies', {
        credential: token,
        body: { name: 'slow', limits: { rpm: 62 } },
      });
      await useBoth(key);
      const startedMs = performance.now();
      const counts = tally(await overBoth(key, 300));
      const refilled = Math.ceil((performance.now() - startedMs) / 1_000);
      expect(counts[200]).toBeGreaterThanOrEqual(60);
      expect(counts[200]).toBeLessThanOrEqual(62 + 2 * refilled);
      expect(Object.keys(counts).sort()).toEqual(['200', 'rate_limit_requests']);
    },
    TEST_MS_MAX,
  );

  it(
    'a policy that changes on one node soon holds on the other',
    async () => {
      const { first, second } = nodes;
      const { key, token } = await newCustomer(first, 1_000);
      const made = await rest<{ id: string }>(first, 'POST', '/v1/gw/policies', {
        credential: token,
        body: { name: 'models', allowed_models: ['sandbox/gw-mini'] },
      });
      for (let turn = 0; turn < 6; turn += 1) {
        const model = turn % 2 === 0 ? 'own/model' : 'sandbox/gw-mini';
        await chat(second.url, { credential: key, body: ONE_RUBLE });
        await rest(first, 'PATCH', `/v1/gw/policies/${made.body.id}`, {
          credential: token,
          body: { allowed_models: [model] },
        });
        const answer = async () => {
          const seen = await chat(second.url, { credential: key, body: ONE_RUBLE });
          return errorCodeOf(seen) ?? seen.status;
        };
        await expect.poll(answer, { timeout: 20_000 }).toBe(turn % 2 === 0 ? 200 : REFUSED);
      }
    },
    TEST_MS_MAX,
  );

  it(
    'an answer that one node keeps is given by the other, to its own organization alone',
    async () => {
      const { first, second, double } = nodes;
      const contract = {
        contract_key: 'default',
        exact_cache_enabled: true,
        exact_cache_seconds: 600,
      };
      const [owner, stranger] = [await newCustomer(first, 1_000), await newCustomer(second, 1_000)];
      for (const { token } of [owner, stranger]) {
        await rest(first, 'POST', '/v1/gw/workloads/contracts', {
          credential: token,
          body: contract,
        });
      }
      const ask = async ({ url }: { readonly url: string }, { key }: { readonly key: string }) => {
        const { status, text } = await chat(url, { credential: key, body: ONE_RUBLE });
        const answer = status === 200 ? JSON.parse(text) : undefined;
        return answer?.gw_routing.cache?.status;
      };
      const calls = () => double.received('own').length;
      const before = calls();
      expect(await ask(first, owner)).toBe('miss');
      // What the other node knows of contracts is dropped by a notification.
      await expect.poll(() => ask(second, owner), { timeout: 20_000 }).toBe('hit');
      expect(calls()).toBe(before + 1);
      await expect.poll(() => ask(second, stranger), { timeout: 20_000 }).not.toBeUndefined();
      expect(calls()).toBe(before + 2);
    },
    TEST_MS_MAX,
  );

  it(
    'a node keeps its name when the database drops its connections',
    async () => {
      const folder = newFolder();
      const settings = {
        GW_DATA_DIR: folder.path,
        GW_NODE_ID: 'kept',
        DATABASE_URL: found?.database.databaseUrl,
      };
      const gateway = await startGateway(settings);
      const claims = () =>
        nodes.books.pool.query<{ pid: number }>(
          `SELECT a.pid FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid
           WHERE a.application_name = 'gw-node-name' AND l.locktype = 'advisory'
             AND a.datname = current_database()`,
        );
      const before = (await claims()).rows.map(({ pid }) => pid);
      await nodes.books.pool.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid', [
        before,
      ]);
      let claimed: number[] = [];
      while (claimed.length < before.length) {
        await sleep(50);
        claimed = (await claims()).rows.map(({ pid }) => pid);
      }
      expect(claimed.filter((pid) => before.includes(pid))).toEqual([]);
      await expect(startGateway(settings)).rejects.toThrow('the node name kept is in use');
      expect(await gateway.terminate()).toBe(0);
      folder.remove();
    },
    TEST_MS_MAX,
  );

  it('and after all that the books are right', async () => {
    expect(await nodes.books.violations()).toEqual([]);
    const { ledgerMicro, usageMicro } = await nodes.books.sums();
    expect(ledgerMicro).toBe(usageMicro);
  });
});
