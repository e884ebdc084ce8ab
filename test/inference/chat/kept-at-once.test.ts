import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { newPolicy } from '../../journeys/people.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { violationsAtRest } from '../../support/books-at-rest.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';

let app: LiveApp;
let customer: Customer;
beforeAll(async () => {
  app = await startLiveApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.double.script('live', {});
  customer = await newCustomer(app, 1_000);
  await manage('/v1/gw/workloads/contracts', {
    contract_key: 'default',
    exact_cache_enabled: true,
    exact_cache_seconds: 600,
  });
});

const BODY = { model: LIVE, max_tokens: 100, messages: [{ role: 'user', content: 'Как дела?' }] };

async function manage(path: string, body: object) {
  const answer = await rest(app, 'POST', path, { credential: customer.token, body });
  expect(answer.status).toBe(200);
}

interface Routing {
  readonly request_id: string;
  readonly cache: { readonly status: string };
}

async function ask(body: object = BODY, headers: Record<string, string> = {}) {
  const credential = customer.key;
  const { status, body: answer } = await rest<{ gw_routing: Routing; error?: { code: string } }>(
    app,
    'POST',
    '/v1/chat/completions',
    { credential, body, headers },
  );
  return { status, code: answer.error?.code, routing: answer.gw_routing };
}

/** The lines of a request, and whether one transaction has written them. */
async function linesOf({ request_id: id }: Routing) {
  const { rows } = await app.owner.pool.query<{ type: string; txid: bigint; micro: number }>(
    `SELECT type, txid, amount_micro::int AS micro FROM ledger_entry
     WHERE request_id = $1 ORDER BY account_version`,
    [id],
  );
  const types = rows.map(({ type }) => type);
  return { types, isOne: new Set(rows.map(({ txid }) => txid)).size === 1 };
}

async function usageRows(): Promise<number> {
  const sql = 'SELECT count(*)::int AS count FROM usage_event WHERE tenant_id = $1';
  const { rows } = await app.owner.pool.query(sql, [customer.tenantId]);
  return rows[0].count;
}

/** Leaves nothing on the account. */
async function spendAll() {
  await app.owner.pool.query(
    `SELECT ledger_post(id, $2, 'adjustment', -posted_micro, 'test', NULL)
     FROM account WHERE tenant_id = $1`,
    [customer.tenantId, newId('Request')],
  );
}

/** A change of controls of which no trigger tells the node. */
async function overtakeControls() {
  await app.owner.pool.query(
    `SET session_replication_role = replica;
     UPDATE tenant SET control_version = control_version + 1
     WHERE id = '${customer.tenantId}';
     SET session_replication_role = origin`,
  );
}

const BY_HOLD = { types: ['hold', 'finalize'], isOne: false };

describe('the charge of a kept answer', () => {
  it('brings its hold: one operation of the ledger, and books as of any other', async () => {
    expect(await linesOf((await ask()).routing)).toEqual(BY_HOLD);
    const { status, routing } = await ask();
    expect([status, routing.cache.status]).toEqual([200, 'hit']);
    expect(await linesOf(routing)).toEqual({ ...BY_HOLD, isOne: true });
    const state = async () => {
      const sql =
        'SELECT state, charged_micro = amount_micro AS whole FROM hold WHERE request_id = $1';
      return (await app.owner.pool.query(sql, [routing.request_id])).rows;
    };
    await expect.poll(state).toEqual([{ state: 'delivered', whole: true }]);
    expect(await usageRows()).toBe(2);
    expect(await violationsAtRest(app.owner.pool)).toEqual([]);
  });

  it('is refused where funds are gone, and nothing is written', async () => {
    await ask();
    await spendAll();
    expect(await ask()).toMatchObject({ status: 402, code: 'insufficient_balance' });
    expect(await usageRows()).toBe(1);
    expect(await violationsAtRest(app.owner.pool)).toEqual([]);
  });

  it('is refused to a key that was revoked where this node has not heard of it', async () => {
    await ask();
    // No trigger tells the node.
    await app.owner.pool.query(
      `SET session_replication_role = replica;
       UPDATE api_key SET revoked_at = now() WHERE tenant_id = '${customer.tenantId}';
       SET session_replication_role = origin`,
    );
    expect(await ask()).toMatchObject({ status: 401, code: 'api_key_revoked' });
    expect(await usageRows()).toBe(1);
    expect(await violationsAtRest(app.owner.pool)).toEqual([]);
  });

  it('is decided anew with a hold first where a change of controls has overtaken it', async () => {
    await ask();
    await overtakeControls();
    const { status, routing } = await ask();
    expect([status, routing.cache.status]).toEqual([200, 'hit']);
    expect(await linesOf(routing)).toEqual(BY_HOLD);
    expect(await linesOf((await ask()).routing)).toEqual({ ...BY_HOLD, isOne: true });
    expect(await usageRows()).toBe(3);
    expect(await violationsAtRest(app.owner.pool)).toEqual([]);
  });

  it('waits for a hold where a budget concerns it, or its answer is kept for a key', async () => {
    await ask();
    const keyed = await ask(BODY, { 'idempotency-key': 'once' });
    expect(await linesOf(keyed.routing)).toEqual(BY_HOLD);
    await manage('/v1/gw/finops/budgets', { scope: 'use_case', scope_ref: 'one', hard_cap: 2 });
    const { routing } = await ask({ ...BODY, metadata: { feature: 'one' } });
    expect(routing.cache.status).toBe('hit');
    expect(await linesOf(routing)).toEqual(BY_HOLD);
    expect(await violationsAtRest(app.owner.pool)).toEqual([]);
  });

  it('stops where funds end: of fifty at once as many are answered as were paid for', async () => {
    await ask();
    await ask();
    const paidFor = 10;
    await app.owner.pool.query(
      `SELECT ledger_post(
         a.id, $2, 'adjustment', $3 * u.amount_micro - a.posted_micro, 'test', NULL)
       FROM account a CROSS JOIN LATERAL (
         SELECT min(amount_micro) AS amount_micro FROM usage_event WHERE tenant_id = $1
       ) u WHERE a.tenant_id = $1`,
      [customer.tenantId, newId('Request'), paidFor],
    );
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask()));
    const of = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect([of(200), of(402)]).toEqual([paidFor, 50 - paidFor]);
    expect(await usageRows()).toBe(2 + paidFor);
    expect(await violationsAtRest(app.owner.pool)).toEqual([]);
  });

  it('takes no tokens of the minute where it is refused or decided anew', async () => {
    // An answer has 18 tokens; some 105 are taken before it.
    await newPolicy(app, customer.token, { limits: { tpm: 260 } });
    await ask();
    for (let times = 0; times < 6; times += 1) {
      await overtakeControls();
      expect((await ask()).status).toBe(200);
    }
    await spendAll();
    for (let times = 0; times < 8; times += 1) {
      expect(await ask()).toMatchObject({ status: 402, code: 'insufficient_balance' });
    }
  });

  it('keeps beside it what is beyond the bounds that the request has now', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 90, total_tokens: 101 };
    app.double.script('live', { usage });
    await ask();
    // Of another provider file the same deployment answers less than this at most.
    const { responseCache } = app.server.services;
    const kept = responseCache.kept.bind(responseCache);
    const lowered = vi.spyOn(responseCache, 'kept').mockImplementation(async (...asked) => {
      const turn = await kept(...asked);
      if (!turn) return undefined;
      const deployment = { ...turn.answer.deployment, maxOutputTokens: 50 };
      return { ...turn, answer: { ...turn.answer, deployment } };
    });
    const { routing } = await ask();
    lowered.mockRestore();
    expect(routing.cache.status).toBe('hit');
    const { rows } = await app.owner.pool.query(
      `SELECT o.output_tokens_max::int AS most, o.raw_usage AS raw,
              o.charged_micro = u.amount_micro AS as_used
       FROM ledger_overrun o JOIN usage_event u ON u.id = o.request_id WHERE o.request_id = $1`,
      [routing.request_id],
    );
    expect(rows).toEqual([{ most: 50, raw: usage, as_used: true }]);
    expect(await violationsAtRest(app.owner.pool)).toEqual([]);
  });
});
